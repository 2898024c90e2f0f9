// A change of format that is written down, and plain copies.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/ops/call.hpp>     // made, gradient_of_t
#include <amphora/ops/kernels.hpp>  // map_kernels, memory_kernels, make_loops
#include <amphora/ops/operand.hpp>  // into, operand

#include <cstdint>      // int64_t
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct as_it_is {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x) const { return x; }
};

template <class Context, class Target, class X>
void cast_to(const char* call, Context& context, const Target& y, const shape& shape_y, const view<const X>& x) {
  require_shape(call, "an output", shape_y, x.shape());
  if (y.add) map_kernels<typename Context::device>::run(context, as_it_is{}, make_loops<1>(x.shape(), {&x.shape()}), y, read(x));
  else memory_kernels<typename Context::device>::convert(context, y, read(x), x.size());
}

}  // namespace detail

/// x in another format, each number rounded once. No policy decides: this is the cast that a strict policy asks for.
///
/// Format  of the value; numbers beyond an 8-bit format's largest become the largest
/// Value   a tensor of x's shape; cast(context, into(y), x) writes to y, in y's format
template <class Format, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto cast(Context& context, const X& x) {
  return detail::made<tensor_of_t<Format, Context>>(context, detail::operand(x).shape(), [&](auto y) { cast(context, into(y), x); });
}
template <class Context, class Y, class X>
void cast(Context& context, into<Y> y, const X& x) {
  detail::cast_to("cast", context, detail::write(y.target), y.target.shape(), detail::operand(x));
}
/// The gradient of a cast: grad in x's format; of x only shape and format are looked at.
template <class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto cast_backward(Context& context, const G& grad, const X& x) {
  detail::require_shape("cast_backward", "a gradient of the value", detail::operand(grad).shape(), detail::operand(x).shape());
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { cast(context, into(gx), grad); });
}
template <class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void cast_backward(Context& context, const Target& gx, const G& grad) {
  detail::cast_to("cast_backward", context, detail::gradient_target(gx), detail::memory_of(gx).shape(), detail::operand(grad));
}

/// The same numbers elsewhere on the device, bit by bit.
///
/// from, to  views of one storage type (integers too) and one shape, which do not overlap
template <class Context, class T>
void copy(Context& context, view<const T> from, view<T> to) {
  detail::require_shape("copy", "a target", to.shape(), from.shape());
  detail::memory_kernels<typename Context::device>::copy(context, from.data(), to.data(), from.size() * static_cast<std::int64_t>(sizeof(T)));
}
template <class Context, class T>
void copy(Context& context, const tensor<T, Context>& from, tensor<T, Context>& to) { copy(context, from.view(), to.view()); }

/// One value everywhere.
template <class Context, class T>
void fill(Context& context, view<T> to, const T& value) { detail::memory_kernels<typename Context::device>::fill(context, value, to.data(), to.size()); }
template <class Context, class T>
void fill(Context& context, tensor<T, Context>& to, const T& value) { fill(context, to.view(), value); }

}}  // namespace amphora
