// Dropout whose mask is a function of a seed, a stream and a place, so that nothing is stored for the backward pass.
#pragma once
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/detail/philox.hpp>    // philox
#include <amphora/op/transparent.hpp>   // op::dropout
#include <amphora/ops/call.hpp>         // read_t, result_t, require_into, made
#include <amphora/ops/kernels.hpp>      // dropout_kernels
#include <amphora/ops/operand.hpp>      // into, operand

#include <cstdint>  // uint64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Which numbers a dropout drops.
struct dropout_settings {
  double probability = 0.5;   ///< of being dropped, in [0, 1]; what is kept is divided by 1 − probability
  std::uint64_t seed = 0;     ///< of the run
  std::uint64_t stream = 0;   ///< of this call, e.g. layer and step: other numbers for each
};

namespace detail {

/// Four places share one counter of Philox; a word below the threshold drops its place. Integers only: equal on all devices.
struct dropout_mask {
  std::uint64_t seed, stream, threshold;  ///< threshold = probability · 2^32
  double factor;                          ///< 1 / (1 − probability)
  std::uint64_t first = 0;                ///< the counter of place 0

  AMPHORA_HD philox_words words(std::uint64_t group) const {
    const std::uint64_t counter = first + group;
    return philox({{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(stream),
                    static_cast<std::uint32_t>(stream >> 32)}}, seed);
  }
  AMPHORA_HD bool keeps(std::uint32_t word) const { return word >= threshold; }
  template <class Real> AMPHORA_HD Real operator()(std::uint32_t word, Real x) const { return keeps(word) ? x * static_cast<Real>(factor) : Real(0); }

  /// Errors  setting
  static dropout_mask of(const char* call, const dropout_settings& s) {
    if (!(s.probability >= 0 && s.probability <= 1)) fail("setting", call, " has probability = ", s.probability, "; it must be between 0 and 1");
    return {s.seed, s.stream, static_cast<std::uint64_t>(s.probability * 4294967296.0), s.probability < 1 ? 1 / (1 - s.probability) : 0};
  }
};

template <class Read, class Context, class Target, class X>
void run_dropout(const char* call, Context& context, const Target& y, const shape& shape_y, const view<const X>& x, const dropout_settings& settings) {
  const dropout_mask mask = dropout_mask::of(call, settings);
  require_shape(call, "an output", shape_y, x.shape());
  dropout_kernels<typename Context::device>::run(context, mask, x.size(), y, read_as<Read>(x));
}

}  // namespace detail

/// x with a share of its numbers replaced by 0 and the others scaled up, in the format that came in.
///
/// settings  the same ones give the same mask, whatever the format, the device and the number of threads
/// Errors    shape, setting
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto dropout(Context& context, const X& x, const dropout_settings& settings) {
  using result = detail::result_t<Policy, op::dropout, Context, X>;
  if constexpr (detail::may_call<Policy, op::dropout, X>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { dropout<Policy>(context, into(y), x, settings); });
  else return result{};
}
template <class Policy, class Context, class Y, class X>
void dropout(Context& context, into<Y> y, const X& x, const dropout_settings& settings) {
  using namespace detail;
  if constexpr (require_into<Policy, op::dropout, Y, X>())
    run_dropout<read_t<Policy, op::dropout, given_t<X>, given_t<X>>>("dropout", context, write(y.target), y.target.shape(), operand(x), settings);
}

/// The gradient of dropout: the mask is made anew. Of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto dropout_backward(Context& context, const G& grad, const X& x, const dropout_settings& settings) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(),
                                                         [&](auto gx) { dropout_backward<Policy>(context, into(gx), grad, settings); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void dropout_backward(Context& context, const Target& gx, const G& grad, const dropout_settings& settings) {
  using namespace detail;
  run_dropout<given_t<G>>("dropout_backward", context, gradient_target(gx), memory_of(gx).shape(), operand(grad), settings);
}

}}  // namespace amphora
