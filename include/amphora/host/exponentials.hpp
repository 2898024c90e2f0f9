// exp of a line, with the wide instructions of Eigen's arrays.
#pragma once
#include <amphora/detail/config.hpp>  // this_build
#include <amphora/host/eigen.hpp>     // Array, Map

#include <cmath>        // exp
#include <cstdint>      // int64_t
#include <limits>       // infinity
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// v = exp(v − shift), with 0 for −inf.
///
/// v, memory  [n] both
template <class Real, class Build = this_build>
void exponentials(Real* v, std::int64_t n, Real shift, Real* memory) {
  using line = Eigen::Map<Eigen::Array<Real, Eigen::Dynamic, 1>>;
  constexpr Real low = std::is_same_v<Real, double> ? Real(-700) : Real(-87), out = -std::numeric_limits<Real>::infinity();  // below it Eigen's exp stays at its least number
  int others = 0;  // numbers below, and NaN
  for (std::int64_t j = 0; j < n; ++j) memory[j] = v[j] - shift, others |= !(memory[j] >= low);
  line(v, n) = line(memory, n).exp();
  for (std::int64_t j = 0; j < n && others; ++j)
    if (!(memory[j] >= low)) v[j] = memory[j] == out ? Real(0) : std::exp(memory[j]);
}

}}}  // namespace amphora::detail
