// Products of two arrays whose axes have names, forward and backward: einsum, tensordot and vecdot.
#pragma once
#include <amphora/op/contraction.hpp>   // op::einsum, op::linalg_vecdot
#include <amphora/op/promoting.hpp>     // op::tensordot
#include <amphora/ops/call.hpp>         // result_t, require_into_on, may_call_on, made, fresh_pair
#include <amphora/ops/contraction.hpp>  // contraction, contract
#include <amphora/ops/operand.hpp>      // into, operand
#include <amphora/ops/reduction.hpp>    // axes

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Gives each name an extent, by NumPy's rule, and a label where that is not 1.
class label_names {
 public:
  static constexpr int letters = 52, names = letters + shape::max_rank;

  /// A to Z, then a to z: the order of an implicit result. −1 for what is no letter.
  static int name_of(char letter) { return letter >= 'A' && letter <= 'Z' ? letter - 'A' : letter >= 'a' && letter <= 'z' ? 26 + letter - 'a' : -1; }
  /// An axis of an ellipsis, counted from its end.
  static int of_ellipsis(int from_end) { return letters + from_end; }

  bool add(int name, std::int64_t extent) {
    ++count[name];
    if (count[name] == 1 || size[name] == 1) size[name] = extent;
    return extent == 1 || size[name] == extent;
  }
  int label(int name, std::int64_t extent) {
    if (extent == 1) return -1;
    if (its_label[name] == 0) its_label[name] = ++labels_;
    return its_label[name] - 1;
  }

  std::int64_t size[names] = {};
  int count[names] = {};

 private:
  int its_label[names] = {}, labels_ = 0;
};

/// An equation of einsum: the names of each operand's axes and of the result's.
struct einsum_equation {
  struct names {
    int count = 0, before = 0;  ///< letters; of them those before the ellipsis
    bool has_ellipsis = false;
    int name[shape::max_rank] = {};

    int rank_of_ellipsis(const shape& s) const { return has_ellipsis ? s.rank() - count : 0; }
    /// The name of an axis of an array whose ellipsis stands for so many axes.
    int at(int axis, int hidden) const { return axis < before ? name[axis] : axis < before + hidden ? label_names::of_ellipsis(before + hidden - 1 - axis) : name[axis - hidden]; }
  };
  names operand[2], result;
  bool is_explicit = false;

  /// Errors  setting
  einsum_equation(const char* call, const char* text) {
    int part = 0;
    for (const char* c = text; *c; ++c) {
      names& to = part == 2 ? result : operand[part];
      if (*c == ' ') continue;
      if (*c == ',') {
        if (part != 0) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
        part = 1;
      } else if (*c == '-' && c[1] == '>') {
        if (part != 1) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
        part = 2, is_explicit = true, ++c;
      } else if (*c == '.' && c[1] == '.' && c[2] == '.') {
        if (to.has_ellipsis) fail("setting", call, " of \"", text, "\": an ellipsis stands twice in one place");
        to.has_ellipsis = true, to.before = to.count, c += 2;
      } else {
        const int name = label_names::name_of(*c);
        if (name < 0) fail("setting", call, " of \"", text, "\": an axis is named by one letter, and only ',', '->', '...' and spaces stand beside them");
        if (to.count == shape::max_rank) fail("setting", call, " of \"", text, "\": at most 8 axes have names in one place");
        to.name[to.count++] = name;
      }
    }
    if (part == 0) fail("setting", call, " of \"", text, "\": exactly two operands are multiplied, as in \"ij,jk->ik\"");
    for (names* each : {&operand[0], &operand[1], &result})
      if (!each->has_ellipsis) each->before = each->count;
  }

  /// Errors  setting, shape
  contraction of(const char* call, const char* text, const shape& a, const shape& b) const {
    label_names known;
    int hidden = 0;
    const shape* const shapes[] = {&a, &b};
    for (int array = 0; array < 2; ++array) {
      const shape& s = *shapes[array];
      const names& own = operand[array];
      const int ellipsis = own.rank_of_ellipsis(s);
      if (ellipsis < 0 || (!own.has_ellipsis && s.rank() != own.count))
        fail("shape", call, " of \"", text, "\": operand ", array, " has shape ", s, " and ", own.count, " named axes");
      hidden = ellipsis > hidden ? ellipsis : hidden;
      for (int axis = 0; axis < s.rank(); ++axis) {
        for (int other = 0; other < axis; ++other)
          if (own.at(axis, ellipsis) == own.at(other, ellipsis) && s[axis] != s[other]) fail("shape", call, " of \"", text, "\": operand ", array, " of shape ", s, " has no diagonal, its extents differ");
        if (!known.add(own.at(axis, ellipsis), s[axis])) fail("shape", call, " of \"", text, "\": an axis has two extents, in a of shape ", a, " and b of shape ", b);
      }
    }
    const names out = is_explicit ? result : implicit(known);
    contraction x;
    x.of[0] = a, x.of[1] = b;
    for (int array = 0; array < 2; ++array)
      for (int axis = 0; axis < shapes[array]->rank(); ++axis)
        x.label[array][axis] = known.label(operand[array].at(axis, operand[array].rank_of_ellipsis(*shapes[array])), (*shapes[array])[axis]);
    const int shown = out.has_ellipsis ? hidden : 0, rank = out.count + shown;
    std::int64_t extents[2 * shape::max_rank] = {};
    if (rank > shape::max_rank) fail("shape", call, " of \"", text, "\": the result has ", rank, " axes, and at most 8 are possible");
    for (int axis = 0; axis < rank; ++axis) {
      const int name = out.at(axis, shown);
      for (int other = 0; other < axis; ++other)
        if (name == out.at(other, shown)) fail("setting", call, " of \"", text, "\": the result names an axis twice");
      if (known.count[name] == 0) fail("setting", call, " of \"", text, "\": the result names an axis that no operand has");
      extents[axis] = known.size[name], x.label[2][axis] = known.label(name, extents[axis]);
    }
    x.of[2] = shape(extents, rank);
    return x;
  }

 private:
  /// The ellipsis, then in the order of the alphabet what stands once.
  names implicit(const label_names& known) const {
    names out;
    out.has_ellipsis = operand[0].has_ellipsis || operand[1].has_ellipsis;
    for (int name = 0; name < label_names::letters; ++name) {
      int times = 0;
      for (const names& each : operand)
        for (int i = 0; i < each.count; ++i) times += each.name[i] == name;
      if (times == 1 && known.count[name] > 0 && out.count < shape::max_rank) out.name[out.count++] = name;
    }
    if (!out.has_ellipsis) out.before = out.count;
    return out;
  }
};
inline contraction contraction_of(const char* call, const char* equation, const shape& a, const shape& b) { return einsum_equation(call, equation).of(call, equation, a, b); }

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

template <class Policy, class Op, class How, class Context, class C, class A, class B>
void contract_into(const char* call, const How& how, Context& context, const into<C>& c, const A& a, const B& b) {
  if constexpr (require_into_on<Context, Policy, Op, C, A, B>()) {
    const contraction x = contraction_of(call, how, operand(a).shape(), operand(b).shape());
    require_shape(call, "an output", c.target.shape(), x.of[2]);
    contract<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>(context, x, write(c.target), operand(a), operand(b));
  }
}
template <class Policy, class Op, class How, class Context, class A, class B>
auto contract_made(const char* call, const How& how, Context& context, const A& a, const B& b) {
  using result = result_t<Policy, Op, Context, A, B>;
  if constexpr (may_call_on<Context, Policy, Op, A, B>())
    return made<result>(context, contraction_of(call, how, operand(a).shape(), operand(b).shape()).of[2], [&](auto c) { contract_into<Policy, Op>(call, how, context, into(c), a, b); });
  else return result{};
}
template <class Policy, class Op, class How, class Context, class G, class A, class B, class GA, class GB>
void contract_gradients_into(const char* call, const How& how, Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  if constexpr (may_call_on<Context, Policy, Op, A, B>()) {
    using reads = compute_t<Policy, Op, given_t<A>, given_t<B>>;
    using sums = accumulate_t<Policy, Op, given_t<A>, given_t<B>>;
    const contraction x = contraction_of(call, how, operand(a).shape(), operand(b).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), x.of[2]);
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), x.of[0]);
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), x.of[1]);
    if constexpr (is_gradient_target_v<GA>) contract<reads, sums>(context, x.for_a(), gradient_target(ga), operand(grad), operand(b));
    if constexpr (is_gradient_target_v<GB>) contract<reads, sums>(context, x.for_b(), gradient_target(gb), operand(a), operand(grad));
  }
}
template <class Policy, class Op, class How, class Context, class G, class A, class B>
auto contract_gradients(const char* call, const How& how, Context& context, const G& grad, const A& a, const B& b) {
  auto result = fresh_pair(context, a, b);
  contract_gradients_into<Policy, Op>(call, how, context, grad, a, b, into(result.first), into(result.second));
  return result;
}

}  // namespace detail

/// The product of two arrays by an equation of the names of their axes: what both have and the result lacks is summed, in float. A contraction:
/// operands are read in the policy's compute format, and the result is rounded once.
///
/// equation  "ij,jk->ik"; a name that one operand has twice is its diagonal; "..." stands for further axes, which broadcast, as axes of extent 1
///           do; without "->" the result has the ellipsis, then in the order of the alphabet the names that stand once
/// Value     einsum<Policy>(context, into(c), equation, a, b) writes it to c
/// Errors    setting  an equation that is none, or not of two operands
///           shape
/// Cost      one batch of matrix products, with a pass before or after it for what does not lie as matrices or their transposes; without sums one pass
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto einsum(Context& context, const char* equation, const A& a, const B& b) { return detail::contract_made<Policy, op::einsum>("einsum", equation, context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void einsum(Context& context, into<C> c, const char* equation, const A& a, const B& b) { detail::contract_into<Policy, op::einsum>("einsum", equation, context, c, a, b); }

/// The gradients of einsum.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B>
auto einsum_backward(Context& context, const char* equation, const G& grad, const A& a, const B& b) {
  return detail::contract_gradients<Policy, op::einsum>("einsum_backward", equation, context, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void einsum_backward(Context& context, const char* equation, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::contract_gradients_into<Policy, op::einsum>("einsum_backward", equation, context, grad, a, b, ga, gb);
}

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
