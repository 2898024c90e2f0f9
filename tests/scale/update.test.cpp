#include <amphora/scale/growth.hpp>  // growth
#include <amphora/scale/update.hpp>  // update_scale, scale_loss

#include "patterns.hpp"  // data

#include <doctest/doctest.h>

#include <type_traits>

namespace amp = amphora;

// Kernels' arguments: plain bytes.
static_assert(std::is_trivially_copyable_v<amp::detail::update_scale<amp::growth, 3>> && std::is_trivially_copyable_v<amp::detail::scale_loss<amp::float16>>);
static_assert(amp::detail::slot_of(amp::growth{}.start()).scale == 65536 && amp::detail::slot_of(amp::growth{}.start()).inverse == 0x1p-16f);

namespace {

amp::scale_memory updated(const amp::step_record& a, const amp::step_record& b, const amp::gradient_facts* check = nullptr) {
  amp::scale_memory memory{amp::growth{}.start(), {}};
  amp::detail::update_scale<amp::growth, 3>{{}, &memory, 1, {{&a, nullptr}, {&b, nullptr}, {nullptr, check}}}();
  return memory;
}
constexpr amp::step_record stepped{amp::step_result::stepped, 0, 0}, skipped{amp::step_result::skipped, 1, 0}, nothing{amp::step_result::nothing, 0, 0};

}  // namespace

TEST_CASE("one overflow among several optimizers backs off once, by any flag that is not 0") {
  for (std::uint32_t flag : {1u, 2u, 0x80000000u}) {
    const auto memory = updated(stepped, {amp::step_result::skipped, flag, 0});
    CHECK(memory.state.scale == 32768);
    CHECK(memory.state.skipped == 1);
    CHECK(memory.state.taken == 0);
    CHECK(memory.slots[1].scale == 32768);
    CHECK(memory.slots[1].inverse == 1 / 32768.0f);
    CHECK(memory.slots[0].scale == 0);  // the slot of the tickets before is left alone
  }
  CHECK(updated(skipped, skipped).state.scale == 32768);
  CHECK(updated(stepped, stepped).state.clean == 1);
}

TEST_CASE("nothing to check moves nothing, beside a step it does not count") {
  CHECK(updated(nothing, nothing).state == amp::growth{}.start());
  CHECK(updated(nothing, stepped).state.taken == 1);
  CHECK(updated(skipped, nothing).state.scale == 32768);
}

TEST_CASE("repaired gradients count as an overflow and as a step taken") {
  const auto state = updated({amp::step_result::stepped, 1, 5}, {amp::step_result::stepped, 1, 2}).state;
  CHECK(state.scale == 32768);
  CHECK(state.taken == 1);
  CHECK(state.skipped == 0);
  CHECK(state.overflows == 1);
  CHECK(state.changed == 7);
}

TEST_CASE("a check without a step moves the scale by what it found") {
  amp::gradient_facts facts;
  facts.present = 1;
  CHECK(updated(nothing, nothing, &facts).state.clean == 1);
  CHECK(updated(nothing, nothing, &facts).state.skipped == 1);
  facts.found_non_finite = 1;
  CHECK(updated(nothing, nothing, &facts).state.scale == 32768);
  facts = {};
  CHECK(updated(nothing, nothing, &facts).state == amp::growth{}.start());
}

TEST_CASE("the inverse of a scale is PyTorch's, to the bit") {
  const auto data = scaling::data("torch.json");
  for (const auto& reference : data["unscale"]) {
    amp::scale_state state;
    state.scale = state.upcoming = reference["scale"].get<float>();
    CHECK(amp::detail::slot_of(state).inverse == reference["inverse"].get<float>());
  }
}

TEST_CASE("replayed with the pointers that it was recorded with, a step goes on from where the state is") {
  amp::scale_memory memory{amp::growth{2, 0.5, 2000, 4}.start(), {}};
  amp::step_record record = stepped;
  float loss = 5, scaled = 0;
  const amp::detail::scale_loss<float> forward{&loss, &scaled, &memory, 0};
  const amp::detail::update_scale<amp::growth, 1> update{{2, 0.5, 2000, 4}, &memory, 1, {{&record, nullptr}}};
  // PyTorch 28: inputs 5, 20000, 5, 40000 give scales 4, 2, 2, 1 and trackers 1, 0, 1, 0.
  const float inputs[] = {5, 20000, 5, 40000}, scales[] = {4, 2, 2, 1}, gradients[] = {20, 40000 * 2.0f, 10, 40000 * 2.0f};
  const std::int64_t trackers[] = {1, 0, 1, 0};
  for (int i = 0; i < 4; ++i) {
    loss = inputs[i];
    forward(0);
    CHECK(scaled == gradients[i]);
    record = scaled > 65504 ? skipped : stepped;  // in f16 it would be infinite
    update();
    CHECK(memory.state.scale == scales[i]);
    CHECK(memory.state.clean == trackers[i]);
  }
}
