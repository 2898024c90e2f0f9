// y = x · wᵀ + b, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>  // op::linear
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into_on
#include <amphora/ops/kernels.hpp>     // matmul_kernels
#include <amphora/ops/operand.hpp>     // into, add_to, no_gradient, operand
#include <amphora/ops/product.hpp>     // product
#include <amphora/ops/reduction.hpp>   // sum_over

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Says that a linear layer has no bias.
struct no_bias { using format = not_a_format; };
/// Says that nothing is fused.
struct no_relu {};
/// Says that a relu is done in the same pass: after a forward call, or before a backward one's x came to be.
struct with_relu {};
/// Says that a gelu, in the form of tanh, is done in the same pass, on the sums before they are rounded. Forward alone: its gradient needs
/// what comes before it, which is not kept.
struct with_gelu {};

namespace detail {

inline view<const float> operand(no_bias) { return view<const float>(static_cast<const float*>(nullptr)); }

/// The sizes of a linear layer: x [..., k], w [n, k] or [k].
struct linear_sizes {
  std::int64_t rows = 0, n = 0, k = 0;
  shape value;

  linear_sizes(const char* call, const shape& x, const shape& w) {
    if (x.rank() < 1 || w.rank() < 1 || w.rank() > 2 || x[-1] != w[-1])
      fail("shape", call, " cannot multiply x of shape ", x, " with w of shape ", w, "; x is [..., in], w is [out, in]");
    k = x[-1], n = w.rank() == 2 ? w[0] : 1, rows = x.product(0, x.rank() - 1);
    std::int64_t extents[shape::max_rank] = {};
    for (int i = 0; i < x.rank() - 1; ++i) extents[i] = x[i];
    extents[x.rank() - 1] = n;
    value = shape(extents, w.rank() == 2 ? x.rank() : x.rank() - 1);
  }
};

template <class Read, class Accumulate, class Context, class Y, class X, class W, class B>
void linear_forward(Context& context, const view<Y>& y, const view<const X>& x, const view<const W>& w, const view<const B>& b, bool has_bias, bool relu, bool gelu) {
  const linear_sizes sizes("linear", x.shape(), w.shape());
  require_shape("linear", "an output", y.shape(), sizes.value);
  if (has_bias) require_shape("linear", "a bias", b.shape(), w.shape().rank() == 2 ? shape{sizes.n} : shape{});
  product p;
  p.m = sizes.rows, p.n = sizes.n, p.k = sizes.k, p.b_transposed = true, p.has_bias = has_bias, p.relu = relu, p.gelu = gelu;
  matmul_kernels<typename Context::device>::template run<Accumulate>(context, p, write(y), read_as<Read>(x), read_as<Read>(w), read_as<Read>(b), source<f32>{});
}

template <class Read, class Accumulate, class Context, class G, class X, class W, class GX, class GW, class GB>
void linear_gradients(Context& context, const view<const G>& grad, const view<const X>& x, const view<const W>& w, const GX& gx, const GW& gw, const GB& gb, bool relu) {
  using kernels = matmul_kernels<typename Context::device>;
  const linear_sizes sizes("linear_backward", x.shape(), w.shape());
  require_shape("linear_backward", "a gradient of the output", grad.shape(), sizes.value);
  if constexpr (is_gradient_target_v<GX>) require_shape("linear_backward", "a gradient of x", memory_of(gx).shape(), x.shape());
  if constexpr (is_gradient_target_v<GW>) require_shape("linear_backward", "a gradient of w", memory_of(gw).shape(), w.shape());
  if constexpr (is_gradient_target_v<GB>) require_shape("linear_backward", "a gradient of b", memory_of(gb).shape(), w.shape().rank() == 2 ? shape{sizes.n} : shape{});
  if constexpr (is_gradient_target_v<GW>) {
    product p;
    p.m = sizes.n, p.n = sizes.k, p.k = sizes.rows, p.a_transposed = true;
    kernels::template run<Accumulate>(context, p, gradient_target(gw), read_as<Read>(grad), read_as<Read>(x), source<f32>{}, source<f32>{});
  }
  if constexpr (is_gradient_target_v<GB>)
    sum_over<Accumulate>(context, gradient_target(gb), read_as<Read>(grad), reduction_of(shape{sizes.rows, sizes.n}, axis_set::of({0}, 2)), 1);
  if constexpr (is_gradient_target_v<GX>) {
    product p;
    p.m = sizes.rows, p.n = sizes.k, p.k = sizes.n, p.has_mask = relu;
    kernels::template run<Accumulate>(context, p, gradient_target(gx), read_as<Read>(grad), read_as<Read>(w), source<f32>{}, read(x));
  }
}

}  // namespace detail

/// x · wᵀ + b, a contraction: operands are read in the policy's compute format, sums run in float, the result is rounded once.
///
/// x       [..., in]
/// w       [out, in], or [in] for one output without an axis of its own
/// b       [out], or no_bias{}
/// relu    with_relu{}: max(0, ·) in the same pass, to the same bits as amphora::relu after it; or with_gelu{}
/// Value   a tensor [..., out] in the policy's output format; linear<Policy>(context, into(y), x, …) writes it to y instead
/// Errors  shape; nothing is written before
template <class Policy, class Context, class X, class W, class B = no_bias, class Relu = no_relu, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto linear(Context& context, const X& x, const W& w, const B& b = {}, Relu relu = {}) {
  using result = detail::result_t<Policy, op::linear, Context, X, W, B>;
  if constexpr (detail::may_call_on<Context, Policy, op::linear, X, W, B>()) {
    const detail::linear_sizes sizes("linear", detail::operand(x).shape(), detail::operand(w).shape());
    return detail::made<result>(context, sizes.value, [&](auto y) { linear<Policy>(context, into(y), x, w, b, relu); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class Y, class X, class W, class B = no_bias, class Relu = no_relu>
void linear(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, Relu = {}) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::linear, Y, X, W, B>())
    linear_forward<compute_t<Policy, op::linear, given_t<X>, given_t<W>, given_t<B>>, accumulate_t<Policy, op::linear, given_t<X>, given_t<W>, given_t<B>>>(
        context, y.target, operand(x), operand(w), operand(b), !std::is_same_v<B, no_bias>, std::is_same_v<Relu, with_relu>, std::is_same_v<Relu, with_gelu>);
}

/// The gradients of linear, each written where the caller says, in the format of that memory.
///
/// grad        [..., out], the gradient of the value
/// x, w        as forward had them
/// gx, gw, gb  into(view) to write, add_to(view) to accumulate, no_gradient{} for what is not wanted
/// relu        with_relu{}: x came out of a relu, and gx is the gradient before it
/// Errors      shape; nothing is written before
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB = no_gradient, class Relu = no_relu,
          std::enable_if_t<detail::is_gradient_choice_v<GX> && !std::is_same_v<Relu, with_gelu>, int> = 0>
void linear_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb = {}, Relu = {}) {
  using namespace detail;
  if constexpr (detail::may_call_on<Context, Policy, op::linear, X, W>())
    linear_gradients<compute_t<Policy, op::linear, given_t<X>, given_t<W>>, accumulate_t<Policy, op::linear, given_t<X>, given_t<W>>>(
        context, operand(grad), operand(x), operand(w), gx, gw, gb, std::is_same_v<Relu, with_relu>);
}

/// The gradients of linear as fresh tensors: x and w in their own formats, b in w's.
template <class X, class W> struct linear_result { X x; W w; W b; };
template <class Policy, class Context, class G, class X, class W>
auto linear_backward(Context& context, const G& grad, const X& x, const W& w) {
  using gradient_x = detail::gradient_of_t<X, Context>;
  using gradient_w = detail::gradient_of_t<W, Context>;
  const shape shape_w = detail::operand(w).shape();
  linear_result<gradient_x, gradient_w> result{gradient_x(context, detail::operand(x).shape()), gradient_w(context, shape_w),
      gradient_w(context, shape_w.rank() == 2 ? shape{shape_w[0]} : shape{})};
  linear_backward<Policy>(context, grad, x, w, into(result.x), into(result.w), into(result.b));
  return result;
}

}}  // namespace amphora
