// Sums of products over some axes of two arrays, forward and backward.
#pragma once
#include <amphora/error.hpp>                 // fail
#include <amphora/op/promoting.hpp>          // op::tensordot
#include <amphora/ops/contraction.hpp>       // contraction
#include <amphora/ops/contraction_call.hpp>  // contract_made, contract_into, contract_gradients
#include <amphora/ops/operand.hpp>           // into, is_operand_v, is_gradient_choice_v
#include <amphora/ops/reduction.hpp>         // axes
#include <amphora/tensor/shape.hpp>          // shape

#include <cstdint>      // int64_t
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The axes of a against those of b, pair by pair; what is left of a, then of b, is the result.
struct tensordot_axes {
  int last = -1;  ///< so many of a's last axes against b's first; −1: the lists
  axes a, b;
};
inline contraction contraction_of(const char* call, const tensordot_axes& over, const shape& a, const shape& b) {
  const int pairs = over.last >= 0 ? over.last : over.a.count();
  if (pairs > a.rank() || pairs > b.rank() || (over.last < 0 && over.a.count() != over.b.count()))
    fail("shape", call, " cannot pair the axes of a of shape ", a, " and b of shape ", b, "; give as many of a as of b, or a number of a's last ones and b's first");
  contraction x;
  x.of[0] = a, x.of[1] = b;
  bool summed_a[shape::max_rank] = {}, summed_b[shape::max_rank] = {};
  int labels = 0;
  const auto at = [&](const axes& list, int i, const shape& s) {
    const int axis = list[i] < 0 ? list[i] + s.rank() : list[i];
    if (axis < 0 || axis >= s.rank()) fail("shape", call, " has no axis ", list[i], " in ", s);
    return axis;
  };
  for (int i = 0; i < pairs; ++i) {
    const int of_a = over.last >= 0 ? a.rank() - pairs + i : at(over.a, i, a), of_b = over.last >= 0 ? i : at(over.b, i, b);
    if (summed_a[of_a] || summed_b[of_b]) fail("shape", call, " names an axis twice, of a of shape ", a, " or b of shape ", b);
    if (a[of_a] != b[of_b] && a[of_a] != 1 && b[of_b] != 1) fail("shape", call, " pairs axes of different extents, of a of shape ", a, " and b of shape ", b);
    summed_a[of_a] = summed_b[of_b] = true;
    const int label = a[of_a] == 1 && b[of_b] == 1 ? -1 : labels++;
    x.label[0][of_a] = a[of_a] == 1 ? -1 : label, x.label[1][of_b] = b[of_b] == 1 ? -1 : label;
  }
  std::int64_t extents[2 * shape::max_rank] = {};
  int rank = 0, label_of[2 * shape::max_rank] = {};
  for (int array = 0; array < 2; ++array)
    for (int axis = 0; axis < x.of[array].rank(); ++axis) {
      if ((array == 0 ? summed_a : summed_b)[axis]) continue;
      const int label = x.of[array][axis] == 1 ? -1 : labels++;
      x.label[array][axis] = label_of[rank] = label, extents[rank++] = x.of[array][axis];
    }
  x.of[2] = shape(extents, rank);
  for (int axis = 0; axis < rank; ++axis) x.label[2][axis] = label_of[axis];
  return x;
}

}  // namespace detail

/// Σ over the last axes of a against the first of b, in the widest input format with the sum in float.
///
/// last    how many axes are summed
/// Value   what is left of a's axes, then of b's
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto tensordot(Context& context, const A& a, const B& b, int last = 2) {
  return detail::contract_made<Policy, op::tensordot>("tensordot", detail::tensordot_axes{last < 0 ? shape::max_rank + 1 : last, {}, {}}, context, a, b);
}
/// The same over pairs of axes: tensordot<Policy>(context, a, b, axes{1, 0}, axes{0, 1}).
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto tensordot(Context& context, const A& a, const B& b, const axes& of_a, const axes& of_b) {
  return detail::contract_made<Policy, op::tensordot>("tensordot", detail::tensordot_axes{-1, of_a, of_b}, context, a, b);
}
template <class Policy, class Context, class C, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
void tensordot(Context& context, into<C> c, const A& a, const B& b, int last = 2) {
  detail::contract_into<Policy, op::tensordot>("tensordot", detail::tensordot_axes{last < 0 ? shape::max_rank + 1 : last, {}, {}}, context, c, a, b);
}
template <class Policy, class Context, class C, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
void tensordot(Context& context, into<C> c, const A& a, const B& b, const axes& of_a, const axes& of_b) {
  detail::contract_into<Policy, op::tensordot>("tensordot", detail::tensordot_axes{-1, of_a, of_b}, context, c, a, b);
}
template <class Policy, class Context, class G, class A, class B>
auto tensordot_backward(Context& context, const G& grad, const A& a, const B& b, int last = 2) {
  return detail::contract_gradients<Policy, op::tensordot>("tensordot_backward", detail::tensordot_axes{last < 0 ? shape::max_rank + 1 : last, {}, {}}, context, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B>
auto tensordot_backward(Context& context, const G& grad, const A& a, const B& b, const axes& of_a, const axes& of_b) {
  return detail::contract_gradients<Policy, op::tensordot>("tensordot_backward", detail::tensordot_axes{-1, of_a, of_b}, context, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void tensordot_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, int last = 2) {
  detail::contract_gradients_into<Policy, op::tensordot>("tensordot_backward", detail::tensordot_axes{last < 0 ? shape::max_rank + 1 : last, {}, {}}, context, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void tensordot_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, const axes& of_a, const axes& of_b) {
  detail::contract_gradients_into<Policy, op::tensordot>("tensordot_backward", detail::tensordot_axes{-1, of_a, of_b}, context, grad, a, b, ga, gb);
}

}}  // namespace amphora
