// Slopes by central differences, and arrays to try things on.
#pragma once
#include <amphora/format/convert.hpp>
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>
#include <device_ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace check {

template <class T> using tensor = amphora::tensor<T, test_context>;

/// A tensor of these numbers: given<float>(context, {3}, {1, 2, 3}).
template <class T> tensor<T> given(test_context& context, const amphora::shape& shape, const std::vector<T>& values) {
  tensor<T> result(context, shape);
  amphora::write(context, values, result);
  return result;
}
/// A tensor of one number, everywhere.
template <class T> tensor<T> filled(test_context& context, const amphora::shape& shape, T value) {
  return given(context, shape, std::vector<T>(static_cast<std::size_t>(shape.elements()), value));
}
/// Numbers between -1 and 1.
template <class T> std::vector<T> random_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 bits(seed);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& number : result) number = amphora::convert<amphora::format_of_t<T>>(static_cast<double>(bits() & 0xffffffu) / 8388608 - 1);
  return result;
}
template <class T> tensor<T> random(test_context& context, const amphora::shape& shape, unsigned seed) {
  return given(context, shape, random_numbers<T>(shape.elements(), seed));
}

template <class T> bool equal_bits(test_context& context, const tensor<T>& a, const tensor<T>& b) {
  const auto x = amphora::wait_read(context, a), y = amphora::wait_read(context, b);
  return a.shape() == b.shape() && (x.empty() || std::memcmp(x.data(), y.data(), sizeof(T) * x.size()) == 0);
}

inline double dot(test_context& context, const tensor<double>& a, const tensor<double>& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = amphora::wait_read(context, a), y = amphora::wait_read(context, b);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// Whether gradient is the slope of value() by each element of x. With a step of 2^-17, central differences of a smooth
/// function of terms of order 1 are right to about 2^-34 (third derivative) + 2^-53 / 2^-17 (rounding) = 2^-33 a term.
template <class Value> void slopes(test_context& context, const Value& value, tensor<double>& x, const tensor<double>& gradient) {
  REQUIRE(x.shape() == gradient.shape());
  constexpr double step = 1.0 / 131072;
  auto numbers = amphora::wait_read(context, x);
  const auto slope = amphora::wait_read(context, gradient);
  const auto value_at = [&](std::size_t i, double at) {
    numbers[i] = at;
    amphora::write(context, numbers, x);
    return value();
  };
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double here = numbers[i], above = value_at(i, here + step), below = value_at(i, here - step);
    numbers[i] = here;
    worst = (std::max)(worst, std::fabs((above - below) / (2 * step) - slope[i]));
  }
  amphora::write(context, numbers, x);
  CHECK(worst <= std::ldexp(64.0, -33));
}

}  // namespace check
