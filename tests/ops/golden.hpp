// Reference cases of ops: read from tests/data/ops, run in several formats, compared within derived bounds.
#pragma once
#include <amphora/format/convert.hpp>
#include <amphora/format/format.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>
#include <device_ops.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace golden {

constexpr const char* elementwise_file = "transparent_elementwise.json";
constexpr const char* widening_file = "widening.json";
constexpr const char* transcendental_file = "sensitive_transcendental.json";

namespace amp = amphora;
using json = nlohmann::json;
template <class T> using tensor = amp::tensor<T, test_context>;

inline double number(const json& j) {
  if (!j.is_string()) return j.get<double>();
  const auto& s = j.get_ref<const std::string&>();
  return s == "nan" ? std::numeric_limits<double>::quiet_NaN() : s == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

struct array {
  amp::shape shape;
  std::vector<double> values;

  array() = default;
  explicit array(const json& j) {
    std::vector<std::int64_t> extents = j.at("shape");
    shape = amp::shape(extents.data(), static_cast<int>(extents.size()));
    for (const json& v : j.at("values")) values.push_back(number(v));
  }
  /// The largest finite magnitude.
  double largest() const {
    double result = 0;
    for (double v : values)
      if (std::isfinite(v)) result = (std::max)(result, std::fabs(v));
    return result;
  }
  template <class T> bool is_exact_in() const {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v) || static_cast<double>(amp::convert<amp::format_of_t<T>>(v)) == v; });
  }
  template <class T> tensor<T> to(test_context& context) const {
    std::vector<T> rounded;
    for (double v : values) rounded.push_back(amp::convert<amp::format_of_t<T>>(v));
    return on_device(context, rounded);
  }
  tensor<std::int64_t> to_index(test_context& context) const { return on_device(context, std::vector<std::int64_t>(values.begin(), values.end())); }

 private:
  template <class T> tensor<T> on_device(test_context& context, const std::vector<T>& numbers) const {
    tensor<T> result(context, shape);
    amp::write(context, numbers, result);
    return result;
  }
};

struct test_case {
  json data;
  std::string name() const { return data.at("name"); }
  const json& option(const char* key) const { return data.at("options").at(key); }
  array input(const char* key) const { return array(data.at("inputs").at(key)); }
  bool has(const char* key) const { return data.at("inputs").contains(key); }
  array output() const { return array(data.at("outputs").at("output")); }
  bool has_gradients() const { return data.contains("grads"); }
  array grad_output() const { return array(data.at("grad_outputs").at("output")); }
  array gradient(const char* key) const { return array(data.at("grads").at(key)); }
};

inline std::vector<test_case> cases(const char* file, const std::vector<std::string>& ops) {
  std::ifstream in(std::string(AMPHORA_TEST_DATA "/ops/") + file);
  REQUIRE(in.good());
  std::vector<test_case> result;
  const json file_data = json::parse(in);
  for (const json& c : file_data.at("cases"))
    if (std::find(ops.begin(), ops.end(), c.at("op").get<std::string>()) != ops.end()) result.push_back(test_case{json(c)});
  REQUIRE(!result.empty());
  return result;
}

/// A policy, the format of the floating inputs, and the unit roundoff of the arithmetic.
template <class Policy, class Format> struct setting {
  using policy = Policy;
  using input = amp::storage_t<Format>;
  static constexpr double roundoff = std::is_same_v<Format, amp::f64> ? amp::f64::unit_roundoff : amp::f32::unit_roundoff;
};

template <class Function> void in_all_settings(Function&& f) {
  f(setting<amp::o0<>, amp::f64>{});
  f(setting<amp::o1<amp::f16>, amp::f64>{});  // f64 is never cast
  f(setting<amp::o0<>, amp::f32>{});
  f(setting<amp::o1<amp::f16>, amp::f32>{});
  f(setting<amp::o1<amp::f16>, amp::f16>{});
  f(setting<amp::o1<amp::bf16>, amp::bf16>{});
  f(setting<amp::o3<amp::f16>, amp::f16>{});
}

/// Whether got is want within: `terms` · (n + 8) roundings of the arithmetic, then one rounding to got's own format.
///
/// terms  a bound of the magnitude of what was added or multiplied on the way
/// n      how many roundings of such terms there were
/// casts  a bound of what came in through an intermediate format, already times its roundoff
template <class T>
void compare(test_context& context, const std::string& name, const tensor<T>& got, const array& want, double roundoff, double terms, double n, double casts = 0) {
  using format = amp::format_of_t<T>;
  INFO(name, " in ", format::name);
  REQUIRE(got.shape() == want.shape);
  const std::vector<T> values = amp::wait_read(context, got);
  int wrong = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double g = static_cast<double>(values[i]), w = want.values[i];
    const double bound = roundoff * terms * (n + 8) + casts;
    const double error = bound + format::unit_roundoff * (std::fabs(w) + bound) + std::ldexp(format::smallest_subnormal, -1);
    const bool overflows = std::fabs(w) + bound >= format::largest;  // then both the largest and infinity are right
    const bool same = std::isnan(w) ? std::isnan(g) : std::isinf(w) ? g == w : std::fabs(g - w) <= error || (overflows && std::isinf(g) && (g > 0) == (w > 0));
    if (!same && wrong++ < 3) MESSAGE("element ", i, ": ", g, " where ", w, " is due, within ", error);
  }
  CHECK(wrong == 0);
}

/// The gradient of a value of this type that a case says.
template <class Value> Value upstream(test_context& context, const test_case& c) { return c.grad_output().to<typename Value::value_type>(context); }

}  // namespace golden
