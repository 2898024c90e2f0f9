// Reference cases of elementwise ops, compared number by number: an error is measured against the number itself.
#pragma once
#include <ops/golden.hpp>

namespace golden {

/// Whether each number of got is want's within `ulps` roundings of the arithmetic, of the number and of `terms` (what cancelled on the way),
/// then one rounding to got's own format. A subnormal float on the way costs 2^-142 at most.
///
/// reference  the size of what cancelled in the reference's own slopes (1 − s, 1 − t², exp(x) − 1 + 1): good for 2^-50 of it
template <class T>
void compare_each(test_context& context, const std::string& name, const tensor<T>& got, const array& want, double roundoff, double ulps, double terms = 0, double reference = 0) {
  using format = amp::format_of_t<T>;
  INFO(name, " in ", format::name);
  REQUIRE(got.shape() == want.shape);
  const std::vector<T> values = amp::wait_read(context, got);
  int wrong = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    const double g = static_cast<double>(values[i]), w = want.values[i];
    const double bound = roundoff * ulps * (std::fabs(w) + terms) + (roundoff > 1e-10 ? std::ldexp(1.0, -142) : 0) + std::ldexp(reference, -50);
    const double error = bound + format::unit_roundoff * (std::fabs(w) + bound) + std::ldexp(format::smallest_subnormal, -1);
    const bool overflows = std::fabs(w) + bound >= format::largest * (1 - 2 * format::unit_roundoff);
    const bool same = std::isnan(w) ? std::isnan(g) : std::isinf(w) ? g == w : std::fabs(g - w) <= error || (overflows && std::isinf(g) && (g > 0) == (w > 0));
    if (!same && wrong++ < 3) MESSAGE("element ", i, ": ", g, " where ", w, " is due, within ", error);
  }
  CHECK(wrong == 0);
}

/// Runs value(policy, x, case) and gradient(policy, g, x, case) of the op's cases in every format that holds their inputs; says how many there were.
template <class Value, class Gradient>
int run_unary(const char* file, const char* op, double ulps, double terms, const Value& value, const Gradient& gradient, const std::vector<std::string>& but = {}) {
  test_context context;
  int run = 0;
  for (const auto& c : cases(file, {op})) {
    if (std::find(but.begin(), but.end(), c.name()) != but.end()) continue;
    const char* key = c.has("input") ? "input" : "exponent";
    const array a = c.input(key);
    in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const typename setting::policy policy{};
      const auto x = a.template to<T>(context);
      const auto y = value(policy, context, x, c);
      compare_each(context, c.name(), y, c.output(), setting::roundoff, ulps, terms);
      const auto g = upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto gx = gradient(policy, context, g, x, c);
      static_assert(std::is_same_v<typename std::remove_const_t<decltype(gx)>::value_type, T>, "in the operand's format");
      array slope = c.gradient(key);  // a slope over a value past the range of float is as infinite as that value
      for (std::size_t i = 0; i < slope.values.size() && setting::roundoff > 1e-10; ++i)
        if (std::isfinite(c.output().values[i]) && std::fabs(c.output().values[i]) > amp::f32::largest && slope.values[i] != 0) slope.values[i] = std::copysign(std::numeric_limits<double>::infinity(), slope.values[i]);
      compare_each(context, c.name() + " gradient", gx, slope, setting::roundoff, 2 * ulps, terms * c.grad_output().largest(), c.grad_output().largest());
    });
  }
  return run;
}

/// How large a slope of products and quotients of these numbers can be.
inline double slope_bound(const std::vector<array>& inputs) {
  double result = 1;
  for (const array& x : inputs) {
    double smallest = 1;
    for (double v : x.values)
      if (v != 0 && std::isfinite(v)) smallest = (std::min)(smallest, std::fabs(v));
    result *= (1 + x.largest()) / smallest;
  }
  return result;
}

/// Runs value(policy, context, case, x…) and gradients(policy, context, case, g, x…), which gives a pair or a triple, of the op's cases on the named inputs.
/// The gradient of an operand that is broadcast is a sum, and measured against its terms.
template <class Value, class Gradients, class... Names>
int run_many(const char* file, const char* op, double ulps, double terms, const std::vector<std::string>& but, const Value& value, const Gradients& gradients, const Names&... names) {
  test_context context;
  int run = 0;
  for (const auto& c : cases(file, {op})) {
    if (std::find(but.begin(), but.end(), c.name()) != but.end() || !(c.has(names) && ...)) continue;
    in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!(c.input(names).template is_exact_in<T>() && ...)) return;
      ++run;
      const typename setting::policy policy{};
      const auto go = [&](const auto&... x) {
        const auto y = value(policy, context, c, x...);
        compare_each(context, c.name(), y, c.output(), setting::roundoff, ulps, terms);
        const auto g = upstream<std::remove_const_t<decltype(y)>>(context, c);
        const auto of = gradients(policy, context, c, g, x...);
        const auto compare_one = [&](const auto& gx, const char* name) {
          const array want = c.gradient(name);
          const double n = static_cast<double>(c.output().values.size()) / static_cast<double>((std::max)(want.values.size(), std::size_t(1)));
          if (n <= 1) compare_each(context, c.name() + " " + name, gx, want, setting::roundoff, 2 * ulps, terms * c.grad_output().largest());
          else compare(context, c.name() + " " + name, gx, want, setting::roundoff, n * c.grad_output().largest() * slope_bound({c.input(names)...}), n + 2 * ulps);
        };
        const char* const name[] = {names...};
        compare_one(of.first, name[0]), compare_one(of.second, name[1]);
        if constexpr (sizeof...(Names) == 3) compare_one(of.third, name[2]);
      };
      go(c.input(names).template to<T>(context)...);
    });
  }
  return run;
}

}  // namespace golden
