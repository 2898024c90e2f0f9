// Sums of products along one axis of two arrays that broadcast, forward and backward.
#pragma once
#include <amphora/error.hpp>                 // fail
#include <amphora/op/contraction.hpp>        // op::linalg_vecdot
#include <amphora/ops/contraction.hpp>       // contraction
#include <amphora/ops/contraction_call.hpp>  // contract_made, contract_into, contract_gradients
#include <amphora/ops/kernels.hpp>           // broadcast
#include <amphora/ops/operand.hpp>           // into, is_operand_v, is_gradient_choice_v
#include <amphora/tensor/shape.hpp>          // shape

#include <cstdint>      // int64_t
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Σ along one axis of the broadcast shape.
struct vecdot_axis { int axis; };
inline contraction contraction_of(const char* call, const vecdot_axis& along, const shape& a, const shape& b) {
  const shape wide = broadcast(call, a, b);
  const int summed = along.axis < 0 ? along.axis + wide.rank() : along.axis;
  if (summed < 0 || summed >= wide.rank()) fail("shape", call, " has no axis ", along.axis, " in ", wide);
  contraction x;
  x.of[0] = a, x.of[1] = b;
  std::int64_t extents[shape::max_rank] = {};
  int rank = 0;
  for (int axis = 0; axis < wide.rank(); ++axis) {
    for (int array = 0; array < 2; ++array) {
      const int own = axis - (wide.rank() - x.of[array].rank());
      if (own >= 0) x.label[array][own] = x.of[array][own] == 1 ? -1 : axis;
    }
    if (axis != summed) x.label[2][rank] = wide[axis] == 1 ? -1 : axis, extents[rank++] = wide[axis];
  }
  x.of[2] = shape(extents, rank);
  return x;
}

}  // namespace detail

/// Σ a · b along one axis, a contraction.
///
/// a, b   shapes that broadcast
/// axis   of the broadcast shape; negative ones count from the end
/// Value  the broadcast shape without that axis
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto vecdot(Context& context, const A& a, const B& b, int axis = -1) { return detail::contract_made<Policy, op::linalg_vecdot>("vecdot", detail::vecdot_axis{axis}, context, a, b); }
template <class Policy, class Context, class C, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
void vecdot(Context& context, into<C> c, const A& a, const B& b, int axis = -1) {
  detail::contract_into<Policy, op::linalg_vecdot>("vecdot", detail::vecdot_axis{axis}, context, c, a, b);
}
template <class Policy, class Context, class G, class A, class B>
auto vecdot_backward(Context& context, const G& grad, const A& a, const B& b, int axis = -1) {
  return detail::contract_gradients<Policy, op::linalg_vecdot>("vecdot_backward", detail::vecdot_axis{axis}, context, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void vecdot_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, int axis = -1) {
  detail::contract_gradients_into<Policy, op::linalg_vecdot>("vecdot_backward", detail::vecdot_axis{axis}, context, grad, a, b, ga, gb);
}

}}  // namespace amphora
