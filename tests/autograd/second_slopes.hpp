// Second derivatives on a tape against central differences of explicit first ones.
#pragma once
#include <amphora/autograd/backward.hpp>
#include <amphora/ops/cast.hpp>
#include <ops/gradient_check.hpp>

namespace check {

inline tensor<double> copied(test_context& context, const amphora::view<const double>& from) {
  tensor<double> result(context, from.shape());
  amphora::copy(context, from, result.view());
  return result;
}

/// Whether the gradients of ⟨gradient of b, v⟩ by a, b and the gradient of the value are its slopes. An empty one is zeros.
///
/// function  (tape, a, b) gives a variable of g's shape
/// gradient  (g, a, b) gives b's gradient, explicitly
template <class Function, class Gradient>
void second_slopes(test_context& context, tensor<double> a, tensor<double> b, tensor<double> g, const tensor<double>& v, const Function& function, const Gradient& gradient) {
  const amphora::tape<test_context> tape(context);
  const auto x = tape.leaf(copied(context, a.view())), y = tape.leaf(copied(context, b.view())), seed = tape.leaf(copied(context, g.view()));
  const auto [first] = amphora::grad(context, function(tape, x, y), seed, amphora::graph::create, y);
  const auto [by_a, by_b, by_g] = amphora::grad(context, first, tape.constant(v), amphora::graph::free, x, y, seed);
  const auto value = [&] { return dot(context, v, gradient(g, a, b)); };
  const auto compare = [&](tensor<double>& at, const auto& slope) {
    slopes(context, value, at, slope ? copied(context, slope.value()) : filled(context, at.shape(), 0.0));
  };
  compare(a, by_a), compare(b, by_b), compare(g, by_g);
}
/// Numbers between low and low + 2.
inline tensor<double> random_from(test_context& context, const amphora::shape& shape, unsigned seed, double low) {
  auto numbers = random_numbers<double>(shape.elements(), seed);
  for (double& number : numbers) number += low + 1;
  return given(context, shape, numbers);
}

}  // namespace check
