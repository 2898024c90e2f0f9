#include "step_model.hpp"

#include <amphora/optimizer/adadelta.hpp>
#include <amphora/optimizer/adagrad.hpp>
#include <amphora/optimizer/adam.hpp>
#include <amphora/optimizer/adamax.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/amsgrad.hpp>
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/lars.hpp>
#include <amphora/optimizer/lion.hpp>
#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/radam.hpp>
#include <amphora/optimizer/rmsprop.hpp>
#include <amphora/optimizer/sgd.hpp>

namespace amp = amphora;
using check::fill;

namespace step_user {

/// A rule of somebody else's, with a number of its own that moves on taken steps.
struct fading_signs {
  float learning_rate = 0.5f;
  static constexpr int states = 1;
  struct scalars { double sum = 0; };
  struct now { amp::real size; };
  AMPHORA_HD now at(float lr, std::int64_t step, scalars& own) const { return {lr / static_cast<float>(own.sum += static_cast<double>(step))}; }
  AMPHORA_HD void operator()(amp::real g, amp::real& w, amp::real* s, const now& n) const { s[0] = s[0] + abs(g), w = w - n.size * (g < 0 ? amp::real(-1) : g > 0 ? amp::real(1) : amp::real(0)); }
};

}  // namespace step_user

TEST_CASE_TEMPLATE("every rule has the host's bits", Rule, amp::adadelta, amp::adagrad, amp::adam, amp::adamax, amp::adamw, amp::amsgrad, amp::lion, amp::nadam, amp::radam, amp::rmsprop, amp::sgd,
                   amp::plain_sgd, amp::lamb, amp::lars, step_user::fading_signs) {
  check::plan what;
  const auto host = check::on_both(what, Rule{}, amp::clip_global_norm{1.0f}, amp::warmup_cosine{2, 5, 0.1});
  CHECK(host.records.back().result == amp::step_result::stepped);
  what.own_state = false;
  check::on_both(what, Rule{});
}
