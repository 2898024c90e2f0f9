// Reference cases of ops on a tape in f64: values, gradients, and the gradients of ⟨a gradient, v⟩ that a case calls `second`.
#pragma once
#include <amphora/autograd/backward.hpp>
#include <ops/golden.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace golden {

using double_variable = amp::variable<double, test_context>;

/// A bound of what is multiplied on the way to any number of a case: one more than the largest of each of its arrays, multiplied.
inline double product_of_largest(const test_case& c) {
  double result = 1;
  for (const char* group : {"inputs", "grad_outputs"}) {
    if (!c.data.contains(group)) continue;
    for (const auto& entry : c.data.at(group).items()) result *= 1 + array(entry.value()).largest();
  }
  if (c.data.contains("second") && !c.data.at("second").is_null()) result *= 1 + array(c.data.at("second").at("v")).largest();
  return result;
}

/// Within some roundings of products of the case's numbers; an empty variable is zeros.
inline void compare_taped(test_context& context, const std::string& name, const double_variable& got, const array& want, double terms) {
  INFO(name);
  if (!got) {
    CHECK(std::all_of(want.values.begin(), want.values.end(), [](double v) { return v == 0; }));
    return;
  }
  tensor<double> copy(context, got.shape());
  amp::copy(context, got.value(), copy.view());
  compare(context, name, copy, want, amp::f64::unit_roundoff, terms + want.largest(), 64 + static_cast<double>(want.values.size()));
}

/// Runs function(tape, variables…) on the named inputs of a case, all of them leaves in f64, and compares what the case says of them.
///
/// function  gives the variable whose reference is outputs.output
/// Value     whether there was a second derivative to compare
template <class Function, class... Names>
bool taped(test_context& context, const test_case& c, const Function& function, const Names&... names) {
  constexpr std::size_t count = sizeof...(Names);
  const std::array<std::string, count> name{names...};
  const amp::tape<test_context> tape(context);
  const double terms = product_of_largest(c);
  const auto leaves = [&] { return std::array<double_variable, count>{tape.leaf(c.input(names).template to<double>(context))...}; };

  const auto inputs = leaves();
  const double_variable value = std::apply([&](const auto&... input) { return function(tape, input...); }, inputs);
  compare_taped(context, c.name(), value, c.output(), terms);
  if (!c.has_gradients()) return false;

  const double_variable seed = tape.leaf(c.grad_output().template to<double>(context));
  const auto first = std::apply(
      [&](const auto&... input) {
        return std::apply([](const auto&... gradient) { return std::array<double_variable, count>{gradient...}; }, amp::grad(context, value, seed, amp::graph::create, input...));
      },
      inputs);
  const auto again = leaves();
  const double_variable same = std::apply([&](const auto&... input) { return function(tape, input...); }, again);
  amp::backward(context, same, seed);
  for (std::size_t i = 0; i < count; ++i) {
    if (!c.data.at("grads").contains(name[i])) continue;
    compare_taped(context, c.name() + " " + name[i] + ", to be differentiated", first[i], c.gradient(name[i].c_str()), terms);
    compare_taped(context, c.name() + " " + name[i], again[i].gradient(), c.gradient(name[i].c_str()), terms);
  }
  if (!c.data.contains("second") || c.data.at("second").is_null()) return false;

  const auto& second = c.data.at("second");
  const auto which = static_cast<std::size_t>(std::find(name.begin(), name.end(), second.at("input").template get<std::string>()) - name.begin());
  REQUIRE(which < count);
  std::array<double_variable, count + 1> of_sum;
  if (first[which]) {
    const double_variable v = tape.constant(array(second.at("v")).template to<double>(context));
    of_sum = std::apply(
        [&](const auto&... input) {
          return std::apply([](const auto&... gradient) { return std::array<double_variable, count + 1>{gradient...}; },
                            amp::grad(context, first[which], v, amp::graph::free, input..., seed));
        },
        inputs);
  }
  const auto& grads = second.at("grads");
  for (std::size_t i = 0; i < count; ++i)
    if (grads.contains(name[i])) compare_taped(context, c.name() + " second, " + name[i], of_sum[i], array(grads.at(name[i])), terms);
  compare_taped(context, c.name() + " second, gradient of the value", of_sum[count], array(grads.at("grad_outputs.output")), terms);
  return true;
}

/// How many cases of an op had second derivatives to compare. function(tape, variables…, case); without names of inputs: "input".
template <class Function, class... Names>
int taped_cases(const char* file, const char* op, const Function& function, const Names&... names) {
  if constexpr (sizeof...(Names) == 0) {
    return taped_cases(file, op, function, "input");
  } else {
    test_context context;
    int result = 0;
    for (const auto& c : cases(file, {op})) result += taped(context, c, [&](const auto& tape, const auto&... x) { return function(tape, x..., c); }, names...);
    return result;
  }
}

}  // namespace golden
