// x1ᵀ · w · x2 + b for each output, forward and backward.
#pragma once
#include <amphora/op/promoting.hpp>           // op::bilinear
#include <amphora/ops/add.hpp>                // add_value
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made
#include <amphora/ops/cast.hpp>               // cast
#include <amphora/ops/kernels.hpp>            // map_kernels, make_loops
#include <amphora/ops/linear.hpp>             // no_bias
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/reduction.hpp>          // sum_over
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product, product_gradients
#include <amphora/policy/compute.hpp>         // compute_t, in_memory_t

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The sizes of a bilinear layer: x1 [..., i], x2 [..., j], w [out, i, j].
struct bilinear_sizes {
  symmetric_product inner;  ///< x2 · wᵀ: [rows, out, i]
  symmetric_product outer;  ///< that times x1: [rows, out]
  shape between, value, bias;

  bilinear_sizes(const char* call, const shape& x1, const shape& x2, const shape& w) {
    bool fits = x1.rank() >= 1 && x1.rank() == x2.rank() && w.rank() == 3 && w[1] == x1[-1] && w[2] == x2[-1];
    for (int axis = 0; fits && axis < x1.rank() - 1; ++axis) fits = x1[axis] == x2[axis];
    if (!fits) fail("shape", call, " cannot join x1 of shape ", x1, ", x2 of shape ", x2, " and w of shape ", w, "; they are [..., i], [..., j] and [out, i, j]");
    const std::int64_t rows = x1.product(0, x1.rank() - 1);
    inner = symmetric_product::of_rows(rows, w[0] * w[1], w[2], true);
    const shape batch{rows};
    outer = {w[0], 1, w[1], false, false, batch, batch, batch, batch, 1};
    between = shape{rows, w[0], w[1]}, value = x1.with(-1, w[0]), bias = shape{w[0]};
  }
};

template <class Policy, class... X> struct bilinear_formats {
  using reads = compute_t<Policy, op::bilinear, given_t<X>...>;
  using sums = accumulate_t<Policy, op::bilinear, given_t<X>...>;
  using between = arithmetic_format_t<reads, sums>;  ///< x2 · wᵀ stays a float
};

/// An operand as it is multiplied: rounded to Read first where its own format says more.
template <class Read, class Context, class X> auto as_multiplied(Context& context, const X& x) {
  using given = given_t<X>;
  if constexpr (Read::significand_bits < given::significand_bits || Read::exponent_bits < given::exponent_bits) return cast<in_memory_t<Read>>(context, x);
  else return operand(x);
}

}  // namespace detail

/// x1ᵀ · w[o] · x2 + b[o] for each output o, in the widest input format: all sums are in float, and the result is rounded once.
///
/// x1, x2  [..., i], [..., j]
/// w       [out, i, j]
/// b       [out], or no_bias{}
/// Value   [..., out]; bilinear<Policy>(context, into(y), x1, x2, w, b) writes it to y
/// Errors  shape
/// Cost    rows · out · i floats between its two products
template <class Policy, class Context, class X1, class X2, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X1>, int> = 0>
auto bilinear(Context& context, const X1& x1, const X2& x2, const W& w, const B& b = {}) {
  using namespace detail;
  using result = result_t<Policy, op::bilinear, Context, X1, X2, W, B>;
  if constexpr (may_call_on<Context, Policy, op::bilinear, X1, X2, W, B>())
    return made<result>(context, bilinear_sizes("bilinear", operand(x1).shape(), operand(x2).shape(), operand(w).shape()).value, [&](auto y) { bilinear<Policy>(context, into(y), x1, x2, w, b); });
  else return result{};
}
template <class Policy, class Context, class Y, class X1, class X2, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<W>, int> = 0>
void bilinear(Context& context, into<Y> y, const X1& x1, const X2& x2, const W& w, const B& b = {}) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::bilinear, Y, X1, X2, W, B>()) {
    using formats = bilinear_formats<Policy, X1, X2, W, B>;
    const bilinear_sizes sizes("bilinear", operand(x1).shape(), operand(x2).shape(), operand(w).shape());
    require_shape("bilinear", "an output", y.target.shape(), sizes.value);
    if constexpr (!std::is_same_v<B, no_bias>) require_shape("bilinear", "a bias", operand(b).shape(), sizes.bias);
    tensor_of_t<typename formats::between, Context> between(context, sizes.between);
    run_matmul<typename formats::reads, typename formats::sums>(context, sizes.inner.loops(), write(between.view()), operand(x2), operand(w));
    const auto left = as_multiplied<typename formats::reads>(context, x1);
    product p = sizes.outer.loops();
    if constexpr (std::is_same_v<B, no_bias>) {
      run_matmul<typename formats::between, typename formats::sums>(context, p, write(y.target), operand(between), operand(left));
    } else {  // a row for each matrix [out, 1] is a column: the sums stay floats until it is added
      tensor_of_t<typename formats::between, Context> sums(context, sizes.value);
      run_matmul<typename formats::between, typename formats::sums>(context, p, write(sums.view()), operand(between), operand(left));
      map_kernels<typename Context::device>::run(context, add_value{1}, make_loops<2>(sizes.value, {&sizes.value, &sizes.bias}), write(y.target), read(operand(sums)),
                                                 read_as<typename formats::reads>(operand(b)));
    }
  }
}

/// The gradients of bilinear.
///
/// g1, g2, gw, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X1, class X2, class W, class G1, class G2, class GW, class GB = no_gradient, std::enable_if_t<detail::is_gradient_choice_v<G1>, int> = 0>
void bilinear_backward(Context& context, const G& grad, const X1& x1, const X2& x2, const W& w, const G1& g1, const G2& g2, const GW& gw, const GB& gb = {}) {
  using namespace detail;
  if constexpr (may_call_on<Context, Policy, op::bilinear, X1, X2, W>()) {
    using formats = bilinear_formats<Policy, X1, X2, W>;
    using reads = typename formats::reads;
    using sums = typename formats::sums;
    constexpr const char* call = "bilinear_backward";
    const bilinear_sizes sizes(call, operand(x1).shape(), operand(x2).shape(), operand(w).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<G1>) require_shape(call, "a gradient of x1", memory_of(g1).shape(), operand(x1).shape());
    if constexpr (is_gradient_target_v<G2>) require_shape(call, "a gradient of x2", memory_of(g2).shape(), operand(x2).shape());
    if constexpr (is_gradient_target_v<GW>) require_shape(call, "a gradient of w", memory_of(gw).shape(), operand(w).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), sizes.bias);
    if constexpr (is_gradient_target_v<GB>)
      sum_over<sums>(context, gradient_target(gb), read_as<reads>(operand(grad)), reduction_of(shape{sizes.between[0], sizes.between[1]}, axis_set::of({0}, 2)), 1);
    if constexpr (is_gradient_target_v<G1>) {
      tensor_of_t<typename formats::between, Context> between(context, sizes.between);
      run_matmul<reads, sums>(context, sizes.inner.loops(), write(between.view()), operand(x2), operand(w));
      product_gradients<typename formats::between, sums>(context, sizes.outer, operand(grad), operand(between), operand(x1), no_gradient{}, g1);
    }
    if constexpr (is_gradient_target_v<G2> || is_gradient_target_v<GW>) {
      tensor_of_t<typename formats::between, Context> of_between(context, sizes.between);
      const auto left = as_multiplied<reads>(context, x1);
      product_gradients<typename formats::between, sums>(context, sizes.outer, operand(grad), operand(of_between), operand(left), into(of_between), no_gradient{});
      product_gradients<reads, sums>(context, sizes.inner, operand(of_between), operand(x2), operand(w), g2, gw);
    }
  }
}
/// As fresh tensors: x1, x2 and w in their own formats, b in w's.
template <class X1, class X2, class W> struct bilinear_result { X1 x1; X2 x2; W w; W b; };
template <class Policy, class Context, class G, class X1, class X2, class W>
auto bilinear_backward(Context& context, const G& grad, const X1& x1, const X2& x2, const W& w) {
  using namespace detail;
  using of_w = gradient_of_t<W, Context>;
  const shape shape_w = operand(w).shape();
  bilinear_result<gradient_of_t<X1, Context>, gradient_of_t<X2, Context>, of_w> result{
      {context, operand(x1).shape()}, {context, operand(x2).shape()}, of_w(context, shape_w), of_w(context, shape_w.rank() == 3 ? shape{shape_w[0]} : shape{})};
  bilinear_backward<Policy>(context, grad, x1, x2, w, into(result.x1), into(result.x2), into(result.w), into(result.b));
  return result;
}

}}  // namespace amphora
