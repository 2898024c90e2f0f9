// Where a step finds and leaves one block's weights and state.
#pragma once
#include <amphora/host/block_part.hpp>       // copy_part, load_part
#include <amphora/host/level.hpp>            // AMPHORA_APART, AMPHORA_INLINE
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/step_table.hpp>  // step_tensor
#include <amphora/optimizer/sum_order.hpp>   // step_block

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uintptr_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Asks for the block that is written eight blocks from now, where there is one: processors alone look less far ahead. Never a fault.
AMPHORA_INLINE void fetch_ahead(const float* block) {
#if defined(__GNUC__)
  const auto ahead = reinterpret_cast<std::uintptr_t>(block) + 8 * step_block * sizeof(float);
  for (std::uintptr_t line = 0; line < step_block * sizeof(float); line += 64) __builtin_prefetch(reinterpret_cast<const void*>(ahead + line), 1, 3);
#else
  static_cast<void>(block);
#endif
}

/// An array of states cannot have none.
template <class Rule> inline constexpr int state_slots = rule_traits<Rule>::states > 0 ? rule_traits<Rule>::states : 1;

/// Where one block's weights and state lie: in place, or in here for a short block and for weights that are not float.
template <class Rule>
struct step_place {
  alignas(64) float x[step_block];
  alignas(64) float own_weights[step_block];
  alignas(64) float own_state[state_slots<Rule>][step_block];
  float* w;
  float* s[state_slots<Rule>];

  AMPHORA_INLINE void find(const step_tensor& t, std::int64_t i, int count) {
    if (count != step_block || !t.master) return find_part(t, i, count);
    w = t.master + i;
    fetch_ahead(w);
    for (int k = 0; k < rule_traits<Rule>::states; ++k) s[k] = t.state + k * t.stride + i, fetch_ahead(s[k]);
  }
  AMPHORA_INLINE void put(const step_tensor& t, std::int64_t i, int count) const {
    if (count != step_block) put_part(t, i, count);
  }

 private:
  AMPHORA_APART void find_part(const step_tensor& t, std::int64_t i, int count) {
    const bool whole = count == step_block;
    w = t.master && whole ? t.master + i : own_weights;
    if (t.master && !whole) copy_part(t.master + i, count, w);
    if (!t.master && !whole) load_part(t.targets[0].format, t.targets[0].data, i, count, w);
    for (int k = 0; k < rule_traits<Rule>::states; ++k) {
      float* given = t.state + k * t.stride + i;
      s[k] = whole ? given : own_state[k];
      if (!whole) copy_part(given, count, s[k]);
    }
  }
  AMPHORA_APART void put_part(const step_tensor& t, std::int64_t i, int count) const {
    for (int k = 0; k < rule_traits<Rule>::states; ++k) std::memcpy(t.state + k * t.stride + i, s[k], static_cast<std::size_t>(count) * sizeof(float));
    if (t.master) std::memcpy(t.master + i, w, static_cast<std::size_t>(count) * sizeof(float));
  }
};

}}}  // namespace amphora::detail
