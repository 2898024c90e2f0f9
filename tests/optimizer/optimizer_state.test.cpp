#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/optimizer_state.hpp>  // optimizer_state
#include <amphora/optimizer/sgd.hpp>              // sgd

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace amp = amphora;

using optimizer_of_sgd = amp::mixed_optimizer<amp::sgd, test_context>;
using state_of_sgd = amp::optimizer_state<amp::sgd, test_context>;
static_assert(std::is_base_of_v<state_of_sgd, optimizer_of_sgd>);
static_assert(!std::is_constructible_v<state_of_sgd, test_context&, std::vector<amp::sgd>, std::vector<amp::parameter_view>>, "made by an optimizer alone");

namespace {
template <class F> std::string slug_of(F f) {
  try {
    f();
  } catch (const amp::error& e) {
    return e.rule();
  }
  return "";
}

struct two_groups {
  test_context context;
  device_array<float> w{context, {1, 2}}, g{context, {1, 1}};
  optimizer_of_sgd optimizer{context, std::vector<amp::sgd>{amp::sgd{0.5f}, amp::sgd{0.25f}}, views()};
  std::vector<amp::parameter_view> views() {
    std::vector<amp::parameter_view> result{{w.data(), nullptr, g.data(), nullptr, 1}, {w.data() + 1, nullptr, g.data() + 1, nullptr, 1}};
    result[1].group = 1;
    return result;
  }
};
}  // namespace

TEST_CASE("what starts an optimizer is zero, and its groups are as they were given") {
  two_groups t;
  CHECK(t.optimizer.groups() == 2);
  CHECK(t.optimizer.rule(1).learning_rate == 0.25f);
  CHECK(t.optimizer.parameters().size() == 2);
  CHECK(t.optimizer.wait_taken(t.context) == 0);
  CHECK(t.optimizer.wait_skipped(t.context) == 0);
  for (int k : {0, 1}) {
    CHECK(t.optimizer.wait_step_count(t.context, k) == 0);
    CHECK(read_device(t.context, t.optimizer.state(k, 0)) == 0);
  }
  CHECK(t.optimizer.wait_facts(t.context).norm == 0);
  CHECK(t.optimizer.state(1, 0) - t.optimizer.state(0, 0) == 16 * amp::sgd::states);  // whole cache lines
}

TEST_CASE("settings that a rule refuses change nothing, in no group") {
  two_groups t;
  CHECK(slug_of([&] { t.optimizer.set_learning_rate(t.context, -1); }) == "setting");
  CHECK(slug_of([&] { t.optimizer.set_learning_rate(t.context, 1, -1.0f); }) == "setting");
  CHECK(slug_of([&] { t.optimizer.set_rule(t.context, 2, amp::sgd{1}); }) == "setting");
  CHECK(slug_of([&] { static_cast<void>(t.optimizer.rule(-1)); }) == "setting");
  CHECK(t.optimizer.rule(0).learning_rate == 0.5f);
  CHECK(t.optimizer.step(t.context, t.optimizer.gradients()).wait_result(t.context) == amp::step_result::stepped);
  CHECK(t.w.get() == std::vector<float>{0.5f, 1.75f});
  amp::sgd decayed{1};
  decayed.weight_decay = 1;
  t.optimizer.set_rule(t.context, 0, decayed);
  CHECK(t.optimizer.step(t.context, t.optimizer.gradients()).wait_result(t.context) == amp::step_result::stepped);
  CHECK(t.w.get() == std::vector<float>{-1, 1.5f});  // 0.5 - (1 + 0.5)
}

TEST_CASE("counts are read and loaded, and the last norm lies on the device") {
  two_groups t;
  t.optimizer.load_counters(t.context, 7, 3);
  t.optimizer.load_step_count(t.context, 1, 5);
  t.g.set({3, 4});
  CHECK(t.optimizer.step(t.context, t.optimizer.gradients()).wait_result(t.context) == amp::step_result::stepped);
  CHECK(t.optimizer.wait_taken(t.context) == 8);
  CHECK(t.optimizer.wait_skipped(t.context) == 3);
  CHECK(t.optimizer.wait_step_count(t.context, 0) == 1);
  CHECK(t.optimizer.wait_step_count(t.context, 1) == 6);
  CHECK(read_device(t.context, t.optimizer.norm()) == 5);
  CHECK(read_device(t.context, t.optimizer.facts()).present != 0);
}
