// A convolution as a device is asked for it: the sizes, and how the window goes over the input.
#pragma once
#include <amphora/tensor/shape.hpp>  // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One convolution of x [batch, groups · channels, in…] with w [groups · features, channels, window…] to y [batch, groups · features, out…],
/// all dense: for each group and each feature f
///
///     y[n, f, o] = Σ over c, r of w[f, c, r] · x[n, c, o · stride − before + r · dilation], x being 0 outside
///
/// A transposed convolution is the same layout run from y to x. Where a call gives fewer than three axes, those in front have extent 1.
struct convolution {
  static constexpr int axes = 3;

  std::int64_t batch = 0, groups = 1;
  std::int64_t channels = 0;  ///< of x, in each group
  std::int64_t features = 0;  ///< of y, in each group
  std::int64_t in[axes] = {1, 1, 1}, window[axes] = {1, 1, 1}, out[axes] = {1, 1, 1};
  std::int64_t stride[axes] = {1, 1, 1}, dilation[axes] = {1, 1, 1};
  std::int64_t before[axes] = {0, 0, 0}, after[axes] = {0, 0, 0};  ///< zeros around x, as the call says; they may differ

  static std::int64_t of(const std::int64_t (&extent)[axes]) { return extent[0] * extent[1] * extent[2]; }
  std::int64_t in_size() const { return of(in); }
  std::int64_t out_size() const { return of(out); }
  std::int64_t window_size() const { return of(window); }

  /// From the first to the last number that a window touches along an axis.
  std::int64_t reach(int axis) const { return dilation[axis] * (window[axis] - 1) + 1; }
  /// Whether both sides of each axis have the same padding, and `out` is all that `in` gives with it: what libraries know. A transposed
  /// convolution whose output padding reaches the stride is not.
  bool is_symmetric() const {
    for (int i = 0; i < axes; ++i)
      if (before[i] != after[i] || in[i] + 2 * before[i] < reach(i) || out[i] != (in[i] + 2 * before[i] - reach(i)) / stride[i] + 1) return false;
    return true;
  }
  /// Whether there is nothing to write, or nothing to add.
  bool is_empty() const { return batch == 0 || groups == 0 || channels == 0 || features == 0 || in_size() == 0 || out_size() == 0 || window_size() == 0; }
};

/// Which of the three arrays of a convolution is the result; the two others are its operands.
enum class convolution_result { y, x, w };

/// What each device specialises for its tag. Operands are read as `Read`, sums run in Accumulate or wider, the result is rounded once; a target
/// that adds is added to before that. Nothing is empty but for batch, channels and what follows from them: the kernels then write zeros, or the bias.
///
///     forward<Accumulate>(context, c, target y, x, w, bias)             y = x ⋆ w + bias;  bias [groups · features], no data: none
///     backward_data<Accumulate>(context, c, target x, y, w, bias)       x = Σ w · y + bias: the gradient of x for that of y, or a transposed
///                                                                       convolution;       bias [groups · channels], no data: none
///     backward_weights<Accumulate>(context, c, target w, y, x)          w = Σ y · x: the gradient of w for that of y
///
/// with target<Format> and source<Given, Read> of ops/operand.hpp.
template <class Device> struct convolution_kernels;

}}}  // namespace amphora::detail
