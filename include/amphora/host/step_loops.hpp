// The loops of a step over one tensor, the same text at each level of the CPU's instructions.
#pragma once
#include <amphora/format/real.hpp>           // real
#include <amphora/host/block.hpp>            // block, nth
#include <amphora/host/block_part.hpp>       // load_part, store_part, store_stochastic
#include <amphora/host/level.hpp>            // AMPHORA_APART, AMPHORA_EXACT, AMPHORA_AVX2, AMPHORA_AVX512
#include <amphora/host/square_rows.hpp>      // add_squares, add_double_squares, fold_lanes, square_rows
#include <amphora/host/step_place.hpp>       // step_place
#include <amphora/host/stream.hpp>           // stream_lines
#include <amphora/host/step_rule.hpp>        // apply_rule, apply_trust, find_direction
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/step_table.hpp>  // step_tensor
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding
#include <amphora/optimizer/sum_order.hpp>   // step_block, step_lanes
#include <amphora/scale/gradient_facts.hpp>  // gradient_facts, largest_of

#include <cstdint>  // int64_t

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
  bool large;  ///< too much for the cache: copies, which are only written, go around it
  const gradient_facts* facts;

  explicit step_reading(const gradient_facts& f, bool is_large = false) : factor(f.is_plain() ? f.factor() : 1.0f), plain(f.is_plain()), large(is_large), facts(&f) {}
  AMPHORA_APART void repair(float* x, format_id format) const {
    std::int64_t changed = 0;
    for (int i = 0; i < step_block; ++i) x[i] = facts->value(x[i], largest_of(format), changed);
  }
};

/// One block of a copy. Around the cache where that is asked for and the copy is whole lines: they then need not be read first.
#define AMPHORA_PUT_COPY(Level, Attribute, Stream)                                                        \
  Attribute inline void put_copy(Level, format_id format, const float* from, void* to, bool around_cache) { \
    if (!around_cache || reinterpret_cast<std::uintptr_t>(to) % 64) return block<Level>::store(format, from, to); \
    alignas(64) char lines[step_block * 4];                                                               \
    block<Level>::store(format, from, lines);                                                             \
    Stream                                                                                                \
  }
AMPHORA_PUT_COPY(level_base, , stream_lines(level_base{}, lines, static_cast<char*>(to), step_block * size_of(format));)
#if AMPHORA_X86
AMPHORA_PUT_COPY(level_avx2, AMPHORA_AVX2, stream_lines(level_avx2{}, lines, static_cast<char*>(to), step_block * size_of(format));)
AMPHORA_PUT_COPY(level_avx512, AMPHORA_AVX512, stream_lines(level_avx512{}, lines, static_cast<char*>(to), step_block * size_of(format));)
#endif
#undef AMPHORA_PUT_COPY

template <class Level> struct step_loops;

// Loads and stores need the level's attribute on the function that they are inlined into, so the outer loops are stamped.
#define AMPHORA_STEP_BEGIN(Level)                                                                                          \
  const int count = static_cast<int>(to - i < step_block ? to - i : step_block);                                          \
  if (count == step_block) block<Level>::load(g.format, nth(g.data, g.format, i), place.x);                           \
  else load_part(g.format, g.data, i, count, place.x);                                                                    \
  if (!reading.plain) reading.repair(place.x, g.format);                                                                  \
  place.find(t, i, count);                                                                                                \
  if (!t.master && count == step_block) block<Level>::load(t.targets[0].format, nth(t.targets[0].data, t.targets[0].format, i), place.w);
#define AMPHORA_STEP_END(Level)                                                                                           \
  place.put(t, i, count);                                                                                                 \
  for (const model_pointer& target : t.targets) {                                                                         \
    if (!target.data) break;                                                                                              \
    if (t.stochastic && target.format == format_id::bf16) store_stochastic(place.w, target.data, i, count, random);         \
    else if (count == step_block) put_copy(Level{}, target.format, place.w, nth(target.data, target.format, i), reading.large); \
    else store_part(target.format, place.w, target.data, i, count);                                                       \
  }

#define AMPHORA_STEP_LOOPS(Level, Attribute)                                                                              \
  template <> struct step_loops<Level> {                                                                                  \
    template <class Build = this_build>                                                                                   \
    Attribute static double squares(const gradient_view& g, std::int64_t from, std::int64_t to) {                         \
      alignas(64) float x[step_block], sum[step_lanes] = {};                                                              \
      std::int64_t i = square_rows(Level{}, g, from, to, sum);                                                            \
      for (; i + step_block <= to; i += step_block) {                                                                     \
        block<Level>::load(g.format, nth(g.data, g.format, i), x);                                                    \
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
