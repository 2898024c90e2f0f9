// Softmax of the scores of an attention: which places take part, and what is added to them; for the device's kernels.
#pragma once
#include <amphora/detail/config.hpp>     // AMPHORA_HD
#include <amphora/format/format_id.hpp>  // format_id
#include <amphora/ops/kernels.hpp>       // loops

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Lines of scores, and how a mask lies over them. A place that is left out counts as −inf, whatever stands there.
struct masked_lines {
  std::int64_t lines = 0, length = 0;
  std::int64_t rows = 1;               ///< lines of one matrix
  bool causal = false;                 ///< in row i of a matrix, the places after i are left out
  const void* mask = nullptr;          ///< null for none
  format_id added = format_id::none;   ///< of what the mask adds; none: bools, of which false leaves a place out
  loops<1> over;                       ///< how the mask moves from line to line
  std::int64_t step = 0;               ///< and from place to place

  AMPHORA_HD std::int64_t row(std::int64_t line) const { return line % rows; }
  /// Where the mask of a line begins.
  AMPHORA_HD std::int64_t first(std::int64_t line) const {
    std::int64_t at = 0;
    for (int axis = over.rank - 1; axis >= 0; --axis) {
      at += line % over.extent[axis] * over.stride[0][axis];
      line /= over.extent[axis];
    }
    return at;
  }
};

/// p = softmax of a masked line, in float or double; 0 everywhere in a line of −inf:
///
///     forward(context, lines, target of p, scores)
///     backward(context, lines, target, grad, scores)   p (grad − Σ grad p)
///     bend(context, lines, target, h, grad, scores)    the slope by the scores of Σ h · backward
///                                                      = p ((h − Σ h p) (grad − Σ grad p) − (Σ h grad p − Σ h p Σ grad p))
template <class Device> struct masked_softmax_kernels;

}}}  // namespace amphora::detail
