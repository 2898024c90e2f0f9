// Batch and instance normalization with running statistics, forward and backward.
#pragma once
#include <amphora/op/normalization.hpp>   // op::batch_norm, op::instance_norm
#include <amphora/ops/call.hpp>           // result_t, made
#include <amphora/ops/normalization.hpp>  // batch_call, group_call, norm_forward_into, norm_gradients, no_weight

#include <cstdint>      // int64_t
#include <type_traits>  // is_floating_point_v, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Running statistics in memory of the caller's: float, or double, whatever the policy.
///
/// mean, variance  [channels]; new ones start at 0 and 1
/// batches         a count on the device of the batches seen, or none; needed for a cumulative average
template <class T>
struct running_statistics {
  static_assert(std::is_floating_point_v<T>, "amphora [unknown-storage-type]: running statistics are kept in float or double; give views of one of them");
  view<T> mean, variance;
  view<std::int64_t> batches;

  constexpr running_statistics(view<T> its_mean, view<T> its_variance, view<std::int64_t> its_batches = {}) : mean(its_mean), variance(its_variance), batches(its_batches) {}
  template <class Context> running_statistics(tensor<T, Context>& its_mean, tensor<T, Context>& its_variance) : mean(its_mean.view()), variance(its_variance.view()) {}
  template <class Context> running_statistics(tensor<T, Context>& its_mean, tensor<T, Context>& its_variance, tensor<std::int64_t, Context>& its_batches)
      : mean(its_mean.view()), variance(its_variance.view()), batches(its_batches.view()) {}
};
template <class T> running_statistics(view<T>, view<T>) -> running_statistics<T>;
template <class T> running_statistics(view<T>, view<T>, view<std::int64_t>) -> running_statistics<T>;
template <class T, class Context> running_statistics(tensor<T, Context>&, tensor<T, Context>&) -> running_statistics<T>;
template <class T, class Context> running_statistics(tensor<T, Context>&, tensor<T, Context>&, tensor<std::int64_t, Context>&) -> running_statistics<T>;

/// Says that no statistics are kept from batch to batch.
struct no_running {};

/// The numbers of a batch normalization.
struct batch_norm_settings {
  bool training = true;      ///< the statistics are the batch's, and move the running ones; false: they are the running ones
  double momentum = 0.1;     ///< share of the batch in running = (1 − momentum) · running + momentum · batch
  bool cumulative = false;   ///< 1 / batches in the place of momentum: the average over all batches (PyTorch's momentum=None)
  double eps = 1e-5;
};

namespace detail {

template <class Running> inline constexpr bool is_running_v = false;
template <class T> inline constexpr bool is_running_v<running_statistics<T>> = true;

template <class Running> void require_running(const char* call, const shape& affine, const Running& running, const batch_norm_settings& settings) {
  if constexpr (is_running_v<Running>) {
    require_shape(call, "a running mean", running.mean.shape(), affine);
    require_shape(call, "a running variance", running.variance.shape(), affine);
    if (settings.cumulative && settings.training && !running.batches.data())
      fail("setting", call, " is asked for a cumulative average, which needs to know the number of batches; give running_statistics a view of a count");
  } else if (!settings.training) {
    fail("setting", call, " is asked for running statistics and has none; give it running_statistics, or train");
  }
}

/// Each op's own shapes, and how many sets of statistics share a channel.
struct batch_norm_kind {
  using op = amphora::op::batch_norm;
  static constexpr const char* name = "batch_norm";
  static columns_call call(const shape& x, const batch_norm_settings& settings) {
    const columns_call c = batch_call("batch_norm", x, !settings.training, settings.eps);
    if (settings.training && c.terms == 1) fail("shape", "batch_norm in training has one value a channel in ", x, "; give it a larger batch, or evaluate");
    return c;
  }
};
struct instance_norm_kind {
  using op = amphora::op::instance_norm;
  static constexpr const char* name = "instance_norm";
  static either_call call(const shape& x, const batch_norm_settings& settings) {
    if (!settings.training) return batch_call("instance_norm", x, true, settings.eps);
    const groups_call c = group_call("instance_norm", x, channels_of("instance_norm", x)[1] ? x[1] : 1, settings.eps);
    if (c.terms == 1) fail("shape", "instance_norm in training has one value a channel in ", x, "; give it a larger image, or evaluate");
    return c;
  }
};

/// Statistics to normalize by where they are known.
template <class T, class Context, class Running>
void fill_known(Context& context, const norm_call& c, const norm_statistics<T>& s, const Running& running) {
  if constexpr (is_running_v<Running>)
    if (c.known) normalization_kernels<typename Context::device>::given(context, c.lines.eps, s, view<const typename decltype(running.mean)::value_type>(running.mean).data(),
                                                                       view<const typename decltype(running.mean)::value_type>(running.variance).data());
}
template <class T, class Context, class Running>
void track_running(Context& context, const norm_call& c, const norm_statistics<T>& s, const Running& running, const batch_norm_settings& settings) {
  if constexpr (is_running_v<Running>) {
    if (!settings.training || c.wide.elements() == 0) return;
    norm_tracking t;
    t.channels = c.affine[0], t.batch = s.count / t.channels, t.terms = c.terms;
    t.momentum = settings.momentum, t.cumulative = settings.cumulative, t.batches = running.batches.data();
    normalization_kernels<typename Context::device>::track(context, t, s, running.mean.data(), running.variance.data());
  }
}

template <class Kind, class Policy, class Context, class Call, class T, class Y, class X, class Running, class W, class B>
void batch_norm_forward(Context& context, const Call& c, const norm_statistics<T>& s, const into<Y>& y, const X& x, const Running& running, const W& w, const B& b,
                        const batch_norm_settings& settings) {
  require_shape(Kind::name, "an output", y.target.shape(), operand(x).shape());
  require_affine(Kind::name, c, w, b);
  require_running(Kind::name, c.affine, running, settings);
  fill_known(context, c, s, running);
  norm_forward_into(context, c, s, write(y.target), operand(x), w, b);
  track_running(context, c, s, running, settings);
}
template <class Kind, class Policy, class Context, class Y, class X, class Running, class W, class B>
void batch_norm_into(Context& context, const into<Y>& y, const X& x, const Running& running, const W& w, const B& b, const batch_norm_settings& settings) {
  if constexpr (require_into<Policy, typename Kind::op, Y, X>()) {
    const auto c = Kind::call(operand(x).shape(), settings);
    auto memory = make_statistics<statistic_t<X>>(context, c);
    batch_norm_forward<Kind, Policy>(context, c, statistics_in(memory.view()), y, x, running, w, b, settings);
  }
}
template <class Kind, class Policy, class Context, class X, class Running, class W, class B>
auto batch_norm_made(Context& context, const X& x, const Running& running, const W& w, const B& b, const batch_norm_settings& settings) {
  using result = result_t<Policy, typename Kind::op, Context, X>;
  if constexpr (may_call<Policy, typename Kind::op, X>())
    return made<result>(context, operand(x).shape(), [&](auto y) { batch_norm_into<Kind, Policy>(context, into(y), x, running, w, b, settings); });
  else return result{};
}
template <class Kind, class Policy, class Context, class G, class X, class Running, class W, class GX, class GW, class GB>
void batch_norm_gradients(Context& context, const G& grad, const X& x, const Running& running, const W& w, const GX& gx, const GW& gw, const GB& gb, const batch_norm_settings& settings) {
  if constexpr (may_call<Policy, typename Kind::op, X>()) {
    const auto c = Kind::call(operand(x).shape(), settings);
    require_norm_gradients<Context>(Kind::name, c, grad, x, gx, gw, gb);
    require_affine(Kind::name, c, w, no_bias{});
    require_running(Kind::name, c.affine, running, settings);
    auto memory = make_statistics<statistic_t<X>>(context, c);
    const auto s = statistics_in(memory.view());
    fill_known(context, c, s, running);
    if (!c.known) norm_forward_into(context, c, s, target<not_a_format>{}, operand(x), no_weight{}, no_bias{});
    norm_gradients(context, c, s, grad, x, w, gx, gw, gb);
  }
}
template <class Kind, class Policy, class Context, class G, class X, class Running, class W>
auto batch_norm_gradients(Context& context, const G& grad, const X& x, const Running& running, const W& w, const batch_norm_settings& settings) {
  auto result = fresh_norm_gradients<Context, X, W, W>(context, Kind::call(operand(x).shape(), settings), x);
  batch_norm_gradients<Kind, Policy>(context, grad, x, running, w, into(result.x), into_affine<W>(result.w), into_affine<W>(result.b), settings);
  return result;
}
template <class Running> inline constexpr bool is_running_choice_v = is_running_v<Running> || std::is_same_v<Running, no_running>;

}  // namespace detail

/// (x − mean) / √(variance + eps) · w + b with one mean and variance a channel, over the whole batch: in float whatever comes in. In training they are
/// the batch's (the biased variance), and the running ones move towards them (the unbiased variance); in evaluation they are the running ones.
///
/// x        [batch, channels, ...]
/// running  running_statistics{mean, variance}, or no_running{}: then the batch's alone
/// w, b     [channels], or no_weight{} and no_bias{}
/// Value    x's shape; batch_norm<Policy>(context, into(y), x, running, …) writes it to y, which may be x itself. An empty batch moves nothing
/// Errors   shape (in training one value a channel too), setting; nothing is written before
/// Cost     training: reads x twice; evaluation: once
/// Source   conventions of PyTorch's batch_norm
template <class Policy, class Context, class X, class Running, class W = no_weight, class B = no_bias, std::enable_if_t<detail::is_operand_v<X> && detail::is_running_choice_v<Running>, int> = 0>
auto batch_norm(Context& context, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_made<detail::batch_norm_kind, Policy>(context, x, running, w, b, settings);
}
template <class Policy, class Context, class Y, class X, class Running, class W = no_weight, class B = no_bias>
void batch_norm(Context& context, into<Y> y, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  detail::batch_norm_into<detail::batch_norm_kind, Policy>(context, y, x, running, w, b, settings);
}

/// The gradients of batch_norm. In training the statistics are made anew from x, and nothing moves.
///
/// running     as forward had them, in evaluation unmoved since
/// gx, gw, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class Running, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void batch_norm_backward(Context& context, const G& grad, const X& x, const Running& running, const W& w, const GX& gx, const GW& gw, const GB& gb, const batch_norm_settings& settings = {}) {
  detail::batch_norm_gradients<detail::batch_norm_kind, Policy>(context, grad, x, running, w, gx, gw, gb, settings);
}
/// The same as fresh tensors: x's and w's in their own formats, b's in w's; without weights x's alone.
template <class Policy, class Context, class G, class X, class Running, class W = no_weight, std::enable_if_t<detail::is_operand_v<G> && detail::is_running_choice_v<Running>, int> = 0>
auto batch_norm_backward(Context& context, const G& grad, const X& x, const Running& running, const W& w = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_gradients<detail::batch_norm_kind, Policy>(context, grad, x, running, w, settings);
}

/// batch_norm with a mean and variance for each channel of each example, under its rules. The running statistics move towards their averages over the batch.
///
/// settings  training (PyTorch's use_input_stats) needs more than one value a channel of an example
template <class Policy, class Context, class X, class Running, class W = no_weight, class B = no_bias, std::enable_if_t<detail::is_operand_v<X> && detail::is_running_choice_v<Running>, int> = 0>
auto instance_norm(Context& context, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_made<detail::instance_norm_kind, Policy>(context, x, running, w, b, settings);
}
template <class Policy, class Context, class Y, class X, class Running, class W = no_weight, class B = no_bias>
void instance_norm(Context& context, into<Y> y, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  detail::batch_norm_into<detail::instance_norm_kind, Policy>(context, y, x, running, w, b, settings);
}
/// The gradients of instance_norm, under the rules of batch_norm_backward.
template <class Policy, class Context, class G, class X, class Running, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void instance_norm_backward(Context& context, const G& grad, const X& x, const Running& running, const W& w, const GX& gx, const GW& gw, const GB& gb, const batch_norm_settings& settings = {}) {
  detail::batch_norm_gradients<detail::instance_norm_kind, Policy>(context, grad, x, running, w, gx, gw, gb, settings);
}
template <class Policy, class Context, class G, class X, class Running, class W = no_weight, std::enable_if_t<detail::is_operand_v<G> && detail::is_running_choice_v<Running>, int> = 0>
auto instance_norm_backward(Context& context, const G& grad, const X& x, const Running& running, const W& w = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_gradients<detail::instance_norm_kind, Policy>(context, grad, x, running, w, settings);
}

}}  // namespace amphora
