// Running sums and products along an axis, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/reduction.hpp>   // op::cumsum, op::cumprod
#include <amphora/ops/call.hpp>       // result_t, require_into, made
#include <amphora/ops/function.hpp>   // map_all
#include <amphora/ops/operand.hpp>    // into, operand
#include <amphora/ops/scan.hpp>       // scan_kernels, sum_scan, product_scan, recurrence_scan
#include <amphora/ops/softmax.hpp>    // lines_along

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Context, class Function, class Y, class... X>
void scan_into(Context& context, const Function& f, const lines_of& lines, const scan_way& way, const target<Y>& y, const view<const X>&... x) {
  scan_kernels<typename Context::device>::run(context, f, lines, way, y, read(x)...);
}

template <class Policy, class Op, class Context, class Function, class Y, class X>
void cumulative_into(const char* call, Context& context, const Function& f, const into<Y>& y, const X& x, int axis) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    const lines_of lines = lines_along(call, operand(x).shape(), axis);
    require_shape(call, "an output", y.target.shape(), operand(x).shape());
    scan_into(context, f, lines, {}, write(y.target), operand(x));
  }
}
template <class Policy, class Op, class Context, class Function, class X>
auto cumulative_made(const char* call, Context& context, const Function& f, const X& x, int axis) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (may_call<Policy, Op, X>()) return made<result>(context, operand(x).shape(), [&](auto y) { cumulative_into<Policy, Op>(call, context, f, into(y), x, axis); });
  else return result{};
}

template <class Policy, class Context, class Target, class G, class X>
void cumsum_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, int axis) {
  if constexpr (may_call<Policy, op::cumsum, X>()) {
    const lines_of lines = lines_along("cumsum_backward", operand(x).shape(), axis);
    require_shape("cumsum_backward", "a gradient of the value", operand(grad).shape(), operand(x).shape());
    require_shape("cumsum_backward", "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    scan_into(context, sum_scan{}, lines, {true, false}, gradient_target(gx), operand(grad));
  }
}

/// What a place's gradient is made of: the product of what comes before it, and Σ grad · the products of what comes behind it up to there. Nothing is
/// divided, so that it is exact where factors are 0.
struct cumprod_slope {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real before, Real grad, Real behind) const { return before * (grad + behind); }
};
template <class Context, class X>
class cumprod_terms {
 public:
  using format = arithmetic_format_t<format_of_t<X>>;
  using numbers = tensor_of_t<format, Context>;

  cumprod_terms(Context& context, const lines_of& lines, const view<const X>& x) : context_(context), lines_(lines), x_(x) {}

  template <class Function, class... Other> numbers scan(const Function& f, const scan_way& way, const view<const Other>&... other) const {
    numbers result(context_, x_.shape());
    scan_into(context_, f, lines_, way, write(result.view()), x_, other...);
    return result;
  }
  /// The products of what comes before.
  numbers before() const { return scan(product_scan{}, {false, true}); }
  /// Σ grad · the products of what comes behind.
  template <class G> numbers behind(const view<const G>& grad) const { return scan(recurrence_scan{}, {true, true}, grad); }

 private:
  Context& context_;
  lines_of lines_;
  view<const X> x_;
};
template <class Policy, class Context, class Target, class G, class X>
void cumprod_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, int axis) {
  if constexpr (may_call<Policy, op::cumprod, X>()) {
    const auto input = operand(x);
    const lines_of lines = lines_along("cumprod_backward", input.shape(), axis);
    require_shape("cumprod_backward", "a gradient of the value", operand(grad).shape(), input.shape());
    require_shape("cumprod_backward", "a gradient of x", memory_of(gx).shape(), input.shape());
    const cumprod_terms<Context, typename decltype(input)::value_type> terms(context, lines, input);
    const auto before = terms.before(), behind = terms.behind(operand(grad));
    using format = typename decltype(before)::format;
    map_all(list<format, given_t<G>, format>{}, context, cumprod_slope{}, input.shape(), gradient_target(gx), before.view(), operand(grad), behind.view());
  }
}

}  // namespace detail

/// The sums of all numbers up to each, along an axis: a reduction, in double whatever comes in, each rounded once.
///
/// axis    negative ones count from the end
/// Value   x's shape; cumsum<Policy>(context, into(y), x, axis) writes it to y, which may be x itself
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto cumsum(Context& context, const X& x, int axis = -1) { return detail::cumulative_made<Policy, op::cumsum>("cumsum", context, detail::sum_scan{}, x, axis); }
template <class Policy, class Context, class Y, class X>
void cumsum(Context& context, into<Y> y, const X& x, int axis = -1) { detail::cumulative_into<Policy, op::cumsum>("cumsum", context, detail::sum_scan{}, y, x, axis); }

/// The gradient of cumsum; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto cumsum_backward(Context& context, const G& grad, const X& x, int axis = -1) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { detail::cumsum_gradient_into<Policy>(context, into(gx), grad, x, axis); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void cumsum_backward(Context& context, const Target& gx, const G& grad, const X& x, int axis = -1) { detail::cumsum_gradient_into<Policy>(context, gx, grad, x, axis); }

/// The products of all numbers up to each, under the rules of cumsum.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto cumprod(Context& context, const X& x, int axis = -1) { return detail::cumulative_made<Policy, op::cumprod>("cumprod", context, detail::product_scan{}, x, axis); }
template <class Policy, class Context, class Y, class X>
void cumprod(Context& context, into<Y> y, const X& x, int axis = -1) { detail::cumulative_into<Policy, op::cumprod>("cumprod", context, detail::product_scan{}, y, x, axis); }

/// The gradient of cumprod, exact where factors are 0; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto cumprod_backward(Context& context, const G& grad, const X& x, int axis = -1) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { detail::cumprod_gradient_into<Policy>(context, into(gx), grad, x, axis); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void cumprod_backward(Context& context, const Target& gx, const G& grad, const X& x, int axis = -1) { detail::cumprod_gradient_into<Policy>(context, gx, grad, x, axis); }

}}  // namespace amphora
