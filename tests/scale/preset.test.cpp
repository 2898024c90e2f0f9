#include <amphora/scale/preset.hpp>  // preset
#include <amphora/scale/rule.hpp>    // next, is_within_bounds

#include "patterns.hpp"  // run, count, data

#include <doctest/doctest.h>

namespace amp = amphora;
using amp::preset;

namespace {

// Every preset is within its own bounds: they all compile as constants.
static_assert(amp::is_within_bounds(preset::pytorch()) && amp::is_within_bounds(preset::apex()) && amp::is_within_bounds(preset::apex_fp16_utils()));
static_assert(amp::is_within_bounds(preset::apex_hysteresis(2)) && amp::is_within_bounds(preset::megatron()) && amp::is_within_bounds(preset::deepspeed_old()));
static_assert(amp::is_within_bounds(preset::deepspeed()) && amp::is_within_bounds(preset::deepspeed_consecutive()) && amp::is_within_bounds(preset::deepspeed_fused()));
static_assert(amp::is_within_bounds(preset::deepspeed_unfused()) && amp::is_within_bounds(preset::fairseq()) && amp::is_within_bounds(preset::metaseq()));
static_assert(amp::is_within_bounds(preset::jmp()) && amp::is_within_bounds(preset::flax()) && amp::is_within_bounds(preset::keras()));
static_assert(amp::is_within_bounds(preset::tensorflow()) && amp::is_within_bounds(preset::paddle()) && amp::is_within_bounds(preset::paddle_amp_scaler()));
static_assert(amp::is_within_bounds(preset::paddle_static()) && amp::is_within_bounds(preset::paddle_static_old()) && amp::is_within_bounds(preset::oneflow()));
static_assert(amp::is_within_bounds(preset::mxnet()) && amp::is_within_bounds(preset::flashlight()) && amp::is_within_bounds(preset::tiny_cuda_nn()));

/// The settings of the reference table: start 256, interval 4; what else the system has stays.
amp::growth table(amp::growth rule, std::int64_t interval = 4) {
  rule.initial_scale = 256, rule.growth_interval = interval;
  return rule;
}
template <class Rule>
void follows(const char* system, const Rule& rule, bool aborts = false) {
  CAPTURE(system);
  rule.check();
  const auto all = scaling::data("trajectories.json");
  for (const char* name : {"A", "B", "C"}) {
    CAPTURE(name);
    const auto& reference = all[name][system];
    const auto states = scaling::run(rule, all[name]["pattern"]);
    bool aborted = false;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      CAPTURE(i);
      if (reference[i] == "ABORT") {
        aborted = true;
        CHECK(states[i].gave_up == 1);
        CHECK(states[i].scale == states[i - 1].scale);
      } else {
        CHECK(states[i].gave_up == 0);
        CHECK(states[i].scale == reference[i].get<float>());
      }
    }
    if (*name == 'C') CHECK(aborted == aborts);
  }
}
std::int64_t first_growth(const amp::growth& rule) {
  return scaling::count(rule, rule.start(), false, [&](const amp::scale_state& s) { return s.scale > rule.initial_scale; });
}
/// Clean steps from a run of overflows to the next growth.
std::int64_t growth_after(const amp::growth& rule, int overflows) {
  amp::scale_state state = rule.start();
  for (int i = 0; i < overflows; ++i) state = amp::next(rule, state, true);
  const float low = state.upcoming;
  return scaling::count(rule, state, false, [&](const amp::scale_state& s) { return s.scale > low; });
}
template <class Rule>
std::int64_t overflows_to_abort(const Rule& rule) {
  return scaling::count(rule, rule.start(), true, [](const amp::scale_state& s) { return s.gave_up == 1; });
}

}  // namespace

TEST_CASE("each preset follows its system over the reference patterns") {
  follows("apex.amp", table(preset::apex()));
  amp::growth capped = table(preset::apex());
  capped.ceiling = 1024;
  follows("apex.amp max=1024", capped);
  follows("apex fp16_utils", table(preset::apex_fp16_utils()));
  follows("apex hysteresis kernel h=2", preset::apex_hysteresis(2, 256, 4));
  follows("megatron h=2", table(preset::megatron()));
  follows("deepspeed ZeRO old h=2", table(preset::deepspeed_old()), true);
  follows("deepspeed ZeRO new h=2", table(preset::deepspeed()), true);
  follows("deepspeed ZeRO new h=2 consecutive", table(preset::deepspeed_consecutive()), true);
  follows("deepspeed fused new h=2", table(preset::deepspeed_fused()));
  follows("fairseq tol=0", table(preset::fairseq()));
  follows("fairseq tol=0.5", table(preset::fairseq(0.5)));
  follows("metaseq", table(preset::metaseq()));
  follows("jmp", table(preset::jmp()));
  follows("flax", table(preset::flax(), preset::flax(4).growth_interval));
  follows("keras3", table(preset::keras()));
  follows("paddle eager m=2", table(preset::paddle(2)));
  follows("paddle kernel m=2 dr=0.8", table(preset::paddle_static_old()));
  follows("oneflow", table(preset::oneflow()));
  follows("mxnet (scale for next forward)", table(preset::mxnet()));
  amp::additive_growth flashlight = preset::flashlight();
  flashlight.initial_scale = 256, flashlight.doubles_at = 4, flashlight.ceiling = 1000;
  follows("flashlight host (literal)", flashlight);
  // TensorFlow's is jmp's with a start of its own, as the sources say; the reference has no column for it.
  for (const char* pattern : {"FFIFFFFFIIFFFFFFIFIFFFFF", "IIIIIIIIIIIIII"}) {
    const auto theirs = scaling::run(table(preset::tensorflow()), pattern), jmp = scaling::run(table(preset::jmp()), pattern);
    for (std::size_t i = 0; i < jmp.size(); ++i) CHECK(theirs[i].scale == jmp[i].scale);
  }
}

TEST_CASE("each preset grows for the first time after its system's number of clean steps") {
  CHECK(first_growth(preset::pytorch()) == 2000);
  CHECK(first_growth(preset::apex()) == 2000);
  CHECK(first_growth(preset::apex_fp16_utils()) == 1000);
  CHECK(first_growth(preset::megatron()) == 1000);
  CHECK(first_growth(preset::deepspeed_old()) == 1000);
  CHECK(first_growth(preset::deepspeed()) == 1001);
  CHECK(first_growth(preset::deepspeed_consecutive()) == 1001);
  CHECK(first_growth(preset::deepspeed_fused()) == 1001);
  CHECK(first_growth(preset::deepspeed_unfused()) == 1001);
  CHECK(first_growth(preset::fairseq()) == 2000);
  CHECK(first_growth(preset::jmp()) == 2000);
  CHECK(first_growth(preset::keras()) == 2000);
  CHECK(first_growth(preset::tensorflow()) == 2000);
  CHECK(first_growth(preset::paddle()) == 2000);
  CHECK(first_growth(preset::paddle_amp_scaler()) == 1000);
  CHECK(first_growth(preset::paddle_static()) == 2000);
  CHECK(first_growth(preset::paddle_static_old()) == 1000);
  CHECK(first_growth(preset::flax()) == 2001);
  CHECK(first_growth(preset::mxnet()) == 2001);
  CHECK(first_growth(preset::metaseq()) == 256);
  CHECK(first_growth(preset::oneflow()) == -1);  // its start is its ceiling
  CHECK(scaling::run(preset::oneflow(), std::string(5000, 'F')).back().scale == 65536);
}

TEST_CASE("a second growth comes after the same number again, one less where only the first is late") {
  const auto second = [](const amp::growth& rule) {
    return scaling::count(rule, rule.start(), false, [&](const amp::scale_state& s) { return s.scale > 2 * rule.initial_scale; });
  };
  CHECK(second(preset::pytorch()) == 4000);
  CHECK(second(preset::deepspeed()) == 2001);
  CHECK(second(preset::flax()) == 4002);
  CHECK(second(preset::mxnet()) == 4001);
  CHECK(second(preset::metaseq()) == 512);
}

TEST_CASE("after an overflow run the presets need their system's number of clean steps again") {
  CHECK(growth_after(preset::pytorch(), 3) == 2000);
  CHECK(growth_after(preset::megatron(), 3) == 1000);
  CHECK(growth_after(preset::deepspeed(), 3) == 1001);
  CHECK(growth_after(preset::flax(), 3) == 2001);
  CHECK(growth_after(preset::metaseq(), 3) == 32);  // the window shrank with the scale: 256 / 2^3
}

TEST_CASE("where a system aborts, its preset has given up at the same overflow, and keeps its scale") {
  CHECK(overflows_to_abort(preset::deepspeed_old()) == 18);
  CHECK(overflows_to_abort(preset::deepspeed()) == 18);
  CHECK(overflows_to_abort(preset::fairseq()) == 29);
  CHECK(scaling::run(preset::fairseq(), std::string(29, 'I')).back().scale == 0x1p-13f);
  CHECK(overflows_to_abort(preset::flashlight()) == 27);
  CHECK(overflows_to_abort(preset::deepspeed_fused()) == -1);
  CHECK(overflows_to_abort(preset::pytorch()) == -1);
}

TEST_CASE("Megatron comes to its floor at the 33rd overflow, and to our ceiling instead of infinity") {
  const amp::growth rule = preset::megatron();
  CHECK(scaling::count(rule, rule.start(), true, [](const amp::scale_state& s) { return s.scale == 1; }) == 33);
  // Their 96th growth gives infinity, from which no backoff recovers. Ours stops two growths earlier and does.
  amp::growth quick = rule;
  quick.growth_interval = 1;
  CHECK(scaling::count(quick, quick.start(), false, [](const amp::scale_state& s) { return s.scale == amp::largest_scale; }) == 94);
  const auto states = scaling::run(quick, std::string(200, 'F') + "II");
  CHECK(states[199].scale == amp::largest_scale);
  CHECK(states[201].scale == amp::largest_scale / 2);
}

TEST_CASE("rules without a floor stop at 2^-126, where others go on to an infinite reciprocal and to 0") {
  // Their scale's reciprocal is infinite from the 144th overflow on (Apex), or the scale is 0 at the 143rd or 166th (hysteresis kernel).
  for (const amp::growth& rule : {preset::apex(), preset::apex_hysteresis(1), preset::keras(), preset::flax(), preset::paddle()}) {
    const auto states = scaling::run(rule, std::string(1200, 'I'));
    CHECK(states[141].scale == 0x1p-126f * (rule.initial_scale / 65536) * (rule.initial_scale < 65536 ? 2 : 1));
    CHECK(states.back().scale == amp::smallest_scale);
    CHECK(amp::next(rule, states.back(), false).scale == amp::smallest_scale);
  }
}

TEST_CASE("a resumed fairseq run goes on as if never interrupted, since all counters are state") {
  amp::growth rule = table(preset::fairseq());
  const auto whole = scaling::run(rule, "FFFIFFFFFFFF");
  const float expected[] = {256, 256, 256, 128, 128, 128, 128, 256, 256, 256, 256, 512};
  for (int i = 0; i < 12; ++i) CHECK(whole[i].scale == expected[i]);
}

TEST_CASE("flashlight's scale stops at its ceiling and doubles where it meets its interval") {
  amp::additive_growth rule = preset::flashlight();
  rule.initial_scale = 1996;
  const auto states = scaling::run(rule, "FFF");
  CHECK(states[0].scale == 1998);
  CHECK(states[1].scale == 2000);
  CHECK(states[2].scale == 4000);
  CHECK(scaling::run(preset::flashlight(), std::string(20000, 'F')).back().scale == 32000);
}
