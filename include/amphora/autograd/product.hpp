// Matrix products in a graph: the gradients of one are products again, so they can be differentiated as often as one likes.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/matmul.hpp>              // matmul_sizes, run_matmul
#include <amphora/ops/product.hpp>             // product
#include <amphora/tensor/shape.hpp>            // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// c [m, n] = op(a) [m, k] · op(b) [k, n] for each matrix of a batch. An axis of the batch that an operand lacks is broadcast in
/// it, one that the result lacks is summed.
struct symmetric_product {
  std::int64_t m = 0, n = 0, k = 0;
  bool a_transposed = false, b_transposed = false;
  shape batch, batch_a, batch_b, batch_c;

  static symmetric_product of_rows(std::int64_t rows, std::int64_t n, std::int64_t k, bool b_transposed) { return {rows, n, k, false, b_transposed, {}, {}, {}, {}}; }
  static symmetric_product of(const matmul_sizes& s) {
    if (s.is_one_matrix()) return of_rows(s.m * s.batch.elements(), s.n, s.k, false);
    return {s.m, s.n, s.k, false, false, s.batch, s.batch_a, s.batch_b, s.batch};
  }
  /// The gradient of a, of the operands (c, b), or (b, c) where a is transposed.
  symmetric_product for_a() const {
    if (a_transposed) return {k, m, n, b_transposed, true, batch, batch_b, batch_c, batch_a};
    return {m, k, n, false, !b_transposed, batch, batch_c, batch_b, batch_a};
  }
  /// The gradient of b, of the operands (a, c), or (c, a) where b is transposed.
  symmetric_product for_b() const {
    if (b_transposed) return {n, k, m, true, a_transposed, batch, batch_c, batch_a, batch_b};
    return {k, n, m, !a_transposed, false, batch, batch_a, batch_c, batch_b};
  }
  product loops() const {
    product p;
    p.m = m, p.n = n, p.k = k, p.a_transposed = a_transposed, p.b_transposed = b_transposed;
    for (int i = 0; i < batch.rank(); ++i)
      (has(batch_c, i) || batch[i] == 1 ? p.kept : p.summed).add(batch[i], stride(batch_a, i, m * k), stride(batch_b, i, k * n), stride(batch_c, i, m * n));
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

template <class Read, class Accumulate>
struct product_record {
  symmetric_product p;

  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    if (p.a_transposed) give(pass, a, p.for_a(), b, gradient);
    else give(pass, a, p.for_a(), gradient, b);
    if (p.b_transposed) give(pass, b, p.for_b(), gradient, a);
    else give(pass, b, p.for_b(), a, gradient);
  }
  /// Gives `to` the product of two variables.
  template <class Pass, class To, class Left, class Right>
  static void give(Pass& pass, const To& to, const symmetric_product& p, const Left& left, const Right& right) {
    pass.write(to, [&](auto target) { run_matmul<Read, Accumulate>(pass.context(), p.loops(), gradient_target(target), left.value(), right.value()); },
               product_record{p}, left, right);
  }
};

}}}  // namespace amphora::detail
