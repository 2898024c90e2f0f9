#include <amphora/error.hpp>         // error
#include <amphora/scale/growth.hpp>  // growth
#include <amphora/scale/rule.hpp>    // next, is_within_bounds

#include "patterns.hpp"  // run, data

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace amp = amphora;

namespace {

constexpr amp::growth small_one{2, 0.5, 2, 4};  // factors, interval, start

// The state machine runs where a constant is needed.
constexpr amp::scale_state after(const amp::growth& rule, const char* pattern) {
  amp::scale_state state = rule.start();
  for (; *pattern; ++pattern) state = amp::next(rule, state, *pattern == 'I');
  return state;
}
static_assert(after(amp::growth{}, "").scale == 65536);
static_assert(after(amp::growth{}, "I").scale == 32768);
static_assert(after(small_one, "F").scale == 4 && after(small_one, "F").clean == 1);
static_assert(after(small_one, "FF").scale == 8 && after(small_one, "FF").clean == 0);
static_assert(after(small_one, "FFI").scale == 4 && after(small_one, "FIFI").clean == 0);
static_assert(after(small_one, "FFI").taken == 2 && after(small_one, "FFI").skipped == 1 && after(small_one, "FFI").overflows == 1);
static_assert(amp::is_within_bounds(amp::growth{}) && amp::is_within_bounds(small_one));
static_assert(!amp::is_within_bounds(amp::growth{1}) && !amp::is_within_bounds(amp::growth{2, 0}) && !amp::is_within_bounds(amp::growth{2, 0.5, 0}));
static_assert(!amp::is_within_bounds(amp::growth{std::numeric_limits<double>::quiet_NaN()}));

template <class Change>
amp::growth with(Change change) {
  amp::growth rule;
  change(rule);
  return rule;
}

}  // namespace

TEST_CASE("a growth follows PyTorch's GradScaler wherever that stays within our bounds") {
  const auto data = scaling::data("torch.json");
  for (const auto& reference : data["trajectories"]) {
    const auto& settings = reference["settings"];
    amp::growth rule;
    rule.initial_scale = settings["init_scale"].get<float>(), rule.growth_factor = settings["growth_factor"], rule.backoff_factor = settings["backoff_factor"];
    rule.growth_interval = settings["growth_interval"].get<std::int64_t>();
    CAPTURE(settings.dump());
    if (rule.initial_scale < amp::smallest_scale || rule.initial_scale > amp::largest_scale) {
      CHECK_THROWS_AS(rule.check(), amp::error);
      continue;
    }
    rule.check();
    const auto states = scaling::run(rule, reference["pattern"]);
    REQUIRE(states.size() == reference["scale"].size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      const float theirs = reference["scale"][i].get<float>();
      CHECK(states[i].scale == std::fmin(std::fmax(theirs, amp::smallest_scale), amp::largest_scale));
      CHECK(states[i].clean == reference["growth_tracker"][i].get<std::int64_t>());
      CHECK(states[i].taken == (i ? states[i - 1].taken : 0) + reference["stepped"][i].get<int>());
    }
  }
}

TEST_CASE("a growth moves at the same steps as PyTorch's at its true defaults") {
  const auto reference = scaling::data("torch.json")["defaults"];
  const auto states = scaling::run(amp::growth{}, std::string(2001, 'F') + "I" + std::string(2001, 'F'));
  nlohmann::json changes = nlohmann::json::array();
  float before = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].scale != before) changes.push_back({i, states[i].scale, states[i].clean});
    before = states[i].scale;
  }
  CHECK(changes == reference["changes_step_scale_tracker"]);
  CHECK(states.back().clean == reference["last_tracker"].get<std::int64_t>());
}

TEST_CASE("a growth makes of one state what PyTorch's update kernel makes of it, within our bounds") {
  const auto data = scaling::data("torch.json");
  for (const auto& reference : data["update_kernel"]) {
    CAPTURE(reference.dump());
    amp::growth rule{reference["growth_factor"], reference["backoff_factor"], reference["growth_interval"].get<std::int64_t>()};
    amp::scale_state state = rule.start();
    state.scale = state.upcoming = reference["scale"], state.clean = reference["tracker"].get<std::int64_t>();
    if (!amp::detail::is_scale(state.scale)) continue;  // 2^127, which no scaler of ours comes to
    state = amp::next(rule, state, reference["found_inf"].get<float>() != 0);
    CHECK(state.scale == reference["new_scale"].get<float>());
    CHECK(state.clean == reference["new_tracker"].get<std::int64_t>());
  }
}

TEST_CASE("PyTorch 1: scale 4, growth 2, backoff 0.25, interval 2") {
  const auto states = scaling::run(amp::growth{2, 0.25, 2, 4}, "FFI");
  CHECK(states[0].scale == 4);
  CHECK(states[0].clean == 1);
  CHECK(states[1].scale == 8);
  CHECK(states[1].clean == 0);
  CHECK(states[2].scale == 2);
  CHECK(states[2].clean == 0);
}

TEST_CASE("PyTorch 18: a growth that would leave the bounds keeps the scale finite") {
  const auto states = scaling::run(amp::growth{16, 0.5, 1, 8e37f}, "FFF");
  for (const auto& state : states) CHECK(state.scale == 8e37f);
  // 2^16 reaches the bound after 110 growths and stays there; PyTorch goes on to 2^127, whose reciprocal is subnormal.
  amp::growth fast;
  fast.growth_interval = 1;
  CHECK(scaling::count(fast, fast.start(), false, [](const amp::scale_state& s) { return s.scale == amp::largest_scale; }) == 110);
  CHECK(scaling::run(fast, std::string(300, 'F')).back().scale == amp::largest_scale);
}

TEST_CASE("B01: 200 overflows leave a scale whose reciprocal is finite and normal, and the floor can be asked for") {
  const amp::growth rule;
  int at_floor = 0, first = 0;
  amp::scale_state state = rule.start();
  for (int i = 1; i <= 200; ++i) {
    state = amp::next(rule, state, true);
    CHECK(state.scale >= amp::smallest_scale);
    CHECK(std::isnormal(1 / state.scale));
    at_floor += rule.is_at_floor(state);
    if (at_floor == 1 && !first) first = i;
  }
  CHECK(state.scale == 0x1p-126f);
  CHECK(first == 142);  // 2^16 · 2^-142
  CHECK(at_floor == 59);
  CHECK(state.skipped == 200);
  CHECK_FALSE(rule.is_at_floor(rule.start()));
}

TEST_CASE("B01: settings with which a scale cannot work are refused, each by name") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (double bad : {1.0, 0.5, 0.0, -2.0, nan, inf, 1 + 1e-12}) CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.growth_factor = bad; }).check(), doctest::Contains("[scale-bounds]: growth: growth_factor"), amp::error);
  for (double bad : {1.0, 0.0, -0.5, 2.0, nan, inf, 1 - 1e-12}) CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.backoff_factor = bad; }).check(), doctest::Contains("backoff_factor"), amp::error);
  for (double bad : {0.0, -1.0, nan, inf, 1e-38, 1e38}) CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.initial_scale = static_cast<float>(bad); }).check(), doctest::Contains("initial scale"), amp::error);
  for (std::int64_t bad : {0, -1}) CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.growth_interval = bad; }).check(), doctest::Contains("growth_interval"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.floor = 4, r.ceiling = 2; }).check(), doctest::Contains("above the ceiling"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.floor = 0; }).check(), doctest::Contains("floor"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.ceiling = static_cast<float>(inf); }).check(), doctest::Contains("ceiling"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.floor = 131072; }).check(), doctest::Contains("between floor and ceiling"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.hysteresis = 0; }).check(), doctest::Contains("hysteresis"), amp::error);
  for (double bad : {-0.1, 1.1, nan}) CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.tolerance = bad; }).check(), doctest::Contains("tolerance"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.give_up_at = -1; }).check(), doctest::Contains("give_up_at"), amp::error);
  CHECK_THROWS_WITH_AS(with([&](amp::growth& r) { r.refill = static_cast<amp::refill>(7); }).check(), doctest::Contains("refill"), amp::error);
}

TEST_CASE("B03: one overflow at 1 gives 0.5, or 1 with that floor, and is skipped both times") {
  amp::growth rule{2, 0.5, 2000, 1};
  amp::scale_state state = amp::next(rule, rule.start(), true);
  CHECK(state.scale == 0.5f);
  CHECK(state.skipped == 1);
  CHECK(state.taken == 0);
  rule.floor = 1;
  state = amp::next(rule, rule.start(), true);
  CHECK(state.scale == 1);
  CHECK(state.skipped == 1);
  CHECK(state.taken == 0);
  CHECK(rule.is_at_floor(state));
}

TEST_CASE("a bound stops the scale or holds it, as the rule says") {
  amp::growth rule{3, 0.3, 1, 5};
  rule.floor = 2, rule.ceiling = 14;
  CHECK(amp::next(rule, rule.start(), true).scale == 2);    // 1.5 → the floor
  CHECK(amp::next(rule, rule.start(), false).scale == 5);   // 15 → held
  rule.hold_at_floor = true, rule.hold_at_ceiling = false;
  CHECK(amp::next(rule, rule.start(), true).scale == 5);
  CHECK(amp::next(rule, rule.start(), false).scale == 14);
}

TEST_CASE("a rule allows exactly the states that it comes to") {
  for (amp::growth rule : {amp::growth{}, amp::growth{2, 0.5, 4}, with([](amp::growth& r) { r.growth_interval = 3, r.hysteresis = 2, r.first_growth_late = true; }),
                           with([](amp::growth& r) { r.growth_interval = 3, r.interval_follows = true; }), with([](amp::growth& r) { r.growth_interval = 3, r.one_step_late = true; })}) {
    for (const auto& state : scaling::run(rule, "FFIFFFFFIIFFFFFFIFIFFFFFIIIIFFFF")) CHECK(rule.allows(state));
    amp::scale_state bad = rule.start();
    bad.clean = -1;
    CHECK_FALSE(rule.allows(bad));
    bad = rule.start(), bad.scale = bad.upcoming = 0;
    CHECK_FALSE(rule.allows(bad));
    bad = rule.start(), bad.scale = bad.upcoming = std::numeric_limits<float>::quiet_NaN();
    CHECK_FALSE(rule.allows(bad));
    bad = rule.start(), bad.hysteresis = rule.hysteresis + 1;
    CHECK_FALSE(rule.allows(bad));
    bad = rule.start(), bad.taken = -1;
    CHECK_FALSE(rule.allows(bad));
  }
  amp::scale_state bad = amp::growth{}.start();
  bad.clean = 2000;
  CHECK_FALSE(amp::growth{}.allows(bad));
  bad = amp::growth{}.start(), bad.upcoming = 1;
  CHECK_FALSE(amp::growth{}.allows(bad));
}

TEST_CASE("an interval lowered below the clean steps grows at the next one instead of never") {
  const amp::growth slow{2, 0.5, 100, 8}, fast{2, 0.5, 4, 8};
  amp::scale_state state = slow.start();
  for (int i = 0; i < 50; ++i) state = amp::next(slow, state, false);
  state = amp::next(fast, fast.adopted(state), false);
  CHECK(state.scale == 16);
  CHECK(state.clean == 0);
}
