// The loops of a step over one tensor, the same text at each level of the CPU's instructions.
#pragma once
#include <amphora/format/real.hpp>           // real
#include <amphora/host/block.hpp>            // block, load_one, store_one
#include <amphora/host/level.hpp>            // AMPHORA_EXACT, AMPHORA_TARGET, AMPHORA_INLINE, AMPHORA_INDEPENDENT
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/step_table.hpp>  // step_tensor
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding
#include <amphora/optimizer/sum_order.hpp>   // step_block, step_lanes

#include <cstdint>  // int64_t, uintptr_t
#include <cstring>  // memcpy

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 says so of its own intrinsics (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // below -O2 nothing is vectorised
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How the update reads gradients: by one factor, or value by value.
struct step_reading {
  float factor;
  bool plain;
  const gradient_facts* facts;

  explicit step_reading(const gradient_facts& f) : factor(f.is_plain() ? f.factor() : 1.0f), plain(f.is_plain()), facts(&f) {}
  AMPHORA_APART void repair(float* x, format_id format) const {
    std::int64_t changed = 0;
    for (int i = 0; i < step_block; ++i) x[i] = facts->value(x[i], largest_of(format), changed);
  }
};

inline const void* element(const void* data, format_id format, std::int64_t i) { return static_cast<const char*>(data) + i * size_of(format); }
inline void* element(void* data, format_id format, std::int64_t i) { return static_cast<char*>(data) + i * size_of(format); }

// What a whole block of float weights does not need stays out of the loops, so that they stay short.

/// The last, short block: missing elements are 0, and their results go nowhere.
AMPHORA_APART inline void load_part(format_id format, const void* data, std::int64_t i, int count, float* x) {
  for (int j = 0; j < step_block; ++j) x[j] = j < count ? load_one(format, data, i + j) : 0.0f;
}
AMPHORA_APART inline void store_part(format_id format, const float* x, void* data, std::int64_t i, int count) {
  for (int j = 0; j < count; ++j) store_one(format, x[j], data, i + j);
}
AMPHORA_APART inline void store_stochastic(const float* x, void* data, std::int64_t i, int count, const stochastic_rounding& random) {
  std::uint16_t bits[step_block];
  random.random_64(i, bits);
  for (int j = 0; j < step_block; ++j) bits[j] = round_stochastically(bit_cast<std::uint32_t>(x[j]), bits[j]);
  std::memcpy(static_cast<char*>(data) + 2 * i, bits, static_cast<std::size_t>(count) * 2);
}
AMPHORA_APART inline void copy_part(const float* from, int count, float* to) {
  for (int j = 0; j < step_block; ++j) to[j] = j < count ? from[j] : 0.0f;
}

/// Asks for the block that is written eight blocks from now, where there is one: processors alone look less far ahead. Never a fault.
AMPHORA_INLINE void fetch_ahead(const float* block) {
#if defined(__GNUC__)
  const auto ahead = reinterpret_cast<std::uintptr_t>(block) + 8 * step_block * sizeof(float);
  for (std::uintptr_t line = 0; line < step_block * sizeof(float); line += 64) __builtin_prefetch(reinterpret_cast<const void*>(ahead + line), 1, 3);
#else
  static_cast<void>(block);
#endif
}

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

AMPHORA_INLINE void add_squares(const float* x, float* sum) {
  AMPHORA_INDEPENDENT
  for (int i = 0; i < step_block; ++i) sum[i] = (real(sum[i]) + real(x[i]) * real(x[i])).x;
}
template <int Half = step_lanes / 2, class Real> AMPHORA_INLINE double fold_lanes(Real* sum) {
  if constexpr (Half == 0) {
    return static_cast<double>(sum[0]);
  } else {
    AMPHORA_INDEPENDENT
    for (int i = 0; i < Half; ++i) sum[i] += sum[i + Half];
    return fold_lanes<Half / 2>(sum);
  }
}
/// The rule on one block. Copies of all that is not written, so that no store can be thought to change it.
template <class Rule>
AMPHORA_INLINE void apply_rule(const Rule& rule, const typename rule_traits<Rule>::now& now, float factor, const float* x, float* w, float* const* state) {
  constexpr int states = rule_traits<Rule>::states;
  float* s[state_slots<Rule>];
  for (int k = 0; k < states; ++k) s[k] = state[k];
  AMPHORA_INDEPENDENT
  for (int i = 0; i < step_block; ++i) {
    real weight = w[i], own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    rule(real(x[i]) * real(factor), weight, own, now);
    w[i] = weight.x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}
/// The direction on one block, left in x.
template <class Rule>
AMPHORA_INLINE void find_direction(const Rule& rule, const typename rule_traits<Rule>::now& now, float factor, float* x, const float* w, float* const* s) {
  constexpr int states = rule_traits<Rule>::states;
  for (int i = 0; i < step_block; ++i) {
    real own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    x[i] = rule.direction(real(x[i]) * real(factor), real(w[i]), own, now).x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}
template <class Rule>
AMPHORA_INLINE void apply_trust(const Rule& rule, const typename rule_traits<Rule>::now& now, real trust, float factor, const float* x, float* w, float* const* s) {
  constexpr int states = rule_traits<Rule>::states;
  for (int i = 0; i < step_block; ++i) {
    real weight = w[i], own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    rule.apply(real(x[i]) * real(factor), trust, weight, own, now);
    w[i] = weight.x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}
AMPHORA_INLINE void add_double_squares(const float* x, int count, double* sum) {
  for (int i = 0; i < count; ++i) sum[i] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

/// Whole rows of lanes with the sums in registers, where there are enough of them. Where the loop is to go on.
template <class Level> inline std::int64_t square_rows(Level, const gradient_view&, std::int64_t from, std::int64_t, float*) { return from; }
#if AMPHORA_X86
template <class Format>
AMPHORA_AVX512 inline std::int64_t square_rows_of(const void* data, std::int64_t from, std::int64_t to, float* sum) {
  __m512 lane[step_lanes / 16];
  for (__m512& x : lane) x = _mm512_setzero_ps();
  std::int64_t i = from;
  for (; i + step_lanes <= to; i += step_lanes)
#if !defined(__CUDACC__)
#pragma GCC unroll 16
#endif
    for (int k = 0; k < step_lanes / 16; ++k) {
      const __m512 x = block<level_avx512>::load16<Format>(static_cast<const char*>(data) + (i + 16 * k) * (Format::bits / 8));
      lane[k] = _mm512_add_ps(lane[k], _mm512_mul_ps(x, x));
    }
  for (int k = 0; k < step_lanes / 16; ++k) _mm512_storeu_ps(sum + 16 * k, lane[k]);
  return i;
}
template <> AMPHORA_AVX512 inline std::int64_t square_rows(level_avx512, const gradient_view& g, std::int64_t from, std::int64_t to, float* sum) {
  if (g.format == format_id::f16) return square_rows_of<f16>(g.data, from, to, sum);
  if (g.format == format_id::bf16) return square_rows_of<bf16>(g.data, from, to, sum);
  return from;
}
#endif

template <class Level> struct step_loops;

// Loads and stores need the level's attribute on the function that they are inlined into, so the outer loops are stamped.
#define AMPHORA_STEP_BEGIN(Level)                                                                                          \
  const int count = static_cast<int>(to - i < step_block ? to - i : step_block);                                          \
  if (count == step_block) block<Level>::load(g.format, element(g.data, g.format, i), place.x);                           \
  else load_part(g.format, g.data, i, count, place.x);                                                                    \
  if (!reading.plain) reading.repair(place.x, g.format);                                                                  \
  place.find(t, i, count);                                                                                                \
  if (!t.master && count == step_block) block<Level>::load(t.targets[0].format, element(t.targets[0].data, t.targets[0].format, i), place.w);
#define AMPHORA_STEP_END(Level)                                                                                           \
  place.put(t, i, count);                                                                                                 \
  for (const model_pointer& target : t.targets) {                                                                         \
    if (!target.data) break;                                                                                              \
    if (t.stochastic && target.format == format_id::bf16) store_stochastic(place.w, target.data, i, count, random);         \
    else if (count == step_block) block<Level>::store(target.format, place.w, element(target.data, target.format, i));    \
    else store_part(target.format, place.w, target.data, i, count);                                                       \
  }

#define AMPHORA_STEP_LOOPS(Level, Attribute)                                                                              \
  template <> struct step_loops<Level> {                                                                                  \
    template <class Build = this_build>                                                                                   \
    Attribute static double squares(const gradient_view& g, std::int64_t from, std::int64_t to) {                         \
      alignas(64) float x[step_block], sum[step_lanes] = {};                                                              \
      std::int64_t i = square_rows(Level{}, g, from, to, sum);                                                            \
      for (; i + step_block <= to; i += step_block) {                                                                     \
        block<Level>::load(g.format, element(g.data, g.format, i), x);                                                    \
        add_squares(x, sum + (i - from) % step_lanes);                                                                    \
      }                                                                                                                   \
      if (i < to) load_part(g.format, g.data, i, static_cast<int>(to - i), x), add_squares(x, sum + (i - from) % step_lanes); \
      return fold_lanes(sum);                                                                                             \
    }                                                                                                                     \
    template <class Rule, class Build = this_build>                                                                       \
    Attribute static void update(const Rule& given, const typename rule_traits<Rule>::now& at, const step_reading& reading, \
                                 const step_tensor& t, const gradient_view& g, std::int64_t from, std::int64_t to, const stochastic_rounding& random) { \
      step_place<Rule> place;                                                                                             \
      const Rule rule = given;                                                                                            \
      const typename rule_traits<Rule>::now now = at;                                                                     \
      const float factor = reading.factor;                                                                                \
      for (std::int64_t i = from; i < to; i += step_block) {                                                              \
        AMPHORA_STEP_BEGIN(Level)                                                                                         \
        apply_rule(rule, now, factor, place.x, place.w, place.s);                                                         \
        AMPHORA_STEP_END(Level)                                                                                           \
      }                                                                                                                   \
    }                                                                                                                     \
    template <class Rule, class Build = this_build>                                                                       \
    Attribute static void direct(const Rule& given, const typename rule_traits<Rule>::now& at, const step_reading& reading, \
                                 const step_tensor& t, const gradient_view& g, std::int64_t from, std::int64_t to, double* norms) { \
      step_place<Rule> place;                                                                                             \
      double weights[step_lanes] = {}, directions[step_lanes] = {};                                                       \
      const Rule rule = given;                                                                                            \
      const typename rule_traits<Rule>::now now = at;                                                                     \
      for (std::int64_t i = from; i < to; i += step_block) {                                                              \
        AMPHORA_STEP_BEGIN(Level)                                                                                         \
        add_double_squares(place.w, count, weights + (i - from) % step_lanes);                                            \
        find_direction(rule, now, reading.factor, place.x, place.w, place.s);                                             \
        add_double_squares(place.x, count, directions + (i - from) % step_lanes);                                         \
        place.put(t, i, count);                                                                                           \
      }                                                                                                                   \
      norms[0] = fold_lanes(weights), norms[1] = fold_lanes(directions);                                                  \
    }                                                                                                                     \
    template <class Rule, class Build = this_build>                                                                       \
    Attribute static void trust(const Rule& given, const typename rule_traits<Rule>::now& at, real trust, const step_reading& reading, \
                                const step_tensor& t, const gradient_view& g, std::int64_t from, std::int64_t to, const stochastic_rounding& random) { \
      step_place<Rule> place;                                                                                             \
      const Rule rule = given;                                                                                            \
      const typename rule_traits<Rule>::now now = at;                                                                     \
      for (std::int64_t i = from; i < to; i += step_block) {                                                              \
        AMPHORA_STEP_BEGIN(Level)                                                                                         \
        apply_trust(rule, now, trust, reading.factor, place.x, place.w, place.s);                                         \
        AMPHORA_STEP_END(Level)                                                                                           \
      }                                                                                                                   \
    }                                                                                                                     \
  };

AMPHORA_STEP_LOOPS(level_base, AMPHORA_EXACT)
#if AMPHORA_X86
AMPHORA_STEP_LOOPS(level_avx2, AMPHORA_AVX2)
AMPHORA_STEP_LOOPS(level_avx512, AMPHORA_AVX512)
#endif
#undef AMPHORA_STEP_LOOPS
#undef AMPHORA_STEP_BEGIN
#undef AMPHORA_STEP_END

}}}  // namespace amphora::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
