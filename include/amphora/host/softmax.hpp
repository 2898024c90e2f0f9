// Softmax along one axis on the host.
#pragma once
#include <amphora/host/context.hpp>  // host_context, host_device
#include <amphora/host/lines.hpp>    // for_lines, lines_of, load_line, store_line
#include <amphora/ops/kernels.hpp>   // softmax_kernels

#include <cmath>    // exp, log
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real> Real exponential(Real x) { return std::exp(x); }

template <class Real> struct softmax_numbers {
  Real largest;  ///< of the line; NaN if one is there
  Real sum;      ///< Σ exp(x − largest)
  Real log_sum;
};

/// A line of −inf, or with +inf or NaN, gives NaN, as in PyTorch.
template <class Real>
softmax_numbers<Real> softmax_of(const Real* x, std::int64_t n) {
  softmax_numbers<Real> s{n > 0 ? x[0] : Real(0), 0, 0};
  for (std::int64_t i = 1; i < n; ++i) s.largest = x[i] > s.largest ? x[i] : s.largest;
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(exponential(x[i] - s.largest));
  s.sum = static_cast<Real>(sum);
  s.log_sum = static_cast<Real>(std::log(sum));
  return s;
}

}}}  // namespace amphora::detail
