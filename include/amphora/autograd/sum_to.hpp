// What was broadcast on the way forward is summed on the way back, and the other way round.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/add.hpp>                 // unbroadcast, times_factor
#include <amphora/ops/kernels.hpp>             // map_kernels, make_loops

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Pass, class To, class G> void give_expanded(Pass& pass, const To& to, const G& gradient, double factor);

/// factor · the sum over the axes that the value does not have.
struct sum_to_record {
  double factor;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& gradient, const H&, const G& summed) const { give_expanded(pass, summed, gradient, factor); }
};

/// Gives an operand that was broadcast to gradient's shape its gradient: factor · the sum over the axes that it does not have.
template <class Pass, class To, class G>
void give_sum(Pass& pass, const To& to, const G& gradient, double factor = 1) {
  pass.write(to, [&](auto target) { unbroadcast<given_t<G>>(pass.context(), target, gradient.value(), to.shape(), factor); }, sum_to_record{factor}, gradient);
}

struct expand_record {
  double factor;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& gradient, const H&, const G& expanded) const { give_sum(pass, expanded, gradient, factor); }
};

/// Gives an operand that was summed to gradient's shape its gradient: factor · that of its sum.
template <class Pass, class To, class G>
void give_expanded(Pass& pass, const To& to, const G& gradient, double factor) {
  pass.write(to, [&](auto target) {
    const auto grad = gradient.value();
    map_kernels<typename Pass::context_type::device>::run(pass.context(), times_factor{factor}, make_loops<1>(to.shape(), {&grad.shape()}), gradient_target(target), read(grad));
  }, expand_record{factor}, gradient);
}

}}}  // namespace amphora::detail
