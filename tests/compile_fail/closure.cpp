// A step takes gradients, not a function that evaluates the loss again.
#include <amphora/host/scale.hpp>                 // scale_kernels
#include <amphora/host/step.hpp>                  // step_kernels
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/sgd.hpp>              // sgd
#include <amphora/policy/opt_level.hpp>           // o1
#include <amphora/scale/make_scaler.hpp>          // make_scaler

#include <vector>

namespace amp = amphora;

int main() {
  amp::host_context context;
  float weight = 1, gradient = 1, loss = 1;
  amp::scaler scaler = amp::make_scaler<amp::o1<amp::f16>>(context);
  amp::parameter_view parameter;
  parameter.master = &weight, parameter.gradient = &gradient, parameter.n = 1;
  amp::mixed_optimizer<amp::sgd, amp::host_context> optimizer(context, amp::sgd{}, {parameter});
  auto scaled_loss = scaler.scale(context, amp::view(&loss));
  //! [right]
  auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()));
  //! [right]
#ifdef AMPHORA_FAIL_closure
  //! [wrong]
  auto wrong = optimizer.step(context, [&] { return loss; });
  //! [wrong]
#endif
  scaler.update(context, outcome);
}
