// What runs on the device for a scaler: one thread that moves the state, and the product with the loss.
#pragma once
#include <amphora/detail/config.hpp>          // AMPHORA_HD
#include <amphora/format/convert.hpp>         // convert
#include <amphora/scale/gradient_facts.hpp>   // gradient_facts
#include <amphora/scale/outcome.hpp>          // step_record, step_result
#include <amphora/scale/rule.hpp>             // next
#include <amphora/scale/state.hpp>            // scale_state
#include <amphora/scale/ticket.hpp>           // scale_slot

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// A scaler's memory on its device. A ticket points to one of the two slots; an update writes the other.
struct scale_memory {
  scale_state state;
  scale_slot slots[2];
};

namespace detail {

/// 1 / scale is computed in double and rounded once, as PyTorch does.
AMPHORA_HD constexpr scale_slot slot_of(const scale_state& state) { return {state.scale, static_cast<float>(1.0 / static_cast<double>(state.scale))}; }

/// What one optimizer, or one check without a step, has to say. One of the two is null.
struct step_report {
  const step_record* step;
  const gradient_facts* check;
};

/// Moves the state by what all optimizers of one iteration found. The state is both read and written where it lies, so that a
/// captured update can be replayed.
template <class Rule, int Count>
struct update_scale {
  Rule rule;
  scale_memory* memory;
  int slot;  ///< which one the coming generation reads
  step_report reports[Count];

  AMPHORA_HD void operator()() const {
    bool any = false, all_stepped = true;
    std::uint32_t found = 0;
    std::int64_t changed = 0;
    for (const step_report& report : reports) {
      if (report.step && report.step->result != step_result::nothing) {
        any = true, all_stepped = all_stepped && report.step->result == step_result::stepped;
        found |= report.step->found_non_finite, changed += report.step->changed;
      }
      if (report.check && report.check->present) any = true, all_stepped = false, found |= report.check->found_non_finite;
    }
    if (any) memory->state = next(rule, memory->state, found != 0, all_stepped, changed);
    memory->slots[slot] = slot_of(memory->state);
  }
};

/// The state that the scaler goes on with: a loaded one, a set scale.
struct replace_state {
  scale_state state;
  scale_memory* memory;
  AMPHORA_HD void operator()() const {
    memory->state = state;
    memory->slots[0] = memory->slots[1] = slot_of(state);
  }
};
struct replace_scale {
  float scale;
  scale_memory* memory;
  int slot;
  AMPHORA_HD void operator()() const {
    memory->state.scale = memory->state.upcoming = scale;
    memory->slots[slot] = slot_of(memory->state);
  }
};
template <class Rule>
struct adopt_rule {
  Rule rule;
  scale_memory* memory;
  int slot;
  AMPHORA_HD void operator()() const {
    memory->state = rule.adopted(memory->state);
    memory->slots[slot] = slot_of(memory->state);
  }
};

/// Brings a slot up to date; the state may have moved in a replayed graph.
struct refresh_slot {
  scale_memory* memory;
  int slot;
  AMPHORA_HD void operator()() const { memory->slots[slot] = slot_of(memory->state); }
};
/// result[i] = loss[i] · scale, in float.
template <class T>
struct scale_loss {
  const T* loss;
  float* result;
  scale_memory* memory;
  int slot;
  AMPHORA_HD void operator()(std::int64_t i) const {
    if (i == 0) memory->slots[slot] = slot_of(memory->state);
    result[i] = static_cast<float>(convert<f32>(loss[i])) * memory->state.scale;
  }
};

}  // namespace detail
}}  // namespace amphora
