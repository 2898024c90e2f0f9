// Sums by index, in an order that nothing changes, and what an index outside is.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/format/real.hpp>     // times, add_once
#include <amphora/ops/cast.hpp>        // fill
#include <amphora/ops/movement.hpp>    // clear_target
#include <amphora/ops/operand.hpp>     // target
#include <amphora/ops/pick.hpp>        // pick_kernels, index_source, no_such_number
#include <amphora/tensor/tensor.hpp>   // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// sort(context, keys, n): in place, ascending. require_within(context, call, indices, n, low, high): where nothing waits for it, the indices are looked at
/// and one outside [low, high) is an error.
template <class Device> struct index_kernels;

/// A row, or one that was asked for but is not there: the nearest that is, as a negative number.
AMPHORA_HD constexpr std::int64_t row_or_nearest(std::int64_t row, std::int64_t rows) { return row >= 0 && row < rows ? row : row < 0 ? -1 : -rows; }
AMPHORA_HD constexpr std::int64_t nearest_row(std::int64_t row) { return row < 0 ? -row - 1 : row; }

/// What a row becomes of the entries that go to it.
enum class joined_by { sum, mean, last };

/// row · entries + entry of each entry; those that go nowhere come last.
template <class Entries>
struct entry_key {
  Entries of;
  std::int64_t entries, rows;
  AMPHORA_READS template <class... X> AMPHORA_HD std::int64_t operator()(std::int64_t e, const X&... x) const {
    const std::int64_t row = of.row(e, x...);
    return (row < 0 ? rows : row) * entries + e;
  }
};
/// Each row's entries, by its first one. Eight sums in double, entry k of a row to sum k % 8, folded by halves: the same bits on every device.
template <class Entries>
struct joined_rows {
  Entries of;
  std::int64_t entries, rows, width;
  joined_by by;

  AMPHORA_READS template <class Keys, class... X> AMPHORA_HD std::int64_t place(std::int64_t i, const Keys& keys, const X&...) const {
    const std::int64_t k = i / width, row = keys(k) / entries;
    if (row >= rows || (k > 0 && keys(k - 1) >= row * entries)) return -1;
    return of.place(row, i - k * width);
  }
  AMPHORA_READS template <class Keys, class... X> AMPHORA_HD double operator()(std::int64_t i, const Keys& keys, const X&... x) const {
    const std::int64_t first = i / width, column = i - first * width, row = keys(first) / entries, begin = row * entries, end = begin + entries;
    double sum[8] = {};
    std::int64_t count = 0, last = 0;
    for (std::int64_t k = first; k < entries; k += 8) {
      bool done = false;
      AMPHORA_UNROLL for (int j = 0; j < 8; ++j) {  // the lanes stay in registers
        const std::int64_t key = k + j < entries ? keys(k + j) : end;
        done = done || key >= end;
        if (done) continue;
        last = key - begin, ++count;
        if (by != joined_by::last) sum[j] = add_once(sum[j], of.value(key - begin, column, x...));
      }
      if (done) break;
    }
    if (by == joined_by::last) return of.value(last, column, x...);
    AMPHORA_UNROLL for (int j = 0; j < 4; ++j) sum[j] = add_once(sum[j], sum[j + 4]);
    const double total = add_once(add_once(sum[0], sum[2]), add_once(sum[1], sum[3]));
    return by == joined_by::mean ? total / static_cast<double>(count) : total;
  }
};

/// The keys of all entries, ascending.
///
/// Errors  size
template <class Context, class Entries, class Index>
tensor<std::int64_t, Context> sorted_keys(Context& context, const Entries& of, std::int64_t entries, std::int64_t rows, const Index& index) {
  using device = typename Context::device;
  if (entries > 0 && rows >= INT64_MAX / entries - 1) fail("size", "sums by index: ", entries, " entries and ", rows, " rows are too many");
  tensor<std::int64_t, Context> keys(context, shape{entries});
  pick_kernels<device>::indices(context, entry_key<Entries>{of, entries, rows}, entries, keys.data(), index);
  index_kernels<device>::sort(context, keys.data(), entries);
  return keys;
}
/// How many of n ascending keys are below a bound.
AMPHORA_READS template <class Keys> AMPHORA_HD std::int64_t keys_below(const Keys& keys, std::int64_t n, std::int64_t bound) {
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (keys(middle) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// y[place(row, c)] = the sum, mean or last of value(e, c) over the entries of each row that has any; y's other places stay.
///
/// of     has row(e, indices…) -> its row or −1, value(e, c, readers…) -> double, place(row, c)
/// index  what of.row reads, and of.value first
/// Cost   16 bytes an entry; on CUDA a sort of the entries, so that no atomics are needed. One thread adds up all entries of one place
template <class Context, class Entries, class Target, class Index, class... From>
void join_rows(Context& context, const Entries& of, std::int64_t entries, std::int64_t rows, std::int64_t width, joined_by by, const Target& y, const Index& index, const From&... from) {
  if (entries == 0 || width == 0) return;
  const auto keys = sorted_keys(context, of, entries, rows, index);
  pick_kernels<typename Context::device>::run_at(context, joined_rows<Entries>{of, entries, rows, width, by}, entries * width, y, index_source{keys.data(), 8}, index, from...);
}

}}}  // namespace amphora::detail
