// Matrix products with PyTorch's rules for vectors and batches, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>  // op::matmul
#include <amphora/ops/call.hpp>        // result_t, require_into_on, made
#include <amphora/ops/kernels.hpp>     // matmul_kernels, broadcast
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/product.hpp>     // product

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The sizes of a [..., m, k] · b [..., k, n] with broadcast batches; a vector stands for one row or one column.
struct matmul_sizes {
  std::int64_t m = 1, n = 1, k = 0;
  shape batch, value;
  shape batch_a, batch_b;

  matmul_sizes(const char* call, const shape& a, const shape& b) {
    if (a.rank() < 1 || b.rank() < 1 || a[-1] != (b.rank() == 1 ? b[0] : b[-2]))
      fail("shape", call, " cannot multiply a of shape ", a, " with b of shape ", b, "; a is [..., m, k], b is [..., k, n]");
    const bool row = a.rank() == 1, column = b.rank() == 1;
    k = a[-1], m = row ? 1 : a[-2], n = column ? 1 : b[-1];
    batch_a = leading(a), batch_b = leading(b), batch = broadcast(call, batch_a, batch_b);
    std::int64_t extents[shape::max_rank + 2] = {};
    int rank = 0;
    for (; rank < batch.rank(); ++rank) extents[rank] = batch[rank];
    if (!row) extents[rank++] = m;
    if (!column) extents[rank++] = n;
    value = shape(extents, rank);
  }
  static shape leading(const shape& s) {
    std::int64_t extents[shape::max_rank] = {};
    for (int i = 0; i < s.rank() - 2; ++i) extents[i] = s[i];
    return shape(extents, s.rank() > 2 ? s.rank() - 2 : 0);
  }
  /// How far an operand of matrices of `size` numbers moves along an axis of the batch.
  std::int64_t stride(const shape& own, int axis, std::int64_t size) const {
    const int at = axis - (batch.rank() - own.rank());
    return at < 0 || own[at] == 1 ? 0 : own.product(at + 1, own.rank()) * size;
  }
  bool is_spread(const shape& own, int axis) const {
    const int at = axis - (batch.rank() - own.rank());
    return (at < 0 || own[at] == 1) && batch[axis] != 1;
  }

  /// b is one matrix for all rows of a, whatever a's batch.
  bool is_one_matrix() const { return batch_b.elements() == 1 && batch_b.rank() <= batch_a.rank(); }

  product forward() const {
    product p;
    p.m = m, p.n = n, p.k = k;
    if (is_one_matrix()) p.m *= batch.elements();
    else
      for (int i = 0; i < batch.rank(); ++i) p.kept.add(batch[i], stride(batch_a, i, m * k), stride(batch_b, i, k * n), batch.product(i + 1, batch.rank()) * m * n);
    return p;
  }
  /// gradient of a = grad · bᵀ
  product for_a() const {
    product p;
    p.m = m, p.n = k, p.k = n, p.b_transposed = true;
    if (is_one_matrix()) p.m *= batch.elements();
    else
      for (int i = 0; i < batch.rank(); ++i)
        (is_spread(batch_a, i) ? p.summed : p.kept).add(batch[i], batch.product(i + 1, batch.rank()) * m * n, stride(batch_b, i, k * n), stride(batch_a, i, m * k));
    return p;
  }
  /// gradient of b = aᵀ · grad
  product for_b() const {
    product p;
    p.m = k, p.n = n, p.k = m, p.a_transposed = true;
    if (is_one_matrix()) p.k *= batch.elements();
    else
      for (int i = 0; i < batch.rank(); ++i)
        (is_spread(batch_b, i) ? p.summed : p.kept).add(batch[i], stride(batch_a, i, m * k), batch.product(i + 1, batch.rank()) * m * n, stride(batch_b, i, k * n));
    return p;
  }
};

template <class Read, class Accumulate, class Context, class C, class A, class B>
void run_matmul(Context& context, const product& p, const target<C>& c, const view<const A>& a, const view<const B>& b) {
  matmul_kernels<typename Context::device>::template run<Accumulate>(context, p, c, read_as<Read>(a), read_as<Read>(b), source<f32>{}, source<f32>{});
}

}  // namespace detail

/// a · b, a contraction: operands are read in the policy's compute format, sums run in float, the result is rounded once.
///
/// a       [..., m, k], or [k] for one row
/// b       [..., k, n], or [k] for one column; the leading axes broadcast
/// Value   [..., m, n] without the axes that vectors do not have, in the policy's output format
/// Errors  shape; nothing is written before
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto matmul(Context& context, const A& a, const B& b) {
  using result = detail::result_t<Policy, op::matmul, Context, A, B>;
  if constexpr (detail::may_call_on<Context, Policy, op::matmul, A, B>()) {
    const detail::matmul_sizes sizes("matmul", detail::operand(a).shape(), detail::operand(b).shape());
    return detail::made<result>(context, sizes.value, [&](auto c) { matmul<Policy>(context, into(c), a, b); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class C, class A, class B>
void matmul(Context& context, into<C> c, const A& a, const B& b) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::matmul, C, A, B>()) {
    const matmul_sizes sizes("matmul", operand(a).shape(), operand(b).shape());
    require_shape("matmul", "an output", c.target.shape(), sizes.value);
    run_matmul<compute_t<Policy, op::matmul, given_t<A>, given_t<B>>, accumulate_t<Policy, op::matmul, given_t<A>, given_t<B>>>(
        context, sizes.forward(), write(c.target), operand(a), operand(b));
  }
}

/// The gradients of matmul. Axes along which an operand was broadcast are summed, in float, before the one rounding.
///
/// grad    of the value's shape
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void matmul_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  using namespace detail;
  if constexpr (detail::may_call_on<Context, Policy, op::matmul, A, B>()) {
    using read = compute_t<Policy, op::matmul, given_t<A>, given_t<B>>;
    using accumulate = accumulate_t<Policy, op::matmul, given_t<A>, given_t<B>>;
    const matmul_sizes sizes("matmul_backward", operand(a).shape(), operand(b).shape());
    require_shape("matmul_backward", "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GA>) require_shape("matmul_backward", "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape("matmul_backward", "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    if constexpr (is_gradient_target_v<GA>) run_matmul<read, accumulate>(context, sizes.for_a(), gradient_target(ga), operand(grad), operand(b));
    if constexpr (is_gradient_target_v<GB>) run_matmul<read, accumulate>(context, sizes.for_b(), gradient_target(gb), operand(a), operand(grad));
  }
}
template <class Policy, class Context, class G, class A, class B>
auto matmul_backward(Context& context, const G& grad, const A& a, const B& b) {
  auto result = detail::fresh_pair(context, a, b);
  matmul_backward<Policy>(context, grad, a, b, into(result.first), into(result.second));
  return result;
}

}}  // namespace amphora
