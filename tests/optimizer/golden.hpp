// PyTorch's trajectories of each rule, and the bare rule on the device of the build, which follows them.
#pragma once
#include <amphora/detail/rounded.hpp>
#include <amphora/error.hpp>
#include <amphora/optimizer/rule.hpp>

#include <device.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace golden {

using tensors = std::vector<std::vector<double>>;

struct trajectory {
  std::map<int, tensors> weights;                      // by step
  std::vector<std::map<std::string, std::vector<double>>> state;  // by tensor, then by PyTorch's name
};
struct run {
  std::string rule, text;
  std::map<std::string, double> settings;
  trajectory f64, f32;
};
struct file {
  tensors start;
  std::vector<tensors> gradients;
  std::vector<run> runs;
};
const file& data();

/// The rule with one run's settings; each must be a field of the rule.
template <class Rule>
Rule configured(const run& r) {
  Rule rule;
  auto left = r.settings;
  amphora::rule_traits<Rule>::settings(rule, [&](const std::string& name, auto& field) {
    const auto found = left.find(name);
    if (found == left.end()) return;
    field = static_cast<std::decay_t<decltype(field)>>(found->second);
    left.erase(found);
  });
  INFO(r.text);
  REQUIRE(left.empty());
  rule.check();
  return rule;
}

/// Where bare rules run: the device of the build.
inline test_context& context() {
  static test_context one;
  return one;
}

/// Steps of one tensor by a rule alone, element after element, in one thread of the device.
template <class Rule>
struct rule_steps {
  using traits = amphora::rule_traits<Rule>;
  Rule rule;
  float learning_rate;
  float* numbers;          // [1 + states, n]: weights, then state
  const float* gradients;  // [count, n]
  typename traits::scalars* own;
  std::int64_t n, taken, count;

  AMPHORA_HD void operator()() const {
    for (std::int64_t step = 0; step < count; ++step) one_step(traits::at(rule, learning_rate, taken + step + 1, *own), gradients + step * n);
  }

 private:
  struct element {
    amphora::real w, s[traits::states + 1];
  };
  AMPHORA_HD element read(std::int64_t i) const {
    element x = {};
    x.w = numbers[i];
    for (int k = 0; k < traits::states; ++k) x.s[k] = numbers[(1 + k) * n + i];
    return x;
  }
  AMPHORA_HD void write(std::int64_t i, const element& x) const {
    numbers[i] = x.w.x;
    for (int k = 0; k < traits::states; ++k) numbers[(1 + k) * n + i] = x.s[k].x;
  }
  AMPHORA_HD void one_step(const typename traits::now& now, const float* g) const {
    if constexpr (traits::needs_norms) {
      amphora::detail::rounded squares_w = 0.0, squares_d = 0.0;
      for (std::int64_t i = 0; i < n; ++i) {
        element x = read(i);
        const amphora::detail::rounded w = static_cast<double>(x.w.x), d = static_cast<double>(rule.direction(g[i], x.w, x.s, now).x);
        write(i, x);
        squares_w = squares_w + w * w, squares_d = squares_d + d * d;
      }
      const amphora::real trust = rule.trust(sqrt(squares_w).x, sqrt(squares_d).x, now);
      for (std::int64_t i = 0; i < n; ++i) {
        element x = read(i);
        rule.apply(g[i], trust, x.w, x.s, now);
        write(i, x);
      }
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        element x = read(i);
        rule(g[i], x.w, x.s, now);
        write(i, x);
      }
    }
  }
};

/// One parameter in float, stepped by a rule alone. Its numbers are on the device only while it steps.
template <class Rule>
struct tensor {
  using traits = amphora::rule_traits<Rule>;
  std::vector<float> weights;
  std::vector<std::vector<float>> state;
  typename traits::scalars scalars{};
  std::int64_t steps = 0;

  explicit tensor(const std::vector<double>& start) : weights(start.begin(), start.end()), state(traits::states, std::vector<float>(start.size())) {}

  void step(const Rule& rule, const std::vector<double>& gradient, float lr) { take(rule, gradient, lr); }
  /// Several steps, their gradients one behind the other.
  void take(const Rule& rule, const std::vector<double>& gradients, float lr) {
    if (gradients.empty()) return;
    const std::size_t n = weights.size();
    REQUIRE(gradients.size() % n == 0);
    std::vector<float> all = weights;
    for (const auto& array : state) all.insert(all.end(), array.begin(), array.end());
    device_array<float> numbers(context(), all);
    const device_array<float> there(context(), std::vector<float>(gradients.begin(), gradients.end()));
    device_array<typename traits::scalars> own(context(), std::vector<typename traits::scalars>{scalars});
    const auto count = static_cast<std::int64_t>(gradients.size() / n);
    amphora::scale_kernels<test_device>::run(context(), rule_steps<Rule>{rule, lr, numbers.data(), there.data(), own.data(), static_cast<std::int64_t>(n), steps, count});
    steps += count, all = numbers.get(), scalars = own.get()[0];
    auto from = all.begin();
    const auto next = [&](std::vector<float>& to) { std::copy_n(from, n, to.begin()), from += static_cast<std::ptrdiff_t>(n); };
    next(weights);
    for (auto& array : state) next(array);
  }
};

/// The largest distance, over the tensor.
template <class A>
double distance(const std::vector<A>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::fmax(worst, std::fabs(static_cast<double>(a[i]) - b[i]));
  return worst;
}
inline double largest(const std::vector<double>& a) {
  double most = 0;
  for (double x : a) most = std::fmax(most, std::fabs(x));
  return most;
}

/// Ours against float64: no further away than 2.5 times PyTorch's own float32 run, plus one unit in the last place of the
/// tensor's largest number (a float32 run may happen to be exact where another order of operations is not).
template <class A>
void check_close(const std::vector<A>& ours, const std::vector<double>& f64, const std::vector<double>& f32) {
  const double ulp = std::ldexp(1.0, -23) * largest(f64);
  CHECK(distance(ours, f64) <= 2.5 * distance(f32, f64) + ulp);
}

/// Follows every run of the rule. states: PyTorch's names of our state arrays, in order.
/// Returns how many runs there were.
template <class Rule>
int follow(const std::vector<std::string>& states, const char* name = Rule::name) {
  int runs = 0;
  for (const run& r : data().runs) {
    if (r.rule != name) continue;
    ++runs;
    CAPTURE(r.text);
    const Rule rule = configured<Rule>(r);
    std::vector<tensor<Rule>> ours;
    for (const auto& start : data().start) ours.emplace_back(start);
    for (std::size_t step = 1; step <= data().gradients.size(); ++step) {
      for (std::size_t t = 0; t < ours.size(); ++t) ours[t].step(rule, data().gradients[step - 1][t], rule.learning_rate);
      const auto recorded = r.f64.weights.find(static_cast<int>(step));
      if (recorded == r.f64.weights.end()) continue;
      CAPTURE(step);
      for (std::size_t t = 0; t < ours.size(); ++t) check_close(ours[t].weights, recorded->second[t], r.f32.weights.at(static_cast<int>(step))[t]);
    }
    for (std::size_t t = 0; t < ours.size(); ++t)
      for (std::size_t k = 0; k < states.size(); ++k) {
        const auto recorded = r.f64.state[t].find(states[k]);
        if (recorded == r.f64.state[t].end()) continue;  // PyTorch keeps no such array with these settings
        CAPTURE(states[k]);
        check_close(ours[t].state[k], recorded->second, r.f32.state[t].at(states[k]));
      }
  }
  return runs;
}

/// Takes steps with one scalar weight and returns it.
template <class Rule>
float walk(const Rule& rule, float start, const std::vector<double>& gradients) {
  tensor<Rule> one({start});
  one.take(rule, gradients, rule.learning_rate);
  return one.weights[0];
}

/// The slug with which a rule's check refuses it, or "".
template <class Rule>
std::string refusal(const Rule& rule) {
  try {
    rule.check();
  } catch (const amphora::error& e) {
    return e.rule();
  }
  return "";
}

}  // namespace golden
