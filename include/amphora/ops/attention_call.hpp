// An attention as a device is asked for it that does all of it in one kernel.
#pragma once
#include <amphora/ops/dropout.hpp>         // dropout_mask
#include <amphora/ops/masked_softmax.hpp>  // masked_lines

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// For each matrix its own q [rows, width], k [keys, width] and v [keys, out].
struct attention_call {
  std::int64_t matrices = 0, rows = 0, keys = 0, width = 0, out = 0;
  std::int64_t queries = 0;  ///< rows of one head: heads that share keys follow each other
  double scale = 1;          ///< of the products of queries and keys
  masked_lines lines;        ///< over the scores [matrices, rows, keys]
  dropout_mask dropout;      ///< of the weights; none with a threshold of 0
};

/// Whether a device has one kernel for it all, is_fused; elsewhere an attention is products, a softmax and products. The kernel:
///
///     forward<Formats>(context, call, target of y, q, k, v)
///     backward<Formats>(context, call, grad, q, k, v, targets of gq, gk and gv)   without data where none is wanted; written in the order gv, gq,
///                                                                                 gk, since they may share memory
template <class Device> struct attention_kernels;

}}}  // namespace amphora::detail
