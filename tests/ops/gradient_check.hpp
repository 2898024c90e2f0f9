// Slopes by central differences, and arrays to try things on.
#pragma once
#include <amphora/format/convert.hpp>
#include <amphora/host/context.hpp>
#include <amphora/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

namespace check {

template <class T> using tensor = amphora::tensor<T, amphora::host_context>;

/// Numbers between -1 and 1.
template <class T> tensor<T> random(amphora::host_context& context, const amphora::shape& shape, unsigned seed) {
  std::mt19937 bits(seed);
  tensor<T> result(context, shape);
  for (std::int64_t i = 0; i < result.size(); ++i)
    result.data()[i] = amphora::convert<amphora::format_of_t<T>>(static_cast<double>(bits() & 0xffffffu) / 8388608 - 1);
  return result;
}

inline double dot(const tensor<double>& a, const tensor<double>& b) {
  REQUIRE(a.shape() == b.shape());
  double sum = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) sum += a.data()[i] * b.data()[i];
  return sum;
}

/// Whether gradient is the slope of value() by each element of x. With a step of 2^-17, central differences of a smooth
/// function of terms of order 1 are right to about 2^-34 (third derivative) + 2^-53 / 2^-17 (rounding) = 2^-33 a term.
template <class Value> void slopes(const Value& value, tensor<double>& x, const tensor<double>& gradient) {
  REQUIRE(x.shape() == gradient.shape());
  constexpr double step = 1.0 / 131072;
  double worst = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double here = x.data()[i];
    x.data()[i] = here + step;
    const double above = value();
    x.data()[i] = here - step;
    const double below = value();
    x.data()[i] = here;
    worst = (std::max)(worst, std::fabs((above - below) / (2 * step) - gradient.data()[i]));
  }
  CHECK(worst <= std::ldexp(64.0, -33));
}

}  // namespace check
