// The norms of order p, of numbers or of differences: value, slope and curvature of one of many terms.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/error.hpp>          // fail
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/ops/fold.hpp>       // fold_state

#include <cmath>    // fabs, pow, sqrt
#include <cstdint>  // int64_t
#include <limits>   // infinity

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

enum class norm_kind { count, sum, euclid, largest, smallest, power };

template <class Real> inline constexpr Real undefined_slope = std::numeric_limits<Real>::quiet_NaN();
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// An order, and how its kinks are differentiated. A norm of a tensor shares the slope of a largest term among ties and has second derivatives that
/// are NaN where they are not defined; a distance of rows gives each tie all of it, and 0. Both as in PyTorch.
struct norm_rule {
  norm_kind kind = norm_kind::euclid;
  double p = 2;
  bool of_rows = false;

  /// Errors  setting  an order that is NaN
  static norm_rule of(const char* call, double p, bool of_rows = false) {
    if (p != p) fail("setting", call, " has order NaN; give 2, 1, 0, another number, or an infinity");
    const norm_kind kind = p == 0 ? norm_kind::count : p == 1 ? norm_kind::sum : p == 2 ? norm_kind::euclid
                         : p == unbounded ? norm_kind::largest : p == -unbounded ? norm_kind::smallest : norm_kind::power;
    return {kind, p, of_rows};
  }
  bool picks() const { return kind == norm_kind::largest || kind == norm_kind::smallest; }
  AMPHORA_HD bool is_flat() const { return kind != norm_kind::euclid && kind != norm_kind::power; }

  template <class Real> AMPHORA_HD static constexpr Real sign(Real d) { return d > 0 ? Real(1) : d < 0 ? Real(-1) : Real(0); }
  /// Whether a term is the one that a largest or smallest norm picks; a NaN is.
  template <class Real> AMPHORA_HD static bool is_picked(Real d, Real norm) { return std::fabs(d) == norm || d != d; }

  /// ∂norm/∂d for one term d; a picked one's before it is shared.
  template <class Real> AMPHORA_HD Real slope(Real d, Real norm) const {
    switch (kind) {
      case norm_kind::count: return 0;
      case norm_kind::sum: return sign(d);
      case norm_kind::euclid: return norm == 0 ? Real(0) : d / norm;
      case norm_kind::largest:
      case norm_kind::smallest: return is_picked(d, norm) ? sign(d) : Real(0);
      case norm_kind::power: break;
    }
    if (d == 0 && p < 1) return of_rows ? Real(0) : 0 * std::pow(norm, static_cast<Real>(1 - p));
    if (norm == 0 && p > 1) return 0;
    return sign(d) * std::pow(std::fabs(d) / norm, static_cast<Real>(p - 1));
  }
  /// Σ h ∂²norm/∂d∂… for one term d, where `along` is Σ h · slope.
  template <class Real> AMPHORA_HD Real curvature(Real h, Real d, Real norm, Real along) const {
    if (is_flat()) return 0;
    if (p < 2 && d == 0) return of_rows ? Real(0) : undefined_slope<Real>;
    if (norm == 0) return p == 2 && !of_rows ? undefined_slope<Real> : Real(0);
    const Real at = p == 2 ? Real(1) : std::pow(std::fabs(d) / norm, static_cast<Real>(p - 2));
    return static_cast<Real>(p - 1) * (h * at - along * slope(d, norm)) / norm;
  }
};

template <class Real> AMPHORA_HD constexpr Real difference(Real a) { return a; }
template <class Real> AMPHORA_HD constexpr Real difference(Real a, Real b) { return a - b; }

/// The norm of x, or of a − b; sums in double, so that squares of 1e20 and 1e-30 are neither infinite nor 0.
struct norm_fold {
  norm_rule rule;

  AMPHORA_HD fold_state start() const { return {rule.kind == norm_kind::smallest ? unbounded : 0, 0}; }
  template <class... Real> AMPHORA_HD void add(fold_state& s, Real... x) const {
    const auto d = static_cast<double>(difference(x...)), size = std::fabs(d);
    switch (rule.kind) {
      case norm_kind::count: s.first += d != 0 ? 1 : 0; break;
      case norm_kind::sum: s.first = add_once(s.first, size); break;
      case norm_kind::euclid: s.first = add_once(s.first, multiply_once(d, d)); break;
      case norm_kind::power: s.first = add_once(s.first, std::pow(size, rule.p)); break;
      default: s.first = picked(s.first, size);
    }
  }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const {
    if (rule.kind == norm_kind::largest || rule.kind == norm_kind::smallest) return {picked(a.first, b.first), 0};
    return {add_once(a.first, b.first), 0};
  }
  AMPHORA_HD double finish(const fold_state& s) const {
    return rule.kind == norm_kind::euclid ? std::sqrt(s.first) : rule.kind == norm_kind::power ? std::pow(s.first, 1 / rule.p) : s.first;
  }

 private:
  /// A NaN wins.
  AMPHORA_HD double picked(double a, double b) const { return (rule.kind == norm_kind::largest ? b > a : b < a) || b != b ? b : a; }
};

struct norm_ties {
  template <class Real, class... X> AMPHORA_HD Real operator()(std::int64_t, Real norm, X... x) const { return norm_rule::is_picked(difference(x...), norm) ? Real(1) : Real(0); }
};
struct shared_among {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real ties) const { return grad / ties; }
};
struct norm_slope {
  norm_rule rule;
  double sign;
  template <class Real, class... X> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real norm, X... x) const {
    return static_cast<Real>(sign) * grad * rule.slope(difference(x...), norm);
  }
};
struct norm_curvature {
  norm_rule rule;
  double sign_h, sign;
  template <class Real, class... X> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real h, Real norm, Real along, X... x) const {
    return static_cast<Real>(sign) * grad * rule.curvature(static_cast<Real>(sign_h) * h, difference(x...), norm, along);
  }
};
/// What h is worth to the gradient of the norm itself.
struct norm_along {
  norm_rule rule;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real along, Real norm) const {
    return rule.kind == norm_kind::power && rule.p > 2 && norm == 0 && !rule.of_rows ? undefined_slope<Real> : along;
  }
};

}}}  // namespace amphora::detail
