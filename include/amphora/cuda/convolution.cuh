// Convolutions on CUDA: by a library where the context has one for them, else patches gathered into bounded memory and cuBLAS's products.
#pragma once
#include <amphora/cuda/access.cuh>            // device loads and stores
#include <amphora/cuda/context.cuh>           // cuda_context, cuda_device
#include <amphora/cuda/convolution_call.cuh>  // convolution_call, convolution_backend
#include <amphora/cuda/cublas.cuh>            // cublas_types
#include <amphora/cuda/launch.cuh>            // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/matmul.cuh>            // matmul_kernels, product_memory
#include <amphora/cuda/operands.cuh>          // changes_when_read_v
#include <amphora/cuda/product_kernels.cuh>   // cast_operand, end_product, load_one_of, store_one_of, split
#include <amphora/ops/convolution.hpp>        // convolution, convolution_kernels
#include <amphora/ops/operand.hpp>            // source, target
#include <amphora/ops/patches.hpp>            // convolution_part, parts_of_x
#include <amphora/ops/product.hpp>            // product

#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// In the context's cache: how many numbers of its memory one convolution gathers patches and keeps sums in at a time. More where so many columns
/// need it.
struct gathered_memory {
  std::int64_t numbers = 1 << 26;
  static constexpr std::int64_t columns = 256;
};

/// Columns [first, first + count) of all (image, place), as a block takes them: some thousand columns of one row.
struct column_range {
  std::int64_t first, count;
  static constexpr std::int64_t width = 8 * block_threads;
  AMPHORA_HD std::int64_t pieces() const { return (count + width - 1) / width; }
};

/// to [channels, taps, columns] from images [n, channels, image]; `channels` are those of all groups.
///
/// Real  double where a format is f64
template <class Real>
AMPHORA_KERNEL void gather_patches(const product_source from, void* to, format_id memory, const patches p, std::int64_t channels, const column_range columns) {
  const std::int64_t pieces = columns.pieces(), places = p.place_count(), size = p.image_size();
  for (std::int64_t piece = blockIdx.x; piece < channels * p.tap_count() * pieces; piece += gridDim.x) {
    const split where(piece, pieces), plane(where.whole, p.tap_count()), tap2(plane.rest, p.taps[2]), tap1(tap2.whole, p.taps[1]);
    const std::int64_t at0 = p.offset(0, tap1.whole), at1 = p.offset(1, tap1.rest), at2 = p.offset(2, tap2.rest);
    const std::int64_t begin = where.rest * columns.width, end = begin + columns.width < columns.count ? begin + columns.width : columns.count;
    for (std::int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) {
      const split image(columns.first + j, places), t2(image.rest, p.places[2]), t1(t2.whole, p.places[1]);
      const std::int64_t i0 = t1.whole * p.step[0] + at0, i1 = t1.rest * p.step[1] + at1, i2 = t2.rest * p.step[2] + at2;
      Real x = 0;
      if (i0 >= 0 && i0 < p.image[0] && i1 >= 0 && i1 < p.image[1] && i2 >= 0 && i2 < p.image[2])
        x = rounded_to(from.rounded, load_one_of<Real>(from.given, from.data, (image.whole * channels + plane.whole) * size + (i0 * p.image[1] + i1) * p.image[2] + i2));
      store_one_of(memory, to, where.whole * columns.count + j, x);
    }
  }
}

/// The sums [channels, columns] of a part, no data meaning zeros, to where they belong in images [n, channels, image]: with the bias [channels], what
/// stands there, and one rounding.
struct placed_sums {
  const void* sums;
  format_id sums_format;
  product_source bias;
  void* to;
  format_id to_format;
  bool add;
};
template <class Real>
AMPHORA_KERNEL void place_sums(const placed_sums end, const convolution_part part, std::int64_t channels, const column_range columns) {
  const patches& p = part.from;
  const std::int64_t pieces = columns.pieces(), places = p.place_count(), size = part.to_size();
  for (std::int64_t piece = blockIdx.x; piece < channels * pieces; piece += gridDim.x) {
    const split where(piece, pieces);
    const Real bias = end.bias.data ? rounded_to(end.bias.rounded, load_one_of<Real>(end.bias.given, end.bias.data, where.whole)) : Real(0);
    const std::int64_t begin = where.rest * columns.width, past = begin + columns.width < columns.count ? begin + columns.width : columns.count;
    for (std::int64_t j = begin + threadIdx.x; j < past; j += blockDim.x) {
      const split image(columns.first + j, places), t2(image.rest, p.places[2]), t1(t2.whole, p.places[1]);
      const std::int64_t i = (image.whole * channels + where.whole) * size + part.to(t1.whole, t1.rest, t2.rest);
      Real sum = end.sums ? load_one_of<Real>(end.sums_format, end.sums, where.whole * columns.count + j) : Real(0);
      if (end.bias.data) sum += bias;
      if (end.add) sum += load_one_of<Real>(end.to_format, end.to, i);
      store_one_of(end.to_format, end.to, i, sum);
    }
  }
}

/// The weights [group, feature, channel, window] as [group, channel, feature, tap of the part].
template <class Real>
AMPHORA_KERNEL void turn_weights(const product_source from, void* to, format_id memory, const convolution_part part, std::int64_t groups, std::int64_t features, std::int64_t channels) {
  const std::int64_t taps = part.from.tap_count(), n = groups * channels * features * taps, window = part.window[0] * part.window[1] * part.window[2];
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += std::int64_t(gridDim.x) * blockDim.x) {
    const split tap(i, taps), feature(tap.whole, features), channel(feature.whole, channels);
    const std::int64_t at = ((channel.whole * features + feature.rest) * channels + channel.rest) * window + part.weight(tap.rest);
    store_one_of(memory, to, i, rounded_to(from.rounded, load_one_of<Real>(from.given, from.data, at)));
  }
}

/// A convolution by patches. Multiplied is what the products read, in memory of format Memory.
template <class Multiplied, class Memory, class Accumulate>
struct cuda_patches {
  const convolution_call& call;
  const convolution& c = call.layout;

  void run(cuda_context& context) const {
    if (call.result == convolution_result::y) run_y(context);
    else if (call.result == convolution_result::x) run_x(context);
    else run_w(context);
  }

 private:
  using sums_format = std::conditional_t<std::is_same_v<Memory, f64>, f64, f32>;
  using real = std::conditional_t<std::is_same_v<Memory, f64>, double, float>;
  static constexpr format_id memory = format_id_v<Memory>, sums = format_id_v<sums_format>;

  void run_y(cuda_context& context) const {
    product_memory copy(context);
    run_part(context, part_of_y(c).joined(), cast(context, copy, call.second, c.groups * c.features * c.channels * c.window_size()), c.features, c.channels);
  }
  void run_x(cuda_context& context) const {
    const parts_of_x parts{c};
    product_memory copy(context);
    void* const turned = copy.make(memory, c.groups * c.features * c.channels * c.window_size());
    for (std::int64_t i = 0; i < parts.count(); ++i) {
      const convolution_part part = parts[i];
      const std::int64_t n = c.groups * c.channels * c.features * part.from.tap_count();
      if (n > 0)
        launch(context, "turn_weights", product_grid(context, n), block_threads, in_double(call.second) ? &turn_weights<double> : &turn_weights<float>, call.second, turned, memory, part, c.groups, c.features, c.channels);
      run_part(context, part.joined(), turned, c.channels, c.features);
    }
  }
  void run_w(cuda_context& context) const {
    const patches of_y = numbers_of_y(c), of_x = part_of_y(c).joined().from;
    const std::int64_t columns = c.batch * of_x.place_count(), taps = c.channels * of_x.tap_count(), size = c.groups * c.features * taps, at_once = at_a_time(context, columns, c.groups * (c.features + taps));
    if (size == 0) return;
    product_memory memory_y(context), memory_x(context), memory_sums(context);
    void* total = nullptr;
    if (columns > 0) {
      void *const gathered_y = memory_y.make(memory, c.groups * c.features * at_once), *const gathered_x = memory_x.make(memory, c.groups * taps * at_once);
      total = memory_sums.make(sums, size);
      for (column_range range = {0, 0}; range.first < columns; range.first += at_once) {
        range.count = columns - range.first < at_once ? columns - range.first : at_once;
        gather(context, call.first, gathered_y, of_y, c.groups * c.features, range), gather(context, call.second, gathered_x, of_x, c.groups * c.channels, range);
        product p;
        p.m = c.features, p.n = taps, p.k = range.count, p.b_transposed = true;
        p.kept.add(c.groups, c.features * range.count, taps * range.count, c.features * taps);
        multiply(context, p, total, range.first > 0, gathered_y, gathered_x);
      }
    }
    product_end end = {total, call.to, nullptr, {nullptr, format_id::f32, format_id::none}, sums, call.to_format, call.to_format, call.add, false, false, 1, size, 1, size, 1};
    const bool wide = end.is_wide_all();
    launch(context, "end_product", product_grid(context, wide ? size / 8 : size), block_threads, end_product<real>, end, wide);
  }

  /// The places of one part, some at a time.
  void run_part(cuda_context& context, const convolution_part& part, const void* weights, std::int64_t rows, std::int64_t channels) const {
    const std::int64_t depth = channels * part.from.tap_count(), columns = c.batch * part.from.place_count(), at_once = at_a_time(context, columns, c.groups * (rows + depth));
    if (columns == 0 || rows == 0) return;
    product_memory memory_patches(context), memory_sums(context);
    void *gathered = nullptr, *total = nullptr;
    if (depth > 0) gathered = memory_patches.make(memory, c.groups * depth * at_once), total = memory_sums.make(sums, c.groups * rows * at_once);
    for (column_range range = {0, 0}; range.first < columns; range.first += at_once) {
      range.count = columns - range.first < at_once ? columns - range.first : at_once;
      if (depth > 0) {
        gather(context, call.first, gathered, part.from, c.groups * channels, range);
        product p;
        p.m = rows, p.n = range.count, p.k = depth;
        p.kept.add(c.groups, rows * depth, depth * range.count, rows * range.count);
        multiply(context, p, total, false, weights, gathered);
      }
      launch(context, "place_sums", grid_for(context, c.groups * rows * range.pieces()), block_threads, place_sums<real>, placed_sums{total, sums, call.bias, call.to, call.to_format, call.add}, part, c.groups * rows, range);
    }
  }

  static std::int64_t at_a_time(cuda_context& context, std::int64_t columns, std::int64_t numbers) {
    constexpr std::int64_t least = gathered_memory::columns;
    const std::int64_t fit = context.cache<gathered_memory>().numbers / (numbers > 0 ? numbers : 1) / least * least, some = fit < least ? least : fit;
    return columns < some ? columns : some;
  }
  static bool in_double(const product_source& x) { return x.given == format_id::f64 || memory == format_id::f64; }
  static void gather(cuda_context& context, const product_source& from, void* to, const patches& p, std::int64_t channels, const column_range& range) {
    launch(context, "gather_patches", grid_for(context, channels * p.tap_count() * range.pieces()), block_threads, in_double(from) ? &gather_patches<double> : &gather_patches<float>, from, to, memory, p, channels, range);
  }
  static void multiply(cuda_context& context, const product& p, void* to, bool add, const void* a, const void* b) {
    using operand = source<Memory, Multiplied>;
    matmul_kernels<cuda_device>::template run<Accumulate>(context, p, target<sums_format>{to, add}, operand{a}, operand{b}, source<f32>{}, source<f32>{});
  }
  /// The weights as they are multiplied: in place, or cast.
  static const void* cast(cuda_context& context, product_memory& own, const product_source& x, std::int64_t n) {
    if (n == 0 || (x.given == memory && x.rounded == format_id::none)) return x.data;
    void* const to = own.make(memory, n);
    const bool wide = is_wide(x.given, x.data) && is_wide(memory, to);
    launch(context, "cast_operand", product_grid(context, wide ? (n + 7) / 8 : n), block_threads, in_double(x) ? &cast_operand<double> : &cast_operand<float>, x, to, memory, n, wide);
    return to;
  }
};

template <>
struct convolution_kernels<cuda_device> {
  template <class Accumulate, class Y, class X, class ReadX, class W, class ReadW, class B, class ReadB>
  static void forward(cuda_context& context, const convolution& c, const target<Y>& y, const source<X, ReadX>& x, const source<W, ReadW>& w, const source<B, ReadB>& bias) {
    run<Accumulate>(context, c, convolution_result::y, y, x, w, bias);
  }
  template <class Accumulate, class X, class Y, class ReadY, class W, class ReadW, class B, class ReadB>
  static void backward_data(cuda_context& context, const convolution& c, const target<X>& x, const source<Y, ReadY>& y, const source<W, ReadW>& w, const source<B, ReadB>& bias) {
    run<Accumulate>(context, c, convolution_result::x, x, y, w, bias);
  }
  template <class Accumulate, class W, class Y, class ReadY, class X, class ReadX>
  static void backward_weights(cuda_context& context, const convolution& c, const target<W>& w, const source<Y, ReadY>& y, const source<X, ReadX>& x) {
    run<Accumulate>(context, c, convolution_result::w, w, y, x, source<f32>{});
  }

 private:
  template <class Accumulate, class Z, class A, class ReadA, class B, class ReadB, class Bias, class ReadBias>
  static void run(cuda_context& context, const convolution& c, convolution_result result, const target<Z>& z, const source<A, ReadA>& a, const source<B, ReadB>& b, const source<Bias, ReadBias>& bias) {
    static_assert(std::is_same_v<ReadA, ReadB>);
    using types = cublas_types<ReadA, Accumulate>;
    using memory_format = typename types::memory;
    constexpr bool is_tf32 = std::is_same_v<ReadA, tf32>;
    constexpr format_id memory = format_id_v<memory_format>, sums = std::is_same_v<memory_format, f64> ? format_id::f64 : types::compute == CUBLAS_COMPUTE_16F ? format_id::f16 : format_id::f32;
    const convolution_call call = {c, result, read(a, memory), read(b, memory), read(bias, format_id::none), z.data, format_id_v<Z>, z.add, memory, is_tf32, sums};
    const convolution_backend& backend = context.cache<convolution_backend>();
    if (backend.run && backend.run(context, call)) return;
    cuda_patches<std::conditional_t<is_tf32, tf32, memory_format>, memory_format, Accumulate>{call}.run(context);
  }
  /// Numbers are rounded to what the op reads, unless they are given so or memory of that format does it.
  template <class Given, class Read>
  static product_source read(const source<Given, Read>& x, format_id memory) {
    constexpr format_id rounded = std::is_same_v<Read, tf32> ? format_id::none : format_id_v<Read>;
    return {x.data, format_id_v<Given>, changes_when_read_v<Given, Read> && rounded != memory ? rounded : format_id::none};
  }
};

}}}  // namespace amphora::detail
