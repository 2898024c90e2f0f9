// The kernels of a step for the compiler's report: registers, spills and stack frames of a rule with state, one almost without
// and one with norms.
#include <amphora/cuda/step.cuh>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/clip_gradients.hpp>
#include <amphora/optimizer/global_norm.hpp>
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/materialize.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/optimizer/sgd.hpp>

namespace amp = amphora;

template <class Rule, class Schedule>
void one_step(amp::cuda_context& context, const std::vector<amp::parameter_view>& parameters, const Rule& rule, const Schedule& schedule) {
  amp::mixed_optimizer optimizer{context, rule, parameters, schedule};
  static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1.0f}));
}

void steps(amp::cuda_context& context, const std::vector<amp::parameter_view>& parameters) {
  one_step(context, parameters, amp::adamw{}, amp::constant{});
  one_step(context, parameters, amp::sgd{}, amp::warmup_cosine{});
  one_step(context, parameters, amp::lamb{}, amp::constant{});
}
void tools(amp::cuda_context& context, const std::vector<amp::gradient_view>& gradients, const std::vector<amp::view<float>>& floats) {
  auto unscaled = amp::unscale(context, amp::scaled(amp::gradient_list(gradients), amp::ticket()));
  amp::clip_gradients(context, unscaled, amp::clip_global_norm{1, 3});
  amp::materialize(context, unscaled, floats);
}
