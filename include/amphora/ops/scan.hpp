// What the numbers of a line have come to at each place: running sums, products and recurrences.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/ops/fold.hpp>       // fold_state
#include <amphora/ops/kernels.hpp>    // lines_of

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Scans of lines: run(context, f, lines, scan_way, target, sources…), all of the lines' shape. f has start() -> state, element(x…) -> state,
/// join(earlier, later) -> state and value(state) -> double.
template <class Device> struct scan_kernels;

struct scan_way {
  bool backward = false;  ///< from the end of each line
  bool before = false;    ///< at each place what came before it, without its own number
};

/// On CUDA a line is scanned in chunks of so many numbers.
inline constexpr std::int64_t scan_chunk = 4096;

struct sum_scan {
  AMPHORA_HD fold_state start() const { return {}; }
  template <class Real> AMPHORA_HD fold_state element(Real x) const { return {static_cast<double>(x), 0}; }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const { return {add_once(a.first, b.first), 0}; }
  AMPHORA_HD double value(const fold_state& s) const { return s.first; }
};
struct product_scan {
  AMPHORA_HD fold_state start() const { return {1, 0}; }
  template <class Real> AMPHORA_HD fold_state element(Real x) const { return {static_cast<double>(x), 0}; }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const { return {multiply_once(a.first, b.first), 0}; }
  AMPHORA_HD double value(const fold_state& s) const { return s.first; }
};
/// s ← x s + u v from 0 on, as the pair (product of x, s). A 0 stays one, also times an infinity.
struct recurrence_scan {
  AMPHORA_HD fold_state start() const { return {1, 0}; }
  template <class Real> AMPHORA_HD fold_state element(Real x, Real u, Real v) const { return {static_cast<double>(x), multiply_once(static_cast<double>(u), static_cast<double>(v))}; }
  template <class Real> AMPHORA_HD fold_state element(Real x, Real v) const { return element(x, x, v); }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const {
    return {multiply_once(a.first, b.first), a.second == 0 ? b.second : add_once(multiply_once(b.first, a.second), b.second)};
  }
  AMPHORA_HD double value(const fold_state& s) const { return s.second; }
};

}}}  // namespace amphora::detail
