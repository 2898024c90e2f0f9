// What variables hold, to compare.
#pragma once
#include <amphora/autograd/tape.hpp>
#include <amphora/format/convert.hpp>
#include <device_ops.hpp>

#include <cstdint>
#include <initializer_list>
#include <vector>

/// The numbers of a variable or view, each exactly. Waits.
template <class T> std::vector<double> values(test_context& context, const amphora::view<const T>& x) {
  std::vector<double> result;
  for (const T& number : amphora::wait_read(context, x)) result.push_back(static_cast<double>(number));
  return result;
}
template <class T, class Gradient> std::vector<double> values(test_context& context, const amphora::variable<T, test_context, Gradient>& x) { return values(context, x.value()); }
template <class T> std::vector<double> values(test_context& context, const amphora::tensor<T, test_context>& x) { return values(context, x.view()); }

/// A tensor of these numbers: numbers<float>(context, {3}, {1, 2, 3}).
template <class T> amphora::tensor<T, test_context> numbers(test_context& context, const amphora::shape& shape, const std::vector<double>& values) {
  amphora::tensor<T, test_context> result(context, shape);
  std::vector<T> rounded;
  for (double v : values) rounded.push_back(amphora::convert<amphora::format_of_t<T>>(v));
  amphora::write(context, rounded, result);
  return result;
}
