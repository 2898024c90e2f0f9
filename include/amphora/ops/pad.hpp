// Numbers around an array, or an array without its edges, forward and backward.
#pragma once
#include <amphora/op/transparent.hpp>  // op::pad
#include <amphora/ops/movement.hpp>    // movement, move
#include <amphora/ops/resample.hpp>    // resampling, resample

#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI {

/// What stands around a padded array.
enum class pad_mode {
  constant,   ///< a value
  reflect,    ///< the array in a mirror that does not repeat its edge
  replicate,  ///< the nearest number
  circular,   ///< the array again, from the other end
};

/// How an array is padded: {left, right} of the last axis, then of the one before, and so on, as PyTorch has it. Negative amounts crop.
struct pad_settings {
  std::int64_t amount[2 * shape::max_rank] = {};
  int count = 0;
  pad_mode mode = pad_mode::constant;
  double value = 0;  ///< of constant

  /// Errors  setting
  pad_settings(std::initializer_list<std::int64_t> amounts, pad_mode its_mode = pad_mode::constant, double its_value = 0) : mode(its_mode), value(its_value) {
    if (amounts.size() % 2 != 0 || amounts.size() > 2 * shape::max_rank) detail::fail("setting", "pad takes two amounts an axis, of up to 8 axes, not ", static_cast<int>(amounts.size()));
    for (std::int64_t each : amounts) amount[count++] = each;
  }
};

namespace detail {

/// Settings that suit a shape.
struct pad_plan {
  shape from, to;
  pad_settings settings;

  /// Errors  shape, setting
  pad_plan(const char* call, const shape& s, const pad_settings& its_settings) : from(s), to(s), settings(its_settings) {
    const int axes = settings.count / 2;
    if (axes > s.rank()) fail("shape", call, " is given amounts for ", axes, " axes where x has shape ", s);
    if (settings.mode != pad_mode::constant && axes > 3) fail("setting", call, ": only a constant is put around more than 3 axes, not around ", axes);
    std::int64_t extents[shape::max_rank] = {};
    for (int axis = 0; axis < s.rank(); ++axis) extents[axis] = s[axis] + left(axis) + right(axis);
    for (int axis = 0; axis < s.rank(); ++axis) {
      const std::int64_t l = left(axis), r = right(axis), n = s[axis], whole = n + (l < 0 ? l : 0) + (r < 0 ? r : 0);
      if (extents[axis] < 0 || whole < 0) fail("shape", call, " by (", l, ", ", r, ") would leave less than nothing of axis ", axis, " of ", s);
      if (l <= 0 && r <= 0) continue;
      const bool is_too_far = settings.mode == pad_mode::reflect ? l >= n || r >= n : settings.mode == pad_mode::circular ? l > whole || r > whole : settings.mode == pad_mode::replicate && n == 0;
      if (is_too_far) fail("shape", call, " by (", l, ", ", r, ") reaches past axis ", axis, " of ", s, "; a reflection must be smaller than the axis, a circle not larger");
    }
    to = shape(extents, s.rank());
  }
  std::int64_t left(int axis) const { return amount(axis, 0); }
  std::int64_t right(int axis) const { return amount(axis, 1); }
  bool is_constant() const { return settings.mode == pad_mode::constant; }

  /// To the padded array, each place from where it comes; or back, each from where it went.
  movement forward() const {
    movement m;
    m.value = settings.value;
    for (int axis = 0; axis < from.rank(); ++axis) {
      m.x_first -= left(axis) * from.product(axis + 1, from.rank());
      m.add(to[axis], to.product(axis + 1, to.rank()), from.product(axis + 1, from.rank()), left(axis), left(axis) + from[axis]);
    }
    return m;
  }
  movement backward() const {
    movement m;
    for (int axis = 0; axis < from.rank(); ++axis) {
      m.x_first += left(axis) * to.product(axis + 1, to.rank());
      m.add(from[axis], from.product(axis + 1, from.rank()), to.product(axis + 1, to.rank()), -left(axis), to[axis] - left(axis));
    }
    return m;
  }
  resampling around() const {
    resampling result;
    const int axes = settings.count / 2;
    result.planes = from.product(0, from.rank() - axes);
    for (int k = 0; k < axes; ++k) {
      const int axis = from.rank() - 1 - k;
      resampled_axis& its = result.axis[2 - k];
      its.in = from[axis], its.out = to[axis], its.left = left(axis), its.right = right(axis);
      its.map = settings.mode == pad_mode::reflect ? axis_map::reflect : settings.mode == pad_mode::circular ? axis_map::circular : axis_map::replicate;
    }
    return result;
  }

 private:
  std::int64_t amount(int axis, int end) const {
    const int at = 2 * (from.rank() - 1 - axis) + end;
    return at < settings.count ? settings.amount[at] : 0;
  }
};
template <class Read, class Context, class Y, class X>
void padded_into(Context& context, const pad_plan& plan, const target<Y>& y, const view<const X>& x) {
  if (plan.to.elements() == 0) return;
  if (plan.is_constant()) move<Read>(context, plan.forward(), y, x);
  else resample<Read>(context, plan.around(), y, x);
}
template <class Context, class Target, class G>
void pad_gradient_into(Context& context, const pad_plan& plan, const Target& gx, const view<const G>& grad) {
  if (plan.from.elements() == 0) return;
  if (plan.is_constant()) move<format_of_t<G>>(context, plan.backward(), gradient_target(gx), grad);
  else resample_back(context, plan.around(), gx, grad);
}

}  // namespace detail

/// x with numbers around it, each of x moved as it is.
///
///     amp::pad<mixed>(context, x, {1, 2});                                       // one 0 before and two behind, along the last axis
///     amp::pad<mixed>(context, x, {{2, 2, 2, 2}, amp::pad_mode::reflect});       // the last two axes
///
/// settings  reflect, replicate and circular: up to the last 3 axes. Where an axis is cropped at one end, a circle goes around what is left
/// Errors    shape, setting
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto pad(Context& context, const X& x, const pad_settings& settings) {
  using namespace detail;
  using result = result_t<Policy, op::pad, Context, X>;
  if constexpr (may_call<Policy, op::pad, X>())
    return made<result>(context, pad_plan("pad", operand(x).shape(), settings).to, [&](auto y) { pad<Policy>(context, into(y), x, settings); });
  else return result{};
}
template <class Policy, class Context, class Y, class X>
void pad(Context& context, into<Y> y, const X& x, const pad_settings& settings) {
  using namespace detail;
  if constexpr (require_into<Policy, op::pad, Y, X>()) {
    const pad_plan plan("pad", operand(x).shape(), settings);
    require_shape("pad", "an output", y.target.shape(), plan.to);
    padded_into<read_t<Policy, op::pad, given_t<X>, given_t<X>>>(context, plan, write(y.target), operand(x));
  }
}
/// The gradient of pad: what was moved to several places gets the sum of theirs, what was cropped 0. Of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto pad_backward(Context& context, const G& grad, const X& x, const pad_settings& settings) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { pad_backward<Policy>(context, into(gx), grad, settings); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void pad_backward(Context& context, const Target& gx, const G& grad, const pad_settings& settings) {
  using namespace detail;
  const pad_plan plan("pad_backward", memory_of(gx).shape(), settings);
  require_shape("pad_backward", "a gradient of the value", operand(grad).shape(), plan.to);
  pad_gradient_into(context, plan, gx, operand(grad));
}

}}  // namespace amphora
