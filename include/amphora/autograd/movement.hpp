// permute, transpose, slice and pad of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/ops/movement.hpp>       // axis_order, axis_slice, move
#include <amphora/ops/pad.hpp>            // pad_plan

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Axes in another order: its gradient goes back by the inverse, which is an order too, so it has derivatives of any order.
struct order_record {
  axis_order order;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    const axis_order back = order.inverse();
    pass.write(x, [&](auto target) { move<given_t<G>>(pass.context(), back.of_dense(gradient.shape()), gradient_target(target), gradient.value()); }, order_record{back}, gradient);
  }
};

/// A part taken, and a part put into zeros: each the gradient of the other.
struct slice_record;
struct unslice_record {
  axis_slice at;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const;
};
struct slice_record {
  axis_slice at;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) {
      if (at.length < x.shape()[at.axis]) clear_target(pass.context(), target);
      move<given_t<G>>(pass.context(), at.of_dense(x.shape(), false), gradient_target(target), gradient.value());
    }, unslice_record{at}, gradient);
  }
};
template <class Pass, class H, class G> void unslice_record::backward(Pass& pass, const H& h, const H&, const G& gradient) const {
  pass.write(gradient, [&](auto target) { move<given_t<H>>(pass.context(), at.of_dense(h.shape(), true), gradient_target(target), h.value()); }, slice_record{at}, h);
}

/// Padding by nothing but what is there, and its gradient.
struct pad_record;
struct unpad_record {
  pad_plan plan;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const;
};
struct pad_record {
  pad_plan plan;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { pad_gradient_into(pass.context(), plan, target, gradient.value()); }, unpad_record{plan}, gradient);
  }
};
template <class Pass, class H, class G> void unpad_record::backward(Pass& pass, const H& h, const H&, const G& gradient) const {
  pad_plan linear = plan;
  linear.settings.value = 0;
  pass.write(gradient, [&](auto target) { padded_into<given_t<H>>(pass.context(), linear, gradient_target(target), h.value()); }, pad_record{linear}, h);
}

}  // namespace detail

/// As of ops/movement.hpp and ops/pad.hpp, recorded, with derivatives of any order.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto permute(const tape<Context>& recording, const X& x, const axes& order) {
  return record(recording, permute<Policy>(recording.context(), x.value(), order), detail::order_record{detail::axis_order::from("permute", x.shape(), order)}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto transpose(const tape<Context>& recording, const X& x, int a = -2, int b = -1) {
  return record(recording, transpose<Policy>(recording.context(), x.value(), a, b), detail::order_record{detail::axis_order::swapped("transpose", x.shape(), a, b)}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto slice(const tape<Context>& recording, const X& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  return record(recording, slice<Policy>(recording.context(), x.value(), axis, begin, end, step), detail::slice_record{detail::axis_slice::of("slice", x.shape(), axis, begin, end, step)}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto pad(const tape<Context>& recording, const X& x, const pad_settings& settings) {
  return record(recording, pad<Policy>(recording.context(), x.value(), settings), detail::pad_record{detail::pad_plan("pad", x.shape(), settings)}, x);
}

}}  // namespace amphora
