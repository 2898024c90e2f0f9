#include <amphora/error.hpp>                  // error
#include <amphora/scale/additive_growth.hpp>  // additive_growth
#include <amphora/scale/fixed.hpp>            // fixed
#include <amphora/scale/preset.hpp>           // preset
#include <amphora/scale/scaler.hpp>           // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include "patterns.hpp"  // run

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace {

using context_type = test_context;
using report = amp::outcome<context_type>;
static_assert(std::is_same_v<decltype(amp::scaler(std::declval<context_type&>(), amp::growth{})), amp::scaler<context_type, amp::growth>>);
static_assert(!std::is_copy_constructible_v<amp::scaler<context_type>> && std::is_nothrow_move_constructible_v<amp::scaler<context_type>>);

/// An iteration with a given result, as an optimizer would leave it.
template <class Scaler>
void iterate(Scaler& scaler, context_type& context, amp::step_result result) {
  const device_array<amp::step_record> record(context, {{result, result == amp::step_result::skipped ? 1u : 0u, 0}});
  scaler.update(context, report(record.data(), scaler.ticket(context)));
}
template <class Scaler>
void iterate(Scaler& scaler, context_type& context, char kind) {
  iterate(scaler, context, kind == 'I' ? amp::step_result::skipped : kind == 'N' ? amp::step_result::nothing : amp::step_result::stepped);
}
template <class Scaler>
std::string saved(const Scaler& scaler, context_type& context) {
  std::string text;
  scaler.wait_save(context, [&](const char* part, std::size_t size) { text.append(part, size); });
  return text;
}

}  // namespace

TEST_CASE("a scaler moves as its rule does, whatever the rule") {
  context_type context;
  const std::string pattern = "FFIFFFFFIIFFFFFFIFIFFFFF";
  const auto check = [&](const auto& rule) {
    amp::scaler scaler(context, rule);
    const auto states = scaling::run(rule, pattern);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      iterate(scaler, context, pattern[i]);
      CHECK(scaler.wait_state(context) == states[i]);
      CHECK(scaler.wait_scale(context) == states[i].scale);
      CHECK(scaler.wait_is_at_floor(context) == rule.is_at_floor(states[i]));
    }
  };
  check(amp::growth{2, 0.5, 4, 256});
  check(amp::preset::metaseq());
  check(amp::preset::mxnet());
  check(amp::preset::flashlight());
  check(amp::fixed{128});
}

TEST_CASE("the ticket of a loss keeps its scale; the next loss has the next one, in the other slot") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 1, 4});
  const device_array<float> loss(context, {3});
  auto first = scaler.scale(context, amp::view(loss.data()));
  CHECK(read_device(context, first.value().data()) == 12);
  const device_array<amp::step_record> record(context, {{amp::step_result::stepped, 0, 0}});
  scaler.update(context, report(record.data(), first.ticket()));
  CHECK(read_device(context, first.ticket().scale()) == 4);  // the old slot is not written by the update
  auto second = scaler.scale(context, amp::view(loss.data()));
  CHECK(read_device(context, second.value().data()) == 24);
  CHECK(read_device(context, second.ticket().scale()) == 8);
  CHECK(read_device(context, second.ticket().inverse()) == 0.125f);
  CHECK(read_device(context, first.ticket().scale()) == 4);
  CHECK_FALSE(first.ticket().valid());
  CHECK(second.ticket().valid());
}

TEST_CASE("a loss that is too large for its scale is infinite, and one that is not finite stays so") {
  context_type context;
  amp::scaler<context_type> scaler(context);
  const auto is_finite = [&](float x) {
    const device_array<float> loss(context, {x});
    const auto scaled = scaler.scale(context, amp::view(loss.data()));
    return amp::detail::is_finite(read_device(context, scaled.value().data()));  // by bits: isinf folds under -ffast-math
  };
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(is_finite(1e33f));
  for (float loss : {1e34f, -1e34f, inf, -inf, std::numeric_limits<float>::quiet_NaN()}) CHECK_FALSE(is_finite(loss));
}

TEST_CASE("nothing to check is its own outcome: no counter moves") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 2, 4});
  iterate(scaler, context, 'F');
  const auto before = scaler.wait_state(context);
  iterate(scaler, context, 'N');
  CHECK(scaler.wait_state(context) == before);
  iterate(scaler, context, 'F');
  CHECK(scaler.wait_scale(context) == 8);
}

TEST_CASE("B04: saved and resumed at every step, a run goes on with equal bits") {
  context_type context;
  const std::string pattern = "FFFIFFFFFFFFIIFFFFNFFFFF";
  for (const amp::growth& rule : {amp::growth{2, 0.5, 4, 256}, amp::preset::metaseq(), amp::preset::deepspeed(), amp::preset::mxnet(), amp::preset::fairseq(0.5), amp::preset::megatron()}) {
    amp::scaler scaler(context, rule);
    for (char kind : pattern) {
      iterate(scaler, context, kind);
      amp::scaler<context_type> other(context);
      const std::string text = saved(scaler, context);
      other.load(context, text.data(), text.size());
      CHECK(other.wait_state(context) == scaler.wait_state(context));
      CHECK(saved(other, context) == text);
      scaler = std::move(other);  // PyTorch 11: the trajectory goes on through the saved one
    }
    amp::scale_state expected = rule.start();
    for (char kind : pattern)
      if (kind != 'N') expected = amp::next(rule, expected, kind == 'I');
    CHECK(scaler.wait_state(context) == expected);
  }
}

TEST_CASE("B04: three clean steps at interval 4, saved and loaded, and one more give 2048 with a counter of 0") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 4, 1024});
  for (int i = 0; i < 3; ++i) iterate(scaler, context, 'F');
  const std::string text = saved(scaler, context);
  amp::scaler<context_type> other(context);
  other.load(context, text.data(), text.size());
  // A freshly loaded scaler unscales without a loss having been scaled.
  CHECK(1024 * read_device(context, other.ticket(context).inverse()) == 1);
  iterate(other, context, 'F');
  CHECK(other.wait_scale(context) == 2048);
  CHECK(other.wait_state(context).clean == 0);
}

TEST_CASE("B04: a state that is refused leaves the scaler as it was") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 4, 1024});
  iterate(scaler, context, 'F');
  const std::string before = saved(scaler, context);
  const auto ticket = scaler.ticket(context);
  for (std::string text : {before.substr(0, before.size() / 2), std::string("{}"), std::string(R"({"scale": -1.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2, "_growth_tracker": 0})")}) {
    CHECK_THROWS_WITH_AS(scaler.load(context, text.data(), text.size()), doctest::Contains("amphora [state]"), amp::error);
    CHECK(saved(scaler, context) == before);
    CHECK(ticket.valid());
  }
}

TEST_CASE("PyTorch 10: a loaded state overwrites settings and state, before and after the first loss") {
  context_type context;
  for (bool used : {false, true}) {
    amp::scaler source(context, amp::growth{4, 0.5, 2, 3}), target(context, amp::growth{7, 0.8, 8, 6});
    if (used)
      for (int i = 0; i < 7; ++i) iterate(target, context, 'F');
    const std::string text = saved(source, context);
    target.load(context, text.data(), text.size());
    CHECK(target.wait_scale(context) == 3);
    CHECK(target.rule().growth_factor == 4);
    CHECK(target.rule().backoff_factor == 0.5);
    CHECK(target.rule().growth_interval == 2);
    CHECK(target.wait_state(context).clean == 0);
    CHECK(read_device(context, target.ticket(context).scale()) == 3);
  }
}

TEST_CASE("a state is saved through a buffer of the caller, and refused where it does not fit") {
  context_type context;
  amp::scaler<context_type> scaler(context);
  char buffer[amp::max_state_text];
  const std::size_t size = scaler.wait_save(context, buffer, sizeof buffer);
  CHECK(std::string(buffer, size) == saved(scaler, context));
  CHECK_THROWS_WITH_AS(scaler.wait_save(context, buffer, size - 1), doctest::Contains("[size]: wait_save"), amp::error);
  CHECK(scaler.wait_save(context, buffer, size) == size);
}

TEST_CASE("B08: an update is refused while scaled gradients are pending, and so two scales cannot meet in one buffer") {
  context_type context;
  amp::scaler<context_type> scaler(context);
  const device_array<float> loss(context, {1});
  std::vector<float> gradients{1};
  const device_array<amp::step_record> record(context, {{amp::step_result::stepped, 0, 0}});
  auto micro_step = scaler.scale(context, amp::view(loss.data()));
  const report early(record.data(), amp::ticket());
  auto again = scaler.scale(context, amp::view(loss.data()));
  CHECK_THROWS_WITH_AS(scaler.update(context, early), doctest::Contains("[pending-gradients]: update"), amp::error);
  CHECK(micro_step.ticket().valid());
  auto handle = amp::scaled(gradients, micro_step.ticket(), again.ticket());
  CHECK_THROWS_WITH_AS(scaler.update(context, early), doctest::Contains("[pending-gradients]"), amp::error);
  CHECK_THROWS_AS(scaler.set_scale(context, 2), amp::error);
  CHECK_THROWS_AS(scaler.set_rule(context, amp::growth{}), amp::error);
  const std::string text = saved(scaler, context);
  CHECK_THROWS_AS(scaler.load(context, text.data(), text.size()), amp::error);
  auto parts = std::move(handle).take("step");
  scaler.update(context, report(record.data(), parts.used));
  CHECK(scaler.wait_state(context).taken == 1);
}

TEST_CASE("an update takes outcomes of this scaler and of this generation only") {
  context_type context;
  amp::scaler<context_type> scaler(context), other(context);
  const device_array<amp::step_record> record(context, {{amp::step_result::stepped, 0, 0}});
  const report mine(record.data(), scaler.ticket(context)), theirs(record.data(), other.ticket(context));
  CHECK_THROWS_WITH_AS(scaler.update(context, mine, theirs), doctest::Contains("[mixed-tickets]: update"), amp::error);
  CHECK(scaler.wait_state(context).taken == 0);
  scaler.update(context, mine);
  CHECK_THROWS_WITH_AS(scaler.update(context, mine), doctest::Contains("[stale-ticket]: update"), amp::error);
  CHECK(scaler.wait_state(context).taken == 1);
}

TEST_CASE("several losses and optimizers share one scaler: one overflow backs off once") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 1, 128});
  const device_array<float> losses(context, {1, 2});
  std::vector<float> g0{1}, g1{1};
  const device_array<amp::step_record> r0(context, {{amp::step_result::stepped, 0, 0}}), r1(context, {{amp::step_result::skipped, 1, 0}});
  auto first = scaler.scale(context, amp::view(losses.data())), second = scaler.scale(context, amp::view(losses.data() + 1));
  CHECK(first.ticket() == second.ticket());
  CHECK(read_device(context, second.value().data()) == 256);
  auto p0 = amp::scaled(g0, first.ticket(), second.ticket()).take("step");
  auto p1 = amp::scaled(g1, first.ticket(), second.ticket()).take("step");
  scaler.update(context, report(r0.data(), p0.used), report(r1.data(), p1.used));
  CHECK(scaler.wait_scale(context) == 64);
  CHECK(scaler.wait_state(context).skipped == 1);
}

TEST_CASE("accumulation keeps the scale: any number of losses have one ticket until the update") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 1, 128});
  const device_array<float> loss(context, {1});
  for (int batch = 0; batch < 2; ++batch) {
    std::vector<float> gradients{0};
    amp::ticket ticket;
    for (int micro = 0; micro < 2; ++micro) {
      auto scaled = scaler.scale(context, amp::view(loss.data()));
      gradients[0] += read_device(context, scaled.value().data());
      if (micro) CHECK(scaled.ticket() == ticket);
      ticket = scaled.ticket();
    }
    const device_array<amp::step_record> record(context, {{amp::step_result::stepped, 0, 0}});
    auto parts = amp::scaled(gradients, ticket).take("step");
    CHECK(gradients[0] * read_device(context, parts.used.inverse()) == 2);
    scaler.update(context, report(record.data(), parts.used));
  }
  CHECK(scaler.wait_scale(context) == 512);  // PyTorch 22
}

TEST_CASE("PyTorch 13: a disabled scaler scales by one, counts nothing and ignores what it loads") {
  context_type context;
  amp::scaler scaler(context, amp::growth{}, false);
  CHECK_FALSE(scaler.enabled());
  const device_array<float> loss(context, {3});
  auto scaled = scaler.scale(context, amp::view(loss.data()));
  CHECK(read_device(context, scaled.value().data()) == 3);
  CHECK(read_device(context, scaled.ticket().inverse()) == 1);
  const device_array<amp::step_record> record(context, {{amp::step_result::skipped, 1, 0}});
  scaler.update(context, report(record.data(), scaled.ticket()));
  CHECK_FALSE(scaled.ticket().valid());
  CHECK(scaler.wait_state(context) == amp::scale_state{});
  scaler.set_scale(context, 4);
  scaler.set_rule(context, amp::growth{3});
  amp::scaler<context_type> other(context);
  const std::string text = saved(other, context), own = saved(scaler, context);
  scaler.load(context, text.data(), text.size());
  scaler.load(context, own.data(), own.size());
  CHECK(scaler.wait_scale(context) == 1);
  CHECK_THROWS_WITH_AS(other.load(context, own.data(), own.size()), doctest::Contains("disabled"), amp::error);
  CHECK_THROWS_AS(scaler.load(context, text.data(), 10), amp::error);
}

TEST_CASE("the scale can be set by hand, within the rule's bounds; the clean steps stay") {
  context_type context;
  amp::growth rule{2, 0.5, 4, 256};
  rule.ceiling = 1024;
  amp::scaler scaler(context, rule);
  iterate(scaler, context, 'F');
  scaler.set_scale(context, 512);
  CHECK(scaler.wait_scale(context) == 512);
  CHECK(scaler.wait_state(context).clean == 1);
  CHECK(read_device(context, scaler.ticket(context).inverse()) == 1 / 512.0f);
  for (float bad : {0.0f, -1.0f, 2048.0f, 1e-39f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(scaler.set_scale(context, bad), doctest::Contains("[scale-bounds]: set_scale"), amp::error);
  CHECK(scaler.wait_scale(context) == 512);
}

TEST_CASE("the rule can be replaced in a run; scale and counters stay as far as it allows") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 100, 256});
  for (int i = 0; i < 50; ++i) iterate(scaler, context, 'F');
  amp::growth rule{4, 0.5, 4, 256};
  scaler.set_rule(context, rule);
  iterate(scaler, context, 'F');
  CHECK(scaler.wait_scale(context) == 1024);
  CHECK(scaler.wait_state(context).taken == 51);
  rule.ceiling = 512;
  scaler.set_rule(context, rule);
  CHECK(scaler.wait_scale(context) == 512);
  rule.growth_factor = 1;
  CHECK_THROWS_AS(scaler.set_rule(context, rule), amp::error);
  CHECK(scaler.rule().growth_factor == 4);
}

TEST_CASE("B01: a scaler with settings that cannot work is refused before it takes memory") {
  context_type context;
  CHECK_THROWS_WITH_AS(amp::scaler(context, amp::growth{1}), doctest::Contains("[scale-bounds]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::scaler(context, amp::fixed{0}), doctest::Contains("[scale-bounds]"), amp::error);
  CHECK(context.allocations() == 0);
}

TEST_CASE("a scaler that was moved from says so") {
  context_type context;
  amp::scaler<context_type> scaler(context);
  amp::scaler<context_type> other = std::move(scaler);
  CHECK_THROWS_WITH_AS(scaler.wait_scale(context), doctest::Contains("[used-twice]: wait_state"), amp::error);
  CHECK(other.wait_scale(context) == 65536);
}
