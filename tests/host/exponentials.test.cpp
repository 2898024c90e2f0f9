#include <amphora/host/exponentials.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

TEST_CASE_TEMPLATE("exponentials of a line are exp's to a few roundings, down to the smallest, and keep NaN and nothing", Real, float, double) {
  constexpr Real inf = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  for (int n : {0, 1, 7, 100, 1001}) {
    const auto count = static_cast<std::size_t>(n);
    std::vector<Real> x(count), memory(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = Real(3) - static_cast<Real>(i * i) * (sizeof(Real) == 8 ? Real(7.3e-4) : Real(1.01e-4));  // down to -730, or -98
    if (n > 50) x[20] = -inf, x[33] = nan;
    std::vector<Real> y = x;
    amphora::detail::exponentials(y.data(), n, Real(3), memory.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Real want = std::exp(x[i] - Real(3));
      if (std::isnan(want)) CHECK(std::isnan(y[i]));
      else CHECK(std::fabs(y[i] - want) <= 4 * std::numeric_limits<Real>::epsilon() * want);
    }
  }
}
