// Sums over axes on the host, in an order that no number of threads changes.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces, workspace
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/kernels.hpp>    // reduce_kernels
#include <amphora/ops/reduction.hpp>  // reduction_loops, sum_chunk, sum_lanes, sum_rows
#include <amphora/optimizer/sum_order.hpp>  // fold_columns

#include <algorithm>    // fill_n, min
#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr std::int64_t sum_columns = 256;  // results side by side that the host works on at a time; belongs to no sum

/// Source  host_source, or what else has a load_run
template <class Real, class Source = host_source>
struct host_reduction {
  reduction_loops loops;
  host_target y;
  Source x;
  double divisor, factor;

  std::int64_t offset(std::int64_t index, int rank, const std::int64_t* extent, const std::int64_t* stride) const {
    std::int64_t result = 0;
    for (int i = rank - 1; i >= 0; --i) {
      result += index % extent[i] * stride[i];
      index /= extent[i];
    }
    return result;
  }
  void store(std::int64_t first, std::int64_t n, const double* totals) const {
    Real part[sum_columns];
    for (std::int64_t i = 0; i < n; ++i) part[i] = static_cast<Real>(totals[i] * factor / divisor);
    store_run(y, first, n, part);
  }

  /// Terms lie side by side: lanes of a chunk, folded by halves.
  static double chunk_sum(const Source& x, std::int64_t at, std::int64_t n) {
    Real lane[sum_lanes] = {}, part[sum_lanes];
    for (std::int64_t i = 0; i < n; i += sum_lanes) {
      const std::int64_t count = (std::min)(sum_lanes, n - i);
      load_run(x, at + i, count, part);
      for (std::int64_t j = 0; j < count; ++j) lane[j] += part[j];
    }
    for (std::int64_t width = sum_lanes / 2; width > 0; width /= 2)
      for (std::int64_t j = 0; j < width; ++j) lane[j] += lane[j + width];
    return static_cast<double>(lane[0]);
  }
  void along_terms(host_context& context) const {
    const std::int64_t length = loops.summed_rank ? loops.summed[loops.summed_rank - 1] : loops.terms;
    const std::int64_t runs = length ? loops.terms / length : 0, chunks = (length + sum_chunk - 1) / sum_chunk;
    const bool long_sums = runs * chunks > 1;
    const auto one_chunk = [&](std::int64_t result, std::int64_t run, std::int64_t chunk) {
      const std::int64_t at = offset(result, loops.kept_rank, loops.kept, loops.kept_stride) + offset(run, loops.summed_rank - 1, loops.summed, loops.summed_stride);
      return chunk_sum(x, at + chunk * sum_chunk, (std::min)(sum_chunk, length - chunk * sum_chunk));
    };
    if (!long_sums) {
      for_pieces(context, loops.results, loops.results * length > 65536, [&](std::int64_t i, int) {
        const double total = runs * chunks > 0 ? one_chunk(i, 0, 0) : 0;
        store(i, 1, &total);
      });
      return;
    }
    const workspace<double> parts(context, loops.results * runs * chunks);
    for_pieces(context, loops.results * runs * chunks, true,
               [&](std::int64_t i, int) { parts.data()[i] = one_chunk(i / (runs * chunks), i / chunks % runs, i % chunks); });
    for (std::int64_t i = 0; i < loops.results; ++i) {
      const double total = fold_columns(parts.data() + i * runs * chunks, runs * chunks, false);
      store(i, 1, &total);
    }
  }
  /// Results lie side by side: each row of terms is added to a row of sums.
  void along_results(host_context& context) const {
    const std::int64_t width = loops.kept[loops.kept_rank - 1], across = (width + sum_columns - 1) / sum_columns;
    for_pieces(context, loops.results / width * across, loops.results * loops.terms > 65536, [&](std::int64_t piece, int) {
      const std::int64_t first = piece % across * sum_columns, columns = (std::min)(sum_columns, width - first);
      const std::int64_t at = offset(piece / across, loops.kept_rank - 1, loops.kept, loops.kept_stride) + first;
      double total[sum_columns] = {};
      Real sum[sum_columns], part[sum_columns];
      for (std::int64_t term = 0; term < loops.terms; term += sum_rows) {
        std::fill_n(sum, columns, Real(0));
        for (std::int64_t t = term; t < (std::min)(term + sum_rows, loops.terms); ++t) {
          load_run(x, at + offset(t, loops.summed_rank, loops.summed, loops.summed_stride), columns, part);
          for (std::int64_t j = 0; j < columns; ++j) sum[j] += part[j];
        }
        for (std::int64_t j = 0; j < columns; ++j) total[j] += static_cast<double>(sum[j]);
      }
      store(piece / across * width + first, columns, total);
    });
  }
  void run(host_context& context) const {
    if (loops.results == 0) return;
    const bool side_by_side = loops.kept_rank > 0 && loops.kept_stride[loops.kept_rank - 1] == 1 && loops.kept[loops.kept_rank - 1] > 0;
    side_by_side ? along_results(context) : along_terms(context);
  }
};

template <>
struct reduce_kernels<host_device> {
  template <class Accumulate, class Y, class X, class Read>
  static void run(host_context& context, const target<Y>& y, const source<X, Read>& x, const reduction_loops& loops, double divisor, double factor) {
    host_reduction<arithmetic_t<Accumulate, Read>>{loops, y, x, divisor, factor}.run(context);
  }
};

}}}  // namespace amphora::detail
