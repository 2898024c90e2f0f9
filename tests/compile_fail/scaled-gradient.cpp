// Gradients that still carry the loss scale are neither clipped nor measured, and are used up by what takes the scale out.
#include <amphora/host/context.hpp>              // host_context
#include <amphora/host/scale.hpp>                // scale_kernels
#include <amphora/host/step.hpp>                 // step_kernels
#include <amphora/optimizer/adamw.hpp>           // adamw
#include <amphora/optimizer/clip_gradients.hpp>  // clip_gradients
#include <amphora/optimizer/global_norm.hpp>     // wait_global_norm
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer

namespace amp = amphora;

int main() {
  amp::host_context context;
  float w[2] = {1, 1}, loss[2] = {};
  amp::float16 g[2];
  amp::mixed_optimizer optimizer{context, amp::adamw{}, {amp::parameter_view{w, nullptr, g, nullptr, 2}}};
  auto scaled = amp::scaled(optimizer.gradients(), amp::ticket{});
  static_cast<void>(loss);
#if defined(AMPHORA_FAIL_scaled_gradient)
  //! [wrong]
  auto outcome = optimizer.step(context, scaled);
  //! [wrong]
#else
  //! [right]
  auto outcome = optimizer.step(context, std::move(scaled));
  //! [right]
#endif
  static_cast<void>(outcome);
  auto again = amp::scaled(optimizer.gradients(), amp::ticket{});
#ifdef AMPHORA_FAIL_scaled_gradient_clip
  amp::clip_gradients(context, again, amp::clip_global_norm{1});
#endif
#ifdef AMPHORA_FAIL_scaled_gradient_norm
  double norm = amp::wait_global_norm(context, again);
  static_cast<void>(norm);
#endif
#ifdef AMPHORA_FAIL_scaled_gradient_lvalue
  auto unscaled = amp::unscale(context, again);
#else
  auto unscaled = amp::unscale(context, std::move(again));
#endif
  amp::clip_gradients(context, unscaled, amp::clip_global_norm{1});
#ifdef AMPHORA_FAIL_scaled_gradient_twice
  auto twice = amp::unscale(context, std::move(unscaled));
  static_cast<void>(twice);
#endif
#ifdef AMPHORA_FAIL_scaled_gradient_twice_lvalue
  auto twice = amp::unscale(context, unscaled);
  amp::clip_gradients(context, twice, amp::clip_global_norm{1});
#endif
#ifdef AMPHORA_FAIL_scaled_gradient_twice_step
  auto stepped = optimizer.step(context, amp::unscale(context, std::move(unscaled)));
  static_cast<void>(stepped);
#endif
#ifdef AMPHORA_FAIL_scaled_gradient_plain
  auto of_plain = amp::unscale(context, optimizer.gradients());
  amp::clip_gradients(context, of_plain, amp::clip_global_norm{1});
#endif
#ifdef AMPHORA_FAIL_unknown_setting_clip
  amp::clip_gradients(context, unscaled, 1.0f);
#endif
#ifdef AMPHORA_FAIL_unknown_setting_step_clip
  auto clipped = optimizer.step(context, unscaled, 1.0f);
#else
  auto clipped = optimizer.step(context, unscaled, amp::clip_value{1.0f});
#endif
  static_cast<void>(clipped);
#ifdef AMPHORA_FAIL_closure_step
  auto evaluated = optimizer.step(context, [&] { return loss[0]; });
  static_cast<void>(evaluated);
#endif
#ifdef AMPHORA_FAIL_no_master_view
  amp::parameter_view bare{nullptr, g, nullptr, nullptr, 2};
#else
  auto bare = amp::parameter_view::without_master(g, nullptr, nullptr, 2);
#endif
  static_cast<void>(bare);
#ifdef AMPHORA_FAIL_unknown_storage_type_view
  int integers[2] = {};
  amp::parameter_view odd{w, integers, nullptr, nullptr, 2};
  static_cast<void>(odd);
#endif
}
