// An optimizer rule of your own: the update of one element. Masters, unscaling, clipping and skipping come with it.
#include <amphora/amphora.hpp>

#include <cmath>
#include <cstdio>

namespace amp = amphora;

//! [rule]
struct sign_descent {  // w ← w − lr · sign(m), m the running mean of gradients
  float learning_rate = 1e-3f;
  double momentum = 0.9;

  static constexpr int states = 1;  // m
  struct now { amp::real step, keep, take; };

  AMPHORA_HD now at(float lr, std::int64_t) const { return {lr, static_cast<float>(momentum), static_cast<float>(1 - momentum)}; }
  AMPHORA_HD void operator()(amp::real g, amp::real& w, amp::real* m, const now& n) const {
    m[0] = n.keep * m[0] + n.take * g;
    w = w - (m[0] > 0 ? n.step : m[0] < 0 ? -n.step : amp::real(0));
  }
};
//! [rule]

int main() {
  amp::host_context context;
  float master[3] = {0, 0, 0};
  amp::float16 weight[3] = {}, gradient[3] = {};
  const float wanted[3] = {0.5f, -0.25f, 0.125f};
  amp::mixed_optimizer optimizer{context, sign_descent{1.0f / 64}, {{master, weight, gradient, nullptr, 3}}};
  for (int step = 0; step < 40; ++step) {
    for (int i = 0; i < 3; ++i) gradient[i] = amp::float16(static_cast<float>(weight[i]) - wanted[i]);
    const auto outcome = optimizer.step(context, optimizer.gradients());
    if (outcome.wait_result(context) != amp::step_result::stepped) return 1;
  }
  float farthest = 0;
  for (int i = 0; i < 3; ++i) farthest = std::fmax(farthest, std::fabs(master[i] - wanted[i]));
  std::printf("every weight is within 1/8 of its target: %s\n", farthest <= 0.125f ? "yes" : "no");
}
