// Matrix products whose gradients are products of their own kind: what all ops of matrices are made of, explicit and on a tape.
#pragma once
#include <amphora/ops/matmul.hpp>    // matmul_sizes, run_matmul
#include <amphora/ops/operand.hpp>   // gradient_target, is_gradient_target_v
#include <amphora/ops/product.hpp>   // product
#include <amphora/tensor/shape.hpp>  // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// c [m, n] = factor · op(a) [m, k] · op(b) [k, n] for each matrix of a batch. An axis of the batch that an operand lacks is broadcast in
/// it, one that the result lacks is summed. With a factor of 0 neither operand is read.
struct symmetric_product {
  std::int64_t m = 0, n = 0, k = 0;
  bool a_transposed = false, b_transposed = false;
  shape batch, batch_a, batch_b, batch_c;
  double factor = 1;

  static symmetric_product of_rows(std::int64_t rows, std::int64_t n, std::int64_t k, bool b_transposed) { return {rows, n, k, false, b_transposed, {}, {}, {}, {}, 1}; }
  static symmetric_product of(const matmul_sizes& s) {
    if (s.is_one_matrix()) return of_rows(s.m * s.batch.elements(), s.n, s.k, false);
    return {s.m, s.n, s.k, false, false, s.batch, s.batch_a, s.batch_b, s.batch, 1};
  }
  /// The gradient of a, of the operands (c, b), or (b, c) where a is transposed.
  symmetric_product for_a() const {
    if (a_transposed) return {k, m, n, b_transposed, true, batch, batch_b, batch_c, batch_a, factor};
    return {m, k, n, false, !b_transposed, batch, batch_c, batch_b, batch_a, factor};
  }
  /// The gradient of b, of the operands (a, c), or (c, a) where b is transposed.
  symmetric_product for_b() const {
    if (b_transposed) return {n, k, m, true, a_transposed, batch, batch_c, batch_a, batch_b, factor};
    return {k, n, m, !a_transposed, false, batch, batch_a, batch_c, batch_b, factor};
  }
  product loops() const {
    product p;
    p.m = m, p.n = n, p.k = k, p.a_transposed = a_transposed, p.b_transposed = b_transposed, p.factor = factor;
    for (int i = 0; i < batch.rank(); ++i)
      (has(batch_c, i) || batch[i] == 1 ? p.kept : p.summed).add(batch[i], stride(batch_a, i, m * k), stride(batch_b, i, k * n), stride(batch_c, i, m * n));
    if (factor == 0) p.k = 0;
    return p;
  }

 private:
  bool has(const shape& own, int axis) const {
    const int at = axis - (batch.rank() - own.rank());
    return at >= 0 && own[at] == batch[axis];
  }
  std::int64_t stride(const shape& own, int axis, std::int64_t size) const {
    return has(own, axis) ? own.product(axis - (batch.rank() - own.rank()) + 1, own.rank()) * size : 0;
  }
};

/// The gradients of the operands, where they are wanted.
template <class Read, class Accumulate, class Context, class G, class A, class B, class GA, class GB>
void product_gradients(Context& context, const symmetric_product& p, const view<const G>& grad, const view<const A>& a, const view<const B>& b, const GA& ga, const GB& gb) {
  if constexpr (is_gradient_target_v<GA>) {
    const product loops = p.for_a().loops();
    if (p.a_transposed) run_matmul<Read, Accumulate>(context, loops, gradient_target(ga), b, grad);
    else run_matmul<Read, Accumulate>(context, loops, gradient_target(ga), grad, b);
  }
  if constexpr (is_gradient_target_v<GB>) {
    const product loops = p.for_b().loops();
    if (p.b_transposed) run_matmul<Read, Accumulate>(context, loops, gradient_target(gb), grad, a);
    else run_matmul<Read, Accumulate>(context, loops, gradient_target(gb), a, grad);
  }
}

}}}  // namespace amphora::detail
