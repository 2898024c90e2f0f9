// How a pooling goes over its input, as a caller says it, and the layout that this gives.
#pragma once
#include <amphora/error.hpp>                    // fail
#include <amphora/ops/convolution_options.hpp>  // per_axis, require_numbers
#include <amphora/ops/pool_layout.hpp>          // pool_window
#include <amphora/tensor/shape.hpp>             // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// max_pool_options{}.stride(2).padding(1): what is not said is a stride of the window's size, no padding, a dilation of 1, and no window past the end.
class max_pool_options {
 public:
  constexpr max_pool_options stride(per_axis each) const { return with(&max_pool_options::stride_, each).with(&max_pool_options::strides_, true); }
  /// So many places on each side, less than any number: at most half of the window.
  constexpr max_pool_options padding(per_axis each) const { return with(&max_pool_options::padding_, each); }
  /// How far apart a window's numbers lie.
  constexpr max_pool_options dilation(per_axis each) const { return with(&max_pool_options::dilation_, each); }
  /// Also a last window that begins on the input, or on the padding before it, and ends past it (PyTorch's ceil_mode).
  constexpr max_pool_options ceil(bool yes = true) const { return with(&max_pool_options::ceil_, yes); }

  constexpr const per_axis& stride_or(const per_axis& size) const { return strides_ ? stride_ : size; }
  constexpr const per_axis& padding() const { return padding_; }
  constexpr const per_axis& dilation() const { return dilation_; }
  constexpr bool ceils() const { return ceil_; }

 private:
  template <class T> constexpr max_pool_options with(T max_pool_options::*member, const T& value) const {
    max_pool_options result = *this;
    result.*member = value;
    return result;
  }
  per_axis stride_ = 1, padding_ = 0, dilation_ = 1;
  bool strides_ = false, ceil_ = false;
};

/// avg_pool_options{}.stride(2).padding(1): what is not said is a stride of the window's size, no padding, no window past the end, and zeros of the
/// padding that count.
class avg_pool_options {
 public:
  constexpr avg_pool_options stride(per_axis each) const { return with(&avg_pool_options::stride_, each).with(&avg_pool_options::strides_, true); }
  /// So many zeros on each side: at most half of the window.
  constexpr avg_pool_options padding(per_axis each) const { return with(&avg_pool_options::padding_, each); }
  /// As of max_pool_options. Places past the padding never count.
  constexpr avg_pool_options ceil(bool yes = true) const { return with(&avg_pool_options::ceil_, yes); }
  /// Whether the padding counts in what a window is divided by (PyTorch's count_include_pad).
  constexpr avg_pool_options count_padding(bool yes) const { return with(&avg_pool_options::counts_, yes); }
  /// Divides every window by this number (PyTorch's divisor_override).
  constexpr avg_pool_options divisor(std::int64_t number) const { return with(&avg_pool_options::divisor_, number).with(&avg_pool_options::divides_, true); }

  constexpr const per_axis& stride_or(const per_axis& size) const { return strides_ ? stride_ : size; }
  constexpr const per_axis& padding() const { return padding_; }
  constexpr bool ceils() const { return ceil_; }
  constexpr bool counts_padding() const { return counts_; }
  constexpr bool has_divisor() const { return divides_; }
  constexpr std::int64_t divisor() const { return divisor_; }

 private:
  template <class T> constexpr avg_pool_options with(T avg_pool_options::*member, const T& value) const {
    avg_pool_options result = *this;
    result.*member = value;
    return result;
  }
  per_axis stride_ = 1, padding_ = 0;
  std::int64_t divisor_ = 0;
  bool strides_ = false, ceil_ = false, counts_ = true, divides_ = false;
};

/// Of adaptive_avg_pool: as many windows as the input has numbers along that axis (PyTorch's None).
inline constexpr std::int64_t same_extent = -1;

namespace detail {

/// The windows over x [n, channels, in…] or [channels, in…], and the shape of the value.
struct pool_sizes {
  pool_window window;
  shape value;

  static pool_sizes largest(const char* call, int axes, const shape& x, const per_axis& size, const max_pool_options& o) {
    return of(call, axes, x, size, o.stride_or(size), o.padding(), o.dilation(), o.ceils());
  }
  static pool_sizes average(const char* call, int axes, const shape& x, const per_axis& size, const avg_pool_options& o) {
    if (o.has_divisor() && o.divisor() == 0) fail("size", call, " has a divisor of 0");
    pool_sizes sizes = of(call, axes, x, size, o.stride_or(size), o.padding(), 1, o.ceils());
    sizes.window.counts_padding = o.counts_padding(), sizes.window.divisor = o.divisor();
    return sizes;
  }
  static pool_sizes adaptive(const char* call, int axes, const shape& x, const per_axis& out) {
    require_numbers(call, "number of windows", out, axes, same_extent);
    pool_sizes sizes = planes_of(call, axes, x);
    pool_window& w = sizes.window;
    w.adaptive = true;
    for (int i = 3 - axes; i < 3; ++i) {
      w.out[i] = out[i - 3 + axes] == same_extent ? w.in[i] : out[i - 3 + axes];
      if (w.in[i] > largest_step) fail("size", call, " has more than 2^31 numbers along axis ", i - 3, " of ", x);
    }
    return sizes.with_value(axes, x);
  }

 private:
  static pool_sizes planes_of(const char* call, int axes, const shape& x) {
    if (x.rank() != axes + 1 && x.rank() != axes + 2) fail("shape", call, " needs x with ", axes, " spatial axes after [channels] or [batch, channels], not ", x);
    pool_sizes sizes;
    sizes.window.planes = x.product(0, x.rank() - axes);
    for (int i = 3 - axes; i < 3; ++i) {
      sizes.window.in[i] = x[i - 3];
      if (x[i - 3] == 0) fail("shape", call, " has nothing to pool along axis ", i - 3, " of ", x);
    }
    return sizes;
  }
  static pool_sizes of(const char* call, int axes, const shape& x, const per_axis& size, const per_axis& stride, const per_axis& padding, const per_axis& dilation, bool ceil) {
    require_numbers(call, "window", size, axes, 1), require_numbers(call, "stride", stride, axes, 1);
    require_numbers(call, "padding", padding, axes, 0), require_numbers(call, "dilation", dilation, axes, 1);
    pool_sizes sizes = planes_of(call, axes, x);
    pool_window& w = sizes.window;
    for (int i = 3 - axes; i < 3; ++i) {
      const int own = i - 3 + axes;
      w.size[i] = size[own], w.padding[i] = padding[own], w.dilation[i] = dilation[own], w.stride[i] = stride[own];
      const std::int64_t reach = (w.size[i] - 1) * w.dilation[i] + 1;
      if (w.padding[i] > reach / 2) fail("size", call, " has a padding of ", w.padding[i], "; it is at most half of the window, which reaches over ", reach);
      if (w.in[i] > INT64_MAX / 4) fail("shape", call, " has more than 2^61 numbers along axis ", i - 3, " of ", x);
      const std::int64_t room = w.in[i] + 2 * w.padding[i] - reach + (ceil ? w.stride[i] - 1 : 0);
      w.out[i] = room < 0 ? 0 : room / w.stride[i] + 1;
      if (ceil && (w.out[i] - 1) * w.stride[i] >= w.in[i] + w.padding[i]) --w.out[i];  // it would begin past the input
      if (w.out[i] < 1) fail("shape", call, ": a window that reaches over ", reach, " does not fit into ", w.in[i], " with a padding of ", w.padding[i], ", axis ", i - 3, " of ", x);
    }
    return sizes.with_value(axes, x);
  }
  pool_sizes with_value(int axes, const shape& x) {
    value = x;
    for (int i = 3 - axes; i < 3; ++i) value = value.with(i - 3, window.out[i]);
    return *this;
  }
};

}  // namespace detail
}}  // namespace amphora
