// Mean and variance of a line on CUDA, whose numbers a team of threads reads once where they fit its registers.
#pragma once
#include <amphora/cuda/access.cuh>      // eight, load, store
#include <amphora/cuda/lines.cuh>       // line_place, read_line, joined, added
#include <amphora/ops/norm_layout.hpp>  // norm_statistics

#include <cmath>    // sqrt
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Eights of a line that a thread keeps in registers; what is longer is read again. As many as ptxas has room for.
template <class Real, bool Spreads> inline constexpr int kept_eights = sizeof(Real) == 8 ? 1 : Spreads ? 3 : 4;

/// The numbers of a line, for several visits.
template <class Real, class Source, int Kept>
struct line_numbers {
  static constexpr int kept = Kept;
  const Source& x;
  const line_place& at;
  eight<Real> first[kept];

  __device__ line_numbers(const Source& its_x, const line_place& place) : x(its_x), at(place) {
#pragma unroll
    for (int i = 0; i < kept; ++i) first[i] = at.begin() + i * at.step() < at.length ? read_line<Real>(x, at, at.begin() + i * at.step(), Real(0)) : eight<Real>{};
  }
  /// visit(k, numbers k … k + 7), past the end of the line 0.
  template <class Visit> __device__ void each(Visit& visit) const {
    int i = 0;
#pragma unroll 1
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> v = first[0];
#pragma unroll
      for (int own = 1; own < kept; ++own)
        if (i == own) v = first[own];
      if (i >= kept) v = read_line<Real>(x, at, k, Real(0));
      visit(k, v);
    }
  }
};

/// Sums go on in double after eight terms.
template <class Real> struct visit_sum {
  double sum = 0;
  __device__ void operator()(std::int64_t, const eight<Real>& v) {
    Real part = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) part += v.x[j];
    sum += static_cast<double>(part);
  }
};
template <class Real> struct visit_deviation {
  Real about;
  std::int64_t length;
  double rest = 0, square = 0;
  __device__ visit_deviation(Real center, std::int64_t n) : about(center), length(n) {}
  __device__ void operator()(std::int64_t k, const eight<Real>& v) {
    Real first = 0, second = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const Real d = k + j < length ? v.x[j] - about : Real(0);
      first += d, second += d * d;
    }
    rest += static_cast<double>(first), square += static_cast<double>(second);
  }
};

/// A mean in two parts, and Σ (x − mean)².
template <class Real> struct line_moments {
  Real about;
  double rest, square;
};
/// In two passes: the mean, then the deviations from it, whose own mean corrects both. All threads of the block call it.
template <class Real, class Source, int Kept>
__device__ inline line_moments<Real> moments_of_line(const line_numbers<Real, Source, Kept>& numbers, const line_place& at, bool centered) {
  const auto terms = static_cast<double>(at.length > 0 ? at.length : 1);
  Real about = 0;
  if (centered) {
    visit_sum<Real> all;
    numbers.each(all);
    about = static_cast<Real>(joined(all.sum, at.team, added()) / terms);
  }
  visit_deviation<Real> from(about, at.length);
  numbers.each(from);
  const double square = joined(from.square, at.team, added());
  const double rest = centered ? joined(from.rest, at.team, added()) / terms : 0;
  return {about, rest, square - terms * rest * rest};
}

template <class Real> struct line_scale { Real high, low, scale; };

/// From a mean in double: what its high part rounds off is the low one.
template <class Real>
__device__ inline line_scale<Real> scale_from(double mean, double variance, double eps) {
  const Real high = static_cast<Real>(mean);
  return {high, static_cast<Real>(mean - static_cast<double>(high)), static_cast<Real>(1 / std::sqrt((variance < 0 ? 0 : variance) + eps))};
}
template <class T>
__device__ inline void store_statistics(const norm_statistics<T>& s, std::int64_t i, double high, double low, double scale, double variance) {
  store(s.high() + i, static_cast<T>(high)), store(s.low() + i, static_cast<T>(low));
  store(s.scale() + i, static_cast<T>(scale)), store(s.variance() + i, static_cast<T>(variance < 0 ? 0 : variance));
}
template <class Real, class T>
__device__ inline line_scale<Real> load_scale(const norm_statistics<T>& s, std::int64_t i) {
  return {static_cast<Real>(load(s.high() + i)), static_cast<Real>(load(s.low() + i)), static_cast<Real>(load(s.scale() + i))};
}

}}}  // namespace amphora::detail
