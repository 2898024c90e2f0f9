// A batch of matrix products as a device is asked for it: sizes, how the operands lie, what happens to the result.
#pragma once
#include <amphora/tensor/shape.hpp>  // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A nest of loops over the matrices of a batch, and how far each operand moves in it, in elements.
struct batch_loops {
  int rank = 0;
  std::int64_t extent[shape::max_rank] = {};
  std::int64_t a[shape::max_rank] = {}, b[shape::max_rank] = {}, c[shape::max_rank] = {};

  void add(std::int64_t size, std::int64_t stride_a, std::int64_t stride_b, std::int64_t stride_c) {
    if (size == 1) return;
    extent[rank] = size, a[rank] = stride_a, b[rank] = stride_b, c[rank] = stride_c;
    ++rank;
  }
  std::int64_t count() const {
    std::int64_t result = 1;
    for (int i = 0; i < rank; ++i) result *= extent[i];
    return result;
  }
};

/// c [m, n] = factor · Σ over `summed` of op(a) [m, k] · op(b) [k, n], for each matrix of `kept`.
///
/// The sum runs in float (double for f64), then the epilogue, then one rounding.
struct product {
  std::int64_t m = 0, n = 0, k = 0;  ///< with k = 0 nothing is read, and the result is 0
  double factor = 1;          ///< of the sums, before the epilogue
  bool a_transposed = false;  ///< a lies as [k, m]
  bool b_transposed = false;  ///< b lies as [n, k]
  batch_loops kept;           ///< matrices of the result
  batch_loops summed;         ///< matrices that are added into one: what was broadcast on the way forward
  bool has_bias = false;      ///< epilogue: a row [n] is added to each row
  bool relu = false;          ///< epilogue: negative results become 0
  bool gelu = false;          ///< epilogue: gelu of the result, in the form of tanh
  bool has_mask = false;      ///< epilogue: where the mask [m, n] is not positive, the result becomes 0
};

}}}  // namespace amphora::detail
