// How a convolution goes over its input, as a caller says it, and the layout that this gives.
#pragma once
#include <amphora/error.hpp>            // fail
#include <amphora/ops/convolution.hpp>  // convolution
#include <amphora/tensor/shape.hpp>     // shape

#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI {

/// One number for all spatial axes, or one for each: 2, or {2, 1}.
class per_axis {
 public:
  constexpr per_axis(std::int64_t all) : count_(1), number_{all, 0, 0} {}
  constexpr per_axis(std::initializer_list<std::int64_t> each) {
    if (each.size() < 1 || each.size() > 3) detail::fail("size", "give one number for all axes, or one for each of up to three, not ", static_cast<int>(each.size()));
    for (std::int64_t number : each) number_[count_++] = number;
  }
  constexpr int count() const { return count_; }
  constexpr std::int64_t operator[](int axis) const { return number_[count_ == 1 ? 0 : axis]; }

 private:
  int count_ = 0;
  std::int64_t number_[3] = {0, 0, 0};
};

/// Padding by name: none at all; or as much as gives the output the input's extents where the stride is 1, one more at the end where it is odd.
enum class window_padding { valid, same };

/// convolution_options{}.stride(2).padding(1).groups(4): what is not said is a stride of 1, no padding, a dilation of 1 and one group.
class convolution_options {
  template <class T> constexpr convolution_options with(T convolution_options::*member, const T& value) const {
    convolution_options result = *this;
    result.*member = value;
    return result;
  }

 public:
  /// How far the window moves from one number of the output to the next.
  constexpr convolution_options stride(per_axis each) const { return with(&convolution_options::stride_, each); }
  /// Zeros on each side of the input.
  constexpr convolution_options padding(per_axis each) const { return with(&convolution_options::padding_, each).with(&convolution_options::named_, window_padding::valid); }
  constexpr convolution_options padding(window_padding name) const { return with(&convolution_options::padding_, per_axis(0)).with(&convolution_options::named_, name); }
  /// How far apart the window's numbers lie on the input.
  constexpr convolution_options dilation(per_axis each) const { return with(&convolution_options::dilation_, each); }
  /// The channels fall into so many groups that do not see each other.
  constexpr convolution_options groups(std::int64_t count) const { return with(&convolution_options::groups_, count); }
  /// Of a transposed convolution: so much longer is its output, to say which of the inputs of a strided convolution is meant.
  constexpr convolution_options output_padding(per_axis each) const { return with(&convolution_options::output_padding_, each); }

  constexpr const per_axis& stride() const { return stride_; }
  constexpr const per_axis& padding() const { return padding_; }
  constexpr window_padding named_padding() const { return named_; }
  constexpr const per_axis& dilation() const { return dilation_; }
  constexpr std::int64_t groups() const { return groups_; }
  constexpr const per_axis& output_padding() const { return output_padding_; }

 private:
  per_axis stride_ = 1, padding_ = 0, dilation_ = 1, output_padding_ = 0;
  std::int64_t groups_ = 1;
  window_padding named_ = window_padding::valid;
};

namespace detail {

/// Extents that no product of two overflows with.
inline constexpr std::int64_t largest_step = std::int64_t(1) << 31;

inline void require_numbers(const char* call, const char* name, const per_axis& numbers, int axes, std::int64_t least) {
  if (numbers.count() != 1 && numbers.count() != axes) fail("size", call, " has ", axes, " spatial axes and a ", name, " of ", numbers.count(), " numbers; give one, or one for each axis");
  for (int i = 0; i < axes; ++i)
    if (numbers[i] < least || numbers[i] > largest_step) fail("size", call, " has a ", name, " of ", numbers[i], "; it is between ", least, " and 2^31");
}
inline void require_options(const char* call, const convolution_options& options, int axes) {
  require_numbers(call, "stride", options.stride(), axes, 1), require_numbers(call, "padding", options.padding(), axes, 0);
  require_numbers(call, "dilation", options.dilation(), axes, 1), require_numbers(call, "output padding", options.output_padding(), axes, 0);
}

/// The layout of y = x ⋆ w; x [n, channels, in…] or [channels, in…].
struct convolution_sizes {
  convolution layout;
  shape value;  ///< y's, or for a transposed one x's

  static convolution_sizes of(const char* call, int axes, const shape& x, const shape& w, const convolution_options& options) {
    convolution_sizes sizes = read(call, axes, x, w, options, false);
    convolution& c = sizes.layout;
    for (int i = 0; i < axes; ++i)
      if (options.output_padding()[i] != 0) fail("size", call, " has no output padding; that is for conv_transpose");
    for (int i = 3 - axes; i < 3; ++i) {
      c.in[i] = x[i - 3];
      if (c.in[i] > INT64_MAX / 4) fail("shape", call, " has more than 2^61 numbers along axis ", i - 3, " of ", x);
      if (options.named_padding() == window_padding::same) {
        if (c.stride[i] != 1) fail("size", call, " cannot keep the extents of its input with a stride of ", c.stride[i], "; give the padding in numbers");
        c.before[i] = (c.reach(i) - 1) / 2, c.after[i] = c.reach(i) - 1 - c.before[i];
      }
      if (c.in[i] + c.before[i] + c.after[i] < c.reach(i))
        fail("shape", call, ": a window of ", c.window[i], " numbers that lie ", c.dilation[i], " apart does not fit into ", c.in[i], " with a padding of ", c.before[i], ", axis ", i - 3, " of ", x);
      c.out[i] = (c.in[i] + c.before[i] + c.after[i] - c.reach(i)) / c.stride[i] + 1;
    }
    sizes.value = sizes.shape_of(axes, x.rank() > axes + 1, c.groups * c.features, c.out);
    return sizes;
  }
  /// The layout of which a transposed convolution computes x; its input is the layout's y.
  static convolution_sizes transposed(const char* call, int axes, const shape& y, const shape& w, const convolution_options& options) {
    if (options.named_padding() == window_padding::same) fail("size", call, " has no padding by name; give it in numbers");
    convolution_sizes sizes = read(call, axes, y, w, options, true);
    convolution& c = sizes.layout;
    for (int i = 3 - axes; i < 3; ++i) {
      const std::int64_t more = options.output_padding()[i - 3 + axes];
      if (more >= c.stride[i] && more >= c.dilation[i]) fail("size", call, " has an output padding of ", more, "; it is below the stride, ", c.stride[i], ", or the dilation, ", c.dilation[i]);
      c.out[i] = y[i - 3];
      if (c.out[i] > INT64_MAX / 4 / c.stride[i]) fail("shape", call, " has an output of more than 2^61 numbers along axis ", i - 3);
      c.in[i] = (c.out[i] - 1) * c.stride[i] - 2 * c.before[i] + c.reach(i) + more;
      if (c.out[i] < 1 || c.in[i] < 1) fail("shape", call, " has no output: ", c.out[i], " along axis ", i - 3, " of ", y, " become ", c.in[i]);
    }
    sizes.value = sizes.shape_of(axes, y.rank() > axes + 1, c.groups * c.channels, c.in);
    return sizes;
  }

 private:
  static convolution_sizes read(const char* call, int axes, const shape& x, const shape& w, const convolution_options& options, bool transposed) {
    require_options(call, options, axes);
    const std::int64_t groups = options.groups();
    if (groups < 1) fail("size", call, " has ", groups, " groups; there is at least one");
    const std::int64_t given = x.rank() > axes ? x[-axes - 1] : 0, wanted = w.rank() != axes + 2 ? 0 : transposed ? w[0] : w[1];
    const bool fits = transposed ? given == wanted && wanted % groups == 0 : given % groups == 0 && given / groups == wanted && w[0] % groups == 0;
    if (w.rank() != axes + 2 || (x.rank() != axes + 1 && x.rank() != axes + 2) || !fits)
      fail("shape", call, " cannot take x of shape ", x, " with w of shape ", w, " in ", groups, transposed ? " groups; x is [n, in, …] or [in, …], w is [in, out / groups, …]" : " groups; x is [n, in, …] or [in, …], w is [out, in / groups, …]");
    convolution_sizes sizes;
    convolution& c = sizes.layout;
    c.batch = x.rank() > axes + 1 ? x[0] : 1, c.groups = groups, c.features = w[0] / groups, c.channels = w[1];
    for (int axis = 0; axis < axes; ++axis) {
      const int i = axis + 3 - axes;
      c.window[i] = w[axis + 2], c.stride[i] = options.stride()[axis], c.dilation[i] = options.dilation()[axis], c.before[i] = c.after[i] = options.padding()[axis];
      if (c.window[i] < 1 || c.window[i] > largest_step) fail("shape", call, " has a window of ", c.window[i], " numbers along an axis, w is ", w);
    }
    return sizes;
  }
  shape shape_of(int axes, bool has_batch, std::int64_t channels, const std::int64_t (&spatial)[3]) const {
    std::int64_t extents[5] = {layout.batch};
    int rank = has_batch ? 1 : 0;
    extents[rank++] = channels;
    for (int i = 3 - axes; i < 3; ++i) extents[rank++] = spatial[i];
    return shape(extents, rank);
  }
};

}  // namespace detail
}}  // namespace amphora
