// Finite check and norm of a list of gradients: one read-only pass, chunk by chunk in the fixed order.
#pragma once
#include <amphora/host/block.hpp>           // block, nth
#include <amphora/host/block_part.hpp>      // load_part
#include <amphora/host/level.hpp>           // AMPHORA_EXACT
#include <amphora/host/square_rows.hpp>     // fold_lanes
#include <amphora/host/step_loops.hpp>      // step_loops
#include <amphora/host/team.hpp>            // team_member
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/norm_term.hpp>  // magnitude_of, with_term, norm_of_sum
#include <amphora/optimizer/sum_order.hpp>  // chunks_of, fold_columns

#include <cmath>    // sqrt
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The sum over a chunk, value by value in double: where a float sum overflows or underflows, where something is not finite
/// or may become so, and for every norm but the Euclidean one.
///
/// order  of the norm; infinity gives the maximum, 0 counts what is not zero
/// unit   divides each value first, so that no power overflows
template <class Build = this_build>
AMPHORA_EXACT double careful_sum(const gradient_view& g, std::int64_t from, std::int64_t to, const gradient_facts& f, double order, double unit, std::int64_t& non_finite) {
  const float largest = largest_of(g.format);
  const bool maximum = !is_finite(order);
  double lane[step_lanes] = {};
  float x[step_block];
  for (std::int64_t i = from; i < to; i += step_block) {
    const int count = static_cast<int>(to - i < step_block ? to - i : step_block);
    if (count == step_block) block<level_base>::load(g.format, nth(g.data, g.format, i), x);
    else load_part(g.format, g.data, i, count, x);
    for (int j = 0; j < count; ++j) {
      double& place = lane[(i - from + j) % step_lanes];
      place = with_term(place, magnitude_of(x[j], largest, f, non_finite), order, unit);
    }
  }
  if (!maximum) return fold_lanes(lane);
  for (int k = 1; k < step_lanes; ++k) lane[0] = larger_magnitude(lane[0], lane[k]);
  return lane[0];
}

/// Squares of stored · inverse over a chunk: in float lanes where that is exact enough, else carefully.
template <class Level, class Build = this_build>
double checked_squares(const gradient_view& g, std::int64_t from, std::int64_t to, const gradient_facts& f, std::int64_t& non_finite) {
  const bool narrow = g.format == format_id::f16;
  if (f.inverse <= (narrow ? 0x1p111f : 1.0f)) {
    const double sum = step_loops<Level>::squares(g, from, to);
    // An infinity or NaN among the terms shows in the sum. Below 2^-90 lost squares could count; f16 has none that small.
    if (is_finite(sum) && (sum >= 0x1p-90 || (narrow && sum == 0))) return sum * static_cast<double>(f.inverse) * static_cast<double>(f.inverse);
  }
  return careful_sum(g, from, to, f, 2, 1, non_finite);
}

/// Calls work(entry, from, to, chunk number) for this member's chunks of all entries.
template <class Entries, class Work>
void each_chunk(const team_member& member, const Entries& entries, std::int64_t count, const Work& work) {
  std::int64_t blocks = 0, chunk = 0;
  for (std::int64_t k = 0; k < count; ++k) blocks += entries[k].data ? blocks_of(entries[k].n) : 0;
  const std::int64_t begin = member.begin(blocks), end = member.end(blocks);
  std::int64_t before = 0;
  for (std::int64_t k = 0; k < count && before < end; ++k) {
    if (!entries[k].data) continue;
    const std::int64_t n = entries[k].n, own = blocks_of(n), chunks = chunks_of(n);
    if (before + own > begin) {  // a chunk is the work of whoever has its first block
      const std::int64_t first = begin > before ? chunks_of((begin - before) * step_block) : 0;
      const std::int64_t last = end - before >= own ? chunks : chunks_of((end - before) * step_block);
      for (std::int64_t c = first; c < last; ++c) work(k, c * step_chunk, c + 1 == chunks ? n : (c + 1) * step_chunk, chunk + c);
    }
    before += own, chunk += chunks;
  }
}
/// Calls work(entry, from, to) for this member's blocks: finer than chunks, where nothing is summed.
template <class Entries, class Work>
void each_range(const team_member& member, const Entries& entries, std::int64_t count, const Work& work) {
  std::int64_t blocks = 0;
  for (std::int64_t k = 0; k < count; ++k) blocks += entries[k].data ? blocks_of(entries[k].n) : 0;
  const std::int64_t begin = member.begin(blocks), end = member.end(blocks);
  std::int64_t before = 0;
  for (std::int64_t k = 0; k < count && before < end; ++k) {
    if (!entries[k].data) continue;
    const std::int64_t n = entries[k].n, own = blocks_of(n);
    const std::int64_t first = begin > before ? begin - before : 0, last = end - before < own ? end - before : own;
    if (first < last) work(k, first * step_block, last * step_block < n ? last * step_block : n);
    before += own;
  }
}

inline std::int64_t chunks_of(const gradient_view* entries, std::int64_t count) {
  std::int64_t chunks = 0;
  for (std::int64_t k = 0; k < count; ++k) chunks += entries[k].data ? chunks_of(entries[k].n) : 0;
  return chunks;
}

/// The 2-norm and the flag into facts; facts.inverse and choice are read. Called by all members; partial has a place a chunk.
template <class Level, class Build = this_build>
void check_gradients(const team_member& member, const gradient_view* entries, std::int64_t count, double* partial, gradient_facts& facts) {
  std::int64_t found = 0;
  each_chunk(member, entries, count, [&](std::int64_t k, std::int64_t from, std::int64_t to, std::int64_t chunk) {
    partial[chunk] = checked_squares<Level, Build>(entries[k], from, to, facts, found);
  });
  if (found) {
#if defined(_OPENMP)
#pragma omp atomic
#endif
    facts.non_finite += found;
  }
  member.meet();
  if (member.first()) {
    facts.found_non_finite = facts.non_finite != 0;
    facts.norm = std::sqrt(fold_columns(partial, chunks_of(entries, count), false));
  }
  member.meet();
}

/// The norm of the values as facts reads them, in any order, after a check. All members get it.
template <class Build = this_build>
double norm_of_order(const team_member& member, const gradient_view* entries, std::int64_t count, double* partial, const gradient_facts& facts, double order) {
  const auto sum = [&](double power, double unit) {
    each_chunk(member, entries, count, [&](std::int64_t k, std::int64_t from, std::int64_t to, std::int64_t chunk) {
      std::int64_t ignored = 0;
      partial[chunk] = careful_sum<Build>(entries[k], from, to, facts, power, unit, ignored);
    });
    member.meet();
    const double result = fold_columns(partial, chunks_of(entries, count), !is_finite(power));
    member.meet();
    return result;
  };
  if (!is_finite(order) || order == 0 || order == 1) return sum(order, 1);
  if (order == 2) {
    if (!(facts.limit > 0)) return facts.norm * static_cast<double>(facts.coefficient);  // the check has it
    return norm_of_sum(sum(order, 1), order, 1);
  }
  const double largest = sum(infinite_order(), 1);
  if (!is_finite(largest) || largest == 0) return largest;
  return norm_of_sum(sum(order, largest), order, largest);
}

}}}  // namespace amphora::detail
