// What a normalization is to a device: where its statistics and its weights lie, and the kernels that it asks for.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/ops/reduction.hpp>  // sum_rows
#include <amphora/tensor/shape.hpp>   // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Each device specialises it. Statistics are norm_statistics of float, or double where f64 comes in.
///
///     forward<Spreads>(context, lines, statistics, y, x, w, b)       statistics of each line, and its value; y a target<not_a_format>: statistics alone
///     backward<Spreads>(context, lines, statistics, gx, grad, x, w)  the gradient of x, from statistics that forward left
///     products(context, columns, statistics, partial, grad, x)  Σ grad · x̂ of each part of a column: partial [parts, width], f64
///     moments(context, columns, eps, statistics, x)        statistics of each column
///     given(context, eps, statistics, mean, variance)      statistics that are not measured, but known
///     track(context, tracking, statistics, mean, variance) running statistics
///
/// Spreads: whether neighbours may share a weight; otherwise term t of a line has weight t
template <class Device> struct normalization_kernels;

/// What is known of each set of numbers that are normalized together: the mean in two parts (high + low, since a mean has more digits than
/// its format where the spread is small), 1 / √(variance + eps), and the biased variance. Memory [4, count].
template <class T>
struct norm_statistics {
  T* data = nullptr;
  std::int64_t count = 0;

  AMPHORA_HD T* high() const { return data; }
  AMPHORA_HD T* low() const { return data + count; }
  AMPHORA_HD T* scale() const { return data + 2 * count; }
  AMPHORA_HD T* variance() const { return data + 3 * count; }
};

/// Lines of neighbours, one after the other, each with statistics of its own: layer, rms, group and instance norm.
///
/// Term t of line l has weight (l % groups) · channels + t / spread.
struct norm_lines {
  std::int64_t lines = 0, length = 0;
  std::int64_t groups = 1, channels = 0, spread = 1;
  bool centered = true;  ///< false: the mean is taken to be 0
  double eps = 0;

  AMPHORA_HD std::int64_t weights() const { return groups * channels; }
};

/// An array [rows, width, inner] with one sum, or one set of statistics, for each of `width`. Its numbers at (row, k) were normalized by
/// statistics row · row_step + k / share.
///
/// Where inner is 1, columns side by side are summed in parts of sum_rows rows; else a part is one row.
struct norm_columns {
  std::int64_t rows = 0, width = 0, inner = 1, row_step = 0, share = 1;

  AMPHORA_HD std::int64_t rows_of_part() const { return inner == 1 ? sum_rows : 1; }
  AMPHORA_HD std::int64_t parts() const { return (rows + rows_of_part() - 1) / rows_of_part(); }
  AMPHORA_HD std::int64_t rows_in(std::int64_t part) const {
    const std::int64_t left = rows - part * rows_of_part();
    return left < rows_of_part() ? left : rows_of_part();
  }
};

/// How running statistics move: (1 − momentum) · old + momentum · new, of the variance the unbiased one. Where a channel has several
/// statistics (one for each of `batch`), of their mean.
struct norm_tracking {
  std::int64_t channels = 0, batch = 1, terms = 0;  ///< terms of one set of statistics
  double momentum = 0;
  bool cumulative = false;           ///< 1 / batches in the place of the momentum
  std::int64_t* batches = nullptr;   ///< on the device, or null: one more than before
};

/// A normalization as shapes: of x, of its statistics and of its weights, so that they broadcast; and as loops of a kernel.
struct norm_call {
  shape wide, statistics, weights;
  shape affine;                 ///< of the weights, as the caller has them
  std::int64_t terms = 1;       ///< of one set of statistics
  bool across = false;          ///< one set of statistics a channel, over the whole batch: columns; else lines
  bool known = false;           ///< the statistics do not depend on x
  norm_lines lines;
  norm_columns columns;         ///< over which the gradient of a weight is summed; of `across` also the statistics
};

/// What an op's normalizations may be, so that no other kernel is made: lines, lines of groups of channels, columns, or one of the last two when the program runs.
struct lines_call : norm_call {
  static constexpr bool may_be_lines = true, may_be_columns = false, spreads = false;
};
struct groups_call : norm_call {
  static constexpr bool may_be_lines = true, may_be_columns = false, spreads = true;
};
struct columns_call : norm_call {
  static constexpr bool may_be_lines = false, may_be_columns = true, spreads = false;
};
struct either_call : norm_call {
  static constexpr bool may_be_lines = true, may_be_columns = true, spreads = true;
  either_call() = default;
  either_call(const norm_call& c) : norm_call(c) {}
};

/// x̂ of one number.
template <class Real> AMPHORA_HD constexpr Real normalized(Real x, Real high, Real low, Real scale) { return ((x - high) - low) * scale; }

}}}  // namespace amphora::detail
