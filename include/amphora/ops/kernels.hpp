// Where the front hands over to a device: class templates that each device specialises for its tag.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/tensor/shape.hpp>   // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One function of up to three numbers, element by element: run(context, f, layout, target, sources…); f(index, x…) -> y.
template <class Device> struct map_kernels;
/// Matrix products: run(context, product, target, a, b, bias).
template <class Device> struct matmul_kernels;
/// Sums over axes: run(context, reduction, factor, target, x).
template <class Device> struct reduce_kernels;
/// Along one axis: forward(context, axis, …), backward(context, axis, …).
template <class Device> struct softmax_kernels;
/// forward(context, call, …), backward(context, call, …).
template <class Device> struct cross_entropy_kernels;

/// Dropout: run(context, mask, n, target, source).
template <class Device> struct dropout_kernels;
/// Memory as a whole: copy(context, from, to, bytes), fill(context, value, to, n), convert(context, target, source, n).
template <class Device> struct memory_kernels;

/// An array [outer, length, inner] whose lines run along the middle.
struct lines_of {
  std::int64_t outer = 1, length = 1, inner = 1;
  AMPHORA_HD std::int64_t lines() const { return outer * inner; }
  AMPHORA_HD std::int64_t first(std::int64_t line) const { return line / inner * length * inner + line % inner; }
};

/// Up to eight nested loops over one result and up to three operands: extents and how far each operand moves, in elements.
///
/// The innermost loop comes last; an operand that is broadcast along a loop does not move there.
template <int Operands>
struct loops {
  int rank = 0;
  std::int64_t extent[shape::max_rank] = {};
  std::int64_t stride[Operands][shape::max_rank] = {};
  std::int64_t elements = 1;
};

/// The broadcast shape of two, by NumPy's rule; `call` is for the message.
inline shape broadcast(const char* call, const shape& a, const shape& b) {
  std::int64_t extents[shape::max_rank] = {};
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  for (int i = 1; i <= rank; ++i) {
    const std::int64_t x = i <= a.rank() ? a[-i] : 1, y = i <= b.rank() ? b[-i] : 1;
    if (x != y && x != 1 && y != 1) fail("shape", call, " cannot broadcast ", a, " with ", b);
    extents[rank - i] = x == 1 ? y : x;
  }
  return shape(extents, rank);
}

/// The loops over `result`, with neighbouring axes joined wherever all operands run through both in one go.
template <int Operands>
loops<Operands> make_loops(const shape& result, const shape* const (&operands)[Operands]) {
  loops<Operands> all, joined;
  all.elements = joined.elements = result.elements();
  for (int axis = 0; axis < result.rank(); ++axis) {
    if (result[axis] == 1) continue;
    all.extent[all.rank] = result[axis];
    for (int o = 0; o < Operands; ++o) {
      const shape& s = *operands[o];
      const int own = axis - (result.rank() - s.rank());
      all.stride[o][all.rank] = own < 0 || s[own] == 1 ? 0 : s.product(own + 1, s.rank());
    }
    ++all.rank;
  }
  for (int axis = 0; axis < all.rank; ++axis) {
    bool join = joined.rank > 0;
    for (int o = 0; o < Operands && join; ++o)
      join = joined.stride[o][joined.rank - 1] == all.stride[o][axis] * all.extent[axis];
    if (join) joined.extent[joined.rank - 1] *= all.extent[axis];
    else joined.extent[joined.rank++] = all.extent[axis];
    for (int o = 0; o < Operands; ++o) joined.stride[o][joined.rank - 1] = all.stride[o][axis];
  }
  return joined;
}

}}}  // namespace amphora::detail
