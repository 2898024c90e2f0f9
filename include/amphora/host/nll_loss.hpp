// The negative logarithm of the probability of a class on the host.
#pragma once
#include <amphora/host/context.hpp>        // host_context, host_device
#include <amphora/host/cross_entropy.hpp>  // host_cross_entropy
#include <amphora/host/parallel.hpp>       // for_pieces
#include <amphora/host/run.hpp>            // host_source, host_target, load_run, store_run
#include <amphora/ops/nll_loss.hpp>        // nll_kernels

#include <algorithm>  // fill_n, min
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct nll_kernels<host_device> {
  template <class Y, class X, class W>
  static void forward(host_context&, const cross_entropy_call& call, const target<Y>& loss, const source<X>& x, const source<W>& weights) {
    forward_erased<arithmetic_t<X>>(call, loss, x, weights);
  }
  template <class X, class Y, class G, class W>
  static void backward(host_context& context, const cross_entropy_call& call, const target<Y>& gx, const source<G>& grad, const source<W>& weights) {
    backward_erased<arithmetic_t<X>>(context, call, gx, grad, weights);
  }

 private:
  template <class Real>
  static void forward_erased(const cross_entropy_call& call, const host_target& loss, const host_source& x, const host_source& weights) {
    const host_cross_entropy<Real> of{call, x, weights};
    const double total = of.total_weight("nll_loss");
    double sum = 0;
    for (std::int64_t line = 0; line < of.lines.lines(); ++line) {
      Real value = 0;
      if (!of.ignored(line)) {
        load_run(x, of.lines.first(line) + of.target(line) * of.lines.inner, 1, &value);
        value = -of.weight(of.target(line)) * value;
      }
      sum += static_cast<double>(value);
      if (call.settings.reduction == reduction::none) store_run(loss, line, 1, &value);
    }
    Real all = static_cast<Real>(call.settings.reduction == reduction::mean ? sum / total : sum);
    if (call.settings.reduction != reduction::none) store_run(loss, 0, 1, &all);
  }
  template <class Real>
  static void backward_erased(host_context& context, const cross_entropy_call& call, const host_target& gx, const host_source& grad, const host_source& weights) {
    const host_cross_entropy<Real> of{call, weights, weights};
    const double total = of.total_weight("nll_loss_backward");
    const bool each = call.settings.reduction == reduction::none;
    for_pieces(context, of.lines.outer, of.lines.outer * of.lines.length * of.lines.inner > 32768, [&](std::int64_t outer, int) {
      constexpr std::int64_t most = 256;
      Real part[most];
      for (std::int64_t c = 0; c < of.lines.length; ++c)
        for (std::int64_t begin = 0; begin < of.lines.inner; begin += most) {
          const std::int64_t n = (std::min)(most, of.lines.inner - begin);
          for (std::int64_t j = 0; j < n; ++j) {
            const std::int64_t line = outer * of.lines.inner + begin + j;
            part[j] = 0;
            if (of.ignored(line) || of.target(line) != c) continue;
            load_run(grad, each ? line : 0, 1, &part[j]);
            part[j] *= -of.weight(c);
            if (call.settings.reduction == reduction::mean) part[j] = static_cast<Real>(static_cast<double>(part[j]) / total);
          }
          store_run(gx, (outer * of.lines.length + c) * of.lines.inner + begin, n, part);
        }
    });
  }
};

}}}  // namespace amphora::detail
