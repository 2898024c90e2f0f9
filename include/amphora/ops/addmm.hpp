// beta · input + alpha · (a product), forward and backward: addmm, addmv, addr, addbmm, baddbmm.
#pragma once
#include <amphora/detail/config.hpp>          // AMPHORA_HD
#include <amphora/format/real.hpp>            // add_once, multiply_once
#include <amphora/op/contraction.hpp>         // op::addmm
#include <amphora/ops/add.hpp>                // unbroadcast, times_factor
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made
#include <amphora/ops/function.hpp>           // gradient_triple
#include <amphora/ops/kernels.hpp>            // map_kernels, matmul_kernels, make_loops, broadcast
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product, product_gradients

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct scaled_sum {
  double beta;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real input, Real sum) const { return add_once(multiply_once(static_cast<Real>(beta), input), sum); }
};

/// The product of one of these ops, and the shape of its value.
struct added_product {
  symmetric_product p;
  shape value;
};
template <class Op>
added_product added_product_of(const char* call, const shape& input, const shape& a, const shape& b, double alpha) {
  constexpr bool of_vectors = std::is_same_v<Op, op::addr>, by_vector = std::is_same_v<Op, op::addmv>, sums = std::is_same_v<Op, op::addbmm>;
  constexpr bool batched = sums || std::is_same_v<Op, op::baddbmm>;
  constexpr int rank_a = batched ? 3 : of_vectors ? 1 : 2, rank_b = batched ? 3 : of_vectors || by_vector ? 1 : 2;
  constexpr const char* due = batched ? "a is [batch, m, k], b is [batch, k, n]" : of_vectors ? "a is [m], b is [n]" : by_vector ? "a is [m, k], b is [k]" : "a is [m, k], b is [k, n]";
  if (a.rank() != rank_a || b.rank() != rank_b || (batched && a[0] != b[0]) || (!of_vectors && a[-1] != b[by_vector ? 0 : batched ? 1 : 0]))
    fail("shape", call, " cannot multiply a of shape ", a, " with b of shape ", b, "; ", due);
  added_product result;
  symmetric_product& p = result.p;
  p.factor = alpha;
  if constexpr (batched) {
    p.m = a[1], p.k = a[2], p.n = b[2], p.batch = p.batch_a = p.batch_b = shape{a[0]};
    if constexpr (!sums) p.batch_c = p.batch;
    result.value = sums ? shape{p.m, p.n} : shape{a[0], p.m, p.n};
  } else if constexpr (of_vectors) {
    p.m = a[0], p.k = 1, p.n = b[0], result.value = shape{p.m, p.n};
  } else {
    p.m = a[0], p.k = a[1], p.n = by_vector ? 1 : b[-1], result.value = by_vector ? shape{p.m} : shape{p.m, p.n};
  }
  if (broadcast(call, input, result.value) != result.value) fail("shape", call, " cannot broadcast an input of shape ", input, " to the product's ", result.value);
  return result;
}

template <class Policy, class Op, class... X> using added_read_t = compute_t<Policy, Op, given_t<X>...>;
template <class Policy, class Op, class... X> using added_sum_t = accumulate_t<Policy, Op, given_t<X>...>;

/// One rounding. What is multiplied by 0 is not read.
template <class Policy, class Op, class Context, class Y, class X, class A, class B>
void add_product_into(const char* call, Context& context, const into<Y>& y, const X& input, const A& a, const B& b, double beta, double alpha) {
  if constexpr (require_into_on<Context, Policy, Op, Y, X, A, B>()) {
    using device = typename Context::device;
    using reads = added_read_t<Policy, Op, X, A, B>;
    using sums = added_sum_t<Policy, Op, X, A, B>;
    const auto x = operand(input);
    const added_product sizes = added_product_of<Op>(call, x.shape(), operand(a).shape(), operand(b).shape(), alpha);
    require_shape(call, "an output", y.target.shape(), sizes.value);
    product p = sizes.p.loops();
    const bool is_row = x.shape().rank() > 0 && x.shape()[-1] == p.n && x.shape().elements() == p.n && sizes.value[-1] == p.n;
    if (beta == 0) return run_matmul<reads, sums>(context, p, write(y.target), operand(a), operand(b));
    if (beta == 1 && is_row && alpha != 0) {
      p.has_bias = true;
      return matmul_kernels<device>::template run<sums>(context, p, write(y.target), read_as<reads>(operand(a)), read_as<reads>(operand(b)), read_as<reads>(x), source<f32>{});
    }
    if (alpha == 0) return map_kernels<device>::run(context, times_factor{beta}, make_loops<1>(sizes.value, {&x.shape()}), write(y.target), read_as<reads>(x));
    tensor_of_t<arithmetic_format_t<reads, sums>, Context> sum(context, sizes.value);
    run_matmul<reads, sums>(context, p, write(sum.view()), operand(a), operand(b));
    map_kernels<device>::run(context, scaled_sum{beta}, make_loops<2>(sizes.value, {&x.shape(), &sizes.value}), write(y.target), read_as<reads>(x), read(operand(sum)));
  }
}
template <class Policy, class Op, class Context, class X, class A, class B>
auto add_product_made(const char* call, Context& context, const X& input, const A& a, const B& b, double beta, double alpha) {
  using result = result_t<Policy, Op, Context, X, A, B>;
  if constexpr (may_call_on<Context, Policy, Op, X, A, B>())
    return made<result>(context, added_product_of<Op>(call, operand(input).shape(), operand(a).shape(), operand(b).shape(), alpha).value,
                        [&](auto y) { add_product_into<Policy, Op>(call, context, into(y), input, a, b, beta, alpha); });
  else return result{};
}
template <class Policy, class Op, class Context, class G, class X, class A, class B, class GX, class GA, class GB>
void add_product_gradients_into(const char* call, Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta, double alpha) {
  if constexpr (may_call_on<Context, Policy, Op, X, A, B>()) {
    const added_product sizes = added_product_of<Op>(call, operand(input).shape(), operand(a).shape(), operand(b).shape(), alpha);
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GX>) require_shape(call, "a gradient of the input", memory_of(gx).shape(), operand(input).shape());
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    if constexpr (is_gradient_target_v<GX>) unbroadcast<given_t<G>>(context, gx, operand(grad), operand(input).shape(), beta);
    product_gradients<added_read_t<Policy, Op, X, A, B>, added_sum_t<Policy, Op, X, A, B>>(context, sizes.p, operand(grad), operand(a), operand(b), ga, gb);
  }
}
template <class Policy, class Op, class Context, class G, class X, class A, class B>
auto add_product_gradients(const char* call, Context& context, const G& grad, const X& input, const A& a, const B& b, double beta, double alpha) {
  gradient_triple<gradient_of_t<X, Context>, gradient_of_t<A, Context>, gradient_of_t<B, Context>> result{{context, operand(input).shape()}, {context, operand(a).shape()}, {context, operand(b).shape()}};
  add_product_gradients_into<Policy, Op>(call, context, grad, input, a, b, into(result.first), into(result.second), into(result.third), beta, alpha);
  return result;
}

}  // namespace detail

/// beta · input + alpha · (a · b), a contraction: operands are read in the policy's compute format, all arithmetic is in float, and the result is
/// rounded once. What is multiplied by a beta or alpha of 0 is not read, so that a NaN in it stays there.
///
/// input   of a shape that broadcasts to the value's
/// a, b    [m, k], [k, n]
/// Value   [m, n]; addmm<Policy>(context, into(y), input, a, b) writes it to y, which may be input
/// Errors  shape
/// Cost    one pass where beta is 0, or where beta is 1 and input is a row; else the product in float and a second pass
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addmm(Context& context, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_made<Policy, op::addmm>("addmm", context, input, a, b, beta, alpha);
}
template <class Policy, class Context, class Y, class X, class A, class B>
void addmm(Context& context, into<Y> y, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  detail::add_product_into<Policy, op::addmm>("addmm", context, y, input, a, b, beta, alpha);
}

/// The gradients of addmm: `.first` is input's, `.second` a's, `.third` b's. Of input only shape and format are looked at.
///
/// gx, ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class A, class B>
auto addmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_gradients<Policy, op::addmm>("addmm_backward", context, grad, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta = 1, double alpha = 1) {
  detail::add_product_gradients_into<Policy, op::addmm>("addmm_backward", context, grad, input, a, b, gx, ga, gb, beta, alpha);
}

/// The same for a vector.
///
/// a, b  [m, k], [k]
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addmv(Context& context, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_made<Policy, op::addmv>("addmv", context, input, a, b, beta, alpha);
}
template <class Policy, class Context, class Y, class X, class A, class B>
void addmv(Context& context, into<Y> y, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  detail::add_product_into<Policy, op::addmv>("addmv", context, y, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B>
auto addmv_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_gradients<Policy, op::addmv>("addmv_backward", context, grad, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addmv_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta = 1, double alpha = 1) {
  detail::add_product_gradients_into<Policy, op::addmv>("addmv_backward", context, grad, input, a, b, gx, ga, gb, beta, alpha);
}

/// The same for the outer product of two vectors.
///
/// a, b  [m], [n]
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addr(Context& context, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_made<Policy, op::addr>("addr", context, input, a, b, beta, alpha);
}
template <class Policy, class Context, class Y, class X, class A, class B>
void addr(Context& context, into<Y> y, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  detail::add_product_into<Policy, op::addr>("addr", context, y, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B>
auto addr_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_gradients<Policy, op::addr>("addr_backward", context, grad, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addr_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta = 1, double alpha = 1) {
  detail::add_product_gradients_into<Policy, op::addr>("addr_backward", context, grad, input, a, b, gx, ga, gb, beta, alpha);
}

/// The same for the sum of a batch of products.
///
/// a, b   [batch, m, k], [batch, k, n]
/// Value  [m, n]
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addbmm(Context& context, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_made<Policy, op::addbmm>("addbmm", context, input, a, b, beta, alpha);
}
template <class Policy, class Context, class Y, class X, class A, class B>
void addbmm(Context& context, into<Y> y, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  detail::add_product_into<Policy, op::addbmm>("addbmm", context, y, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B>
auto addbmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_gradients<Policy, op::addbmm>("addbmm_backward", context, grad, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addbmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta = 1, double alpha = 1) {
  detail::add_product_gradients_into<Policy, op::addbmm>("addbmm_backward", context, grad, input, a, b, gx, ga, gb, beta, alpha);
}

/// The same for each of a batch of products.
///
/// a, b   [batch, m, k], [batch, k, n]
/// Value  [batch, m, n]
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto baddbmm(Context& context, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_made<Policy, op::baddbmm>("baddbmm", context, input, a, b, beta, alpha);
}
template <class Policy, class Context, class Y, class X, class A, class B>
void baddbmm(Context& context, into<Y> y, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  detail::add_product_into<Policy, op::baddbmm>("baddbmm", context, y, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B>
auto baddbmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_gradients<Policy, op::baddbmm>("baddbmm_backward", context, grad, input, a, b, beta, alpha);
}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void baddbmm_backward(Context& context, const G& grad, const X& input, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double beta = 1, double alpha = 1) {
  detail::add_product_gradients_into<Policy, op::baddbmm>("baddbmm_backward", context, grad, input, a, b, gx, ga, gb, beta, alpha);
}

}}  // namespace amphora
