// Convolutions in a graph: the gradients of one are made of its two other kinds, so they can be differentiated as often as one likes.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/record.hpp>         // record
#include <amphora/ops/add.hpp>                 // times_factor
#include <amphora/ops/conv.hpp>                // run_convolution, sizes_of
#include <amphora/ops/kernels.hpp>             // map_kernels, make_loops
#include <amphora/ops/reduction.hpp>           // sum_over
#include <amphora/policy/compute.hpp>          // compute_t

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One of y, x and w from the two others: all are slopes of Σ y · w · x over the terms of a convolution.
template <class Read, class Accumulate>
struct convolution_record {
  convolution c;
  convolution_result result;  ///< the operands are, of y: x, w; of x: y, w; of w: y, x

  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    using is = convolution_result;
    if (result == is::y) give(pass, a, is::x, gradient, b), give(pass, b, is::w, gradient, a);
    else if (result == is::x) give(pass, a, is::y, gradient, b), give(pass, b, is::w, a, gradient);
    else give(pass, a, is::y, b, gradient), give(pass, b, is::x, a, gradient);
  }
  /// Gives `to`, which is `what` of the convolution, the slope made of the two others.
  template <class Pass, class To, class First, class Second> void give(Pass& pass, const To& to, convolution_result what, const First& first, const Second& second) const {
    pass.write(to, [&](auto target) { run_convolution<Read, Accumulate>(pass.context(), c, what, gradient_target(target), first.value(), second.value(), operand(no_bias{})); },
               convolution_record{c, what}, first, second);
  }
};

/// Images [n, channels, …] of `channels` channels in all.
struct channel_images {
  shape images;  ///< [n, channels, size]

  reduction_loops sums() const { return reduction_of(images, axis_set::of({0, 2}, 3)); }
  loops<1> spread() const {
    const shape channel{images[1], 1};
    return make_loops<1>(images, {&channel});
  }
};
template <class Read, class Accumulate, class Pass, class To, class G> void give_spread_channels(Pass& pass, const To& to, const G& gradient, const channel_images& of);

/// The sum of each channel.
template <class Read, class Accumulate>
struct channel_sum_record {
  channel_images of;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& gradient, const H&, const G& summed) const { give_spread_channels<Read, Accumulate>(pass, summed, gradient, of); }
};
template <class Read, class Accumulate, class Pass, class To, class G>
void give_channel_sums(Pass& pass, const To& to, const G& gradient, const channel_images& of) {
  pass.write(to, [&](auto target) { sum_over<Accumulate>(pass.context(), gradient_target(target), read_as<Read>(gradient.value()), of.sums(), 1); }, channel_sum_record<Read, Accumulate>{of}, gradient);
}
/// One number for each channel, everywhere.
template <class Read, class Accumulate>
struct channel_spread_record {
  channel_images of;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& gradient, const H&, const G& spread) const { give_channel_sums<Read, Accumulate>(pass, spread, gradient, of); }
};
template <class Read, class Accumulate, class Pass, class To, class G>
void give_spread_channels(Pass& pass, const To& to, const G& gradient, const channel_images& of) {
  pass.write(to, [&](auto target) { map_kernels<typename Pass::context_type::device>::run(pass.context(), times_factor{1}, of.spread(), gradient_target(target), read(gradient.value())); },
             channel_spread_record<Read, Accumulate>{of}, gradient);
}

/// A call of conv… or conv_transpose….
template <class Policy, class Op>
struct convolution_call_record {
  convolution_options options;

  template <class Pass, class G, class X, class W, class... B>
  void backward(Pass& pass, const G& gradient, const G&, const X& x, const W& w, const B&... b) const {
    using read = compute_t<Policy, Op, given_t<X>, given_t<W>>;
    using accumulate = accumulate_t<Policy, Op, given_t<X>, given_t<W>>;
    using kind = convolution_kind<Op>;
    const convolution c = sizes_of<Op>(kind::call, x.shape(), w.shape(), options).layout;
    using is = convolution_result;
    const convolution_record<read, accumulate> of{c, is::y};
    if constexpr (kind::transposed) of.give(pass, x, is::y, gradient, w), of.give(pass, w, is::w, x, gradient);
    else of.give(pass, x, is::x, gradient, w), of.give(pass, w, is::w, gradient, x);
    (give_channel_sums<read, accumulate>(pass, b, gradient, {shape{c.batch, value_channels<Op>(c), kind::transposed ? c.in_size() : c.out_size()}}), ...);
  }
};

template <class Policy, class Op, class Context, class X, class W, class B>
auto convolved_taped(const tape<Context>& recording, const X& x, const W& w, const B& b, const convolution_options& options) {
  auto& context = recording.context();
  const convolution_call_record<Policy, Op> op{options};
  if constexpr (is_variable_v<B>) return record(recording, convolved<Policy, Op>(context, x.value(), w.value(), b.value(), options), op, x, w, b);
  else return record(recording, convolved<Policy, Op>(context, x.value(), w.value(), b, options), op, x, w);
}

}}}  // namespace amphora::detail
