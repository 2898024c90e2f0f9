// A batch of products as calls of cuBLAS: row-major as column-major, loops as strides. Host code; nothing runs here.
#pragma once
#include <amphora/detail/text.hpp>       // text
#include <amphora/format/format_id.hpp>  // format_id, name_of
#include <amphora/ops/product.hpp>       // product, batch_loops

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The same matrices in the same order with fewer loops: neighbours become one wherever all three operands run through both in one go.
inline batch_loops joined(const batch_loops& loops) {
  batch_loops result;
  for (int i = 0; i < loops.rank; ++i) {
    const std::int64_t size = loops.extent[i];
    const int last = result.rank - 1;
    if (last >= 0 && result.a[last] == loops.a[i] * size && result.b[last] == loops.b[i] * size && result.c[last] == loops.c[i] * size) {
      result.extent[last] *= size, result.a[last] = loops.a[i], result.b[last] = loops.b[i], result.c[last] = loops.c[i];
    } else {
      result.add(size, loops.a[i], loops.b[i], loops.c[i]);
    }
  }
  return result;
}

/// Whether the matrices of the result lie one after the other, in the order of the loops.
inline bool is_dense(const product& p) {
  std::int64_t due = p.m * p.n;
  for (int i = p.kept.rank - 1; i >= 0; due *= p.kept.extent[i--])
    if (p.kept.c[i] != due) return false;
  return true;
}

/// How many numbers of an operand a product reads, from its first on: `stride` is batch_loops::a or ::b.
inline std::int64_t span(const product& p, std::int64_t matrix, std::int64_t (batch_loops::*stride)[shape::max_rank]) {
  std::int64_t result = matrix;
  for (const batch_loops* loops : {&p.kept, &p.summed})
    for (int i = 0; i < loops->rank; ++i) result += (loops->extent[i] - 1) * (loops->*stride)[i];
  return result;
}

/// One call of cuBLAS. Row-major C [m, n] = op(A) · op(B) is column-major Cᵀ [n, m] = op(B)ᵀ · op(A)ᵀ, and a row-major matrix is
/// its own transpose column-major: b comes first, and nothing is moved. All sizes are 64-bit, as cuBLAS takes them.
struct gemm {
  std::int64_t rows, columns, depth;            ///< n, m, k
  bool first_transposed, second_transposed;     ///< b, a
  std::int64_t first_ld, second_ld, result_ld;  ///< leading dimensions, in numbers
  std::int64_t batches = 1, first_stride = 0, second_stride = 0, result_stride = 0;

  explicit gemm(const product& p)
      : rows(p.n), columns(p.m), depth(p.k), first_transposed(p.b_transposed), second_transposed(p.a_transposed),
        first_ld(p.b_transposed ? p.k : p.n), second_ld(p.a_transposed ? p.m : p.k), result_ld(p.n) {}
};

/// Calls call(gemm, offset of a, of b, of c, is first) for all products, so that kept matrices of each summed term are as few calls as can be.
template <class Call>
void for_each_gemm(const product& p, Call&& call) {
  gemm one(p);
  batch_loops kept = joined(p.kept);
  if (kept.rank > 0) {
    const int last = --kept.rank;
    one.batches = kept.extent[last], one.first_stride = kept.b[last], one.second_stride = kept.a[last], one.result_stride = kept.c[last];
  }
  const batch_loops summed = joined(p.summed);
  const std::int64_t terms = summed.count(), outer = kept.count();
  for (std::int64_t term = 0; term < terms; ++term)
    for (std::int64_t matrix = 0; matrix < outer; ++matrix) {
      std::int64_t a = 0, b = 0, c = 0;
      const auto move = [&](const batch_loops& loops, std::int64_t index) {
        for (int i = loops.rank - 1; i >= 0; index /= loops.extent[i--]) {
          const std::int64_t at = index % loops.extent[i];
          a += at * loops.a[i], b += at * loops.b[i], c += at * loops.c[i];
        }
      };
      move(kept, matrix), move(summed, term);
      call(one, a, b, c, term == 0);
    }
}

/// A product for a message: `a [3, 4] · b [4, 5] in f16 to f32, 6 of them`.
struct product_name {
  const product& p;
  format_id operands, result;
  void describe(text& to) const {
    to.append(" of a ["), to.append(p.m), to.append(", "), to.append(p.k), to.append("] · b ["), to.append(p.k), to.append(", "), to.append(p.n), to.append("]");
    to.append(" in "), to.append(name_of(operands)), to.append(" to "), to.append(name_of(result));
    if (p.kept.count() * p.summed.count() != 1) to.append(", "), to.append(p.kept.count() * p.summed.count()), to.append(" of them");
  }
};

}}}  // namespace amphora::detail
