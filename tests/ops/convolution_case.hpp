// Reference cases of convolutions, and their sums term by term.
#pragma once
#include <amphora/ops/convolution_options.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace golden {

inline amp::per_axis per_axis_of(const json& j) {
  const std::vector<std::int64_t> numbers = j;
  return numbers.size() == 1 ? amp::per_axis{numbers[0]} : numbers.size() == 2 ? amp::per_axis{numbers[0], numbers[1]} : amp::per_axis{numbers[0], numbers[1], numbers[2]};
}
inline amp::convolution_options convolution_options_of(const test_case& c) {
  auto options = amp::convolution_options{}.stride(per_axis_of(c.option("stride"))).dilation(per_axis_of(c.option("dilation"))).groups(c.option("groups").get<std::int64_t>());
  const json& padding = c.option("padding");
  options = padding.is_string() ? options.padding(padding == "same" ? amp::window_padding::same : amp::window_padding::valid) : options.padding(per_axis_of(padding));
  return c.data.at("options").contains("output_padding") ? options.output_padding(per_axis_of(c.option("output_padding"))) : options;
}

/// Runs value(policy, context, options, x, w, b…) and gradients(policy, context, options, g, x, w) of the op's cases in every format that holds their
/// inputs; says how many there were. Each number is a sum of at most `length` products.
template <class Value, class Gradients>
int run_convolutions(const char* op, const Value& value, const Gradients& gradients) {
  test_context context;
  int run = 0;
  for (const auto& c : cases("contraction_conv.json", {op})) {
    const array a = c.input("input"), b = c.input("weight");
    const auto options = convolution_options_of(c);
    in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      const typename setting::policy policy{};
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), w = b.template to<T>(context);
      const double length = static_cast<double>((std::max)(b.values.size(), (std::max)(a.values.size(), c.output().values.size())));
      const auto check_all = [&](const auto& y, double bias) {
        compare(context, c.name(), y, c.output(), setting::roundoff, length * a.largest() * b.largest() + bias, length);
        const auto g = upstream<std::decay_t<decltype(y)>>(context, c);
        const double largest = length * c.grad_output().largest() * (std::max)((std::max)(a.largest(), b.largest()), 1.0);
        const auto of = gradients(policy, context, options, g, x, w);
        static_assert(std::is_same_v<typename decltype(of.x)::value_type, T> && std::is_same_v<typename decltype(of.b)::value_type, T>, "in the operands' formats");
        compare(context, c.name() + " x", of.x, c.gradient("input"), setting::roundoff, largest, length);
        compare(context, c.name() + " w", of.w, c.gradient("weight"), setting::roundoff, largest, length);
        if (c.has("bias")) compare(context, c.name() + " b", of.b, c.gradient("bias"), setting::roundoff, largest, length);
      };
      if (c.has("bias")) check_all(value(policy, context, options, x, w, c.input("bias").template to<T>(context)), c.input("bias").largest());
      else check_all(value(policy, context, options, x, w, amp::no_bias{}), 0);
    });
  }
  return run;
}

/// Calls term(y, x, w) with the places of the three factors of each product that a convolution is made of.
template <class Term> void for_each_term(const amp::detail::convolution& c, const Term& term) {
  const auto place = [](std::int64_t plane, const std::int64_t (&size)[3], const std::int64_t (&at)[3]) { return ((plane * size[0] + at[0]) * size[1] + at[1]) * size[2] + at[2]; };
  const auto each = [](const std::int64_t (&size)[3], const auto& call) {
    for (std::int64_t i = 0; i < size[0]; ++i)
      for (std::int64_t j = 0; j < size[1]; ++j)
        for (std::int64_t k = 0; k < size[2]; ++k) call({i, j, k});
  };
  struct triple { std::int64_t at[3]; };
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t f = 0; f < c.groups * c.features; ++f)
      for (std::int64_t channel = 0; channel < c.channels; ++channel)
        each(c.out, [&](triple o) {
          each(c.window, [&](triple r) {
            std::int64_t i[3];
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
              i[axis] = o.at[axis] * c.stride[axis] - c.before[axis] + r.at[axis] * c.dilation[axis];
              inside = inside && i[axis] >= 0 && i[axis] < c.in[axis];
            }
            if (inside) term(place(n * c.groups * c.features + f, c.out, o.at), place((n * c.groups + f / c.features) * c.channels + channel, c.in, i), place(f * c.channels + channel, c.window, r.at));
          });
        });
}

/// The greatest difference of got from Σ a · b + bias, in units of what rounding may do: the sum in float in any order, then one rounding.
///
/// sums, sizes  the terms' sum and the sum of their magnitudes
template <class T> double largest_error(test_context& context, const tensor<T>& got, const std::vector<double>& sums, const std::vector<double>& sizes, double terms) {
  using format = amp::format_of_t<T>;
  const std::vector<T> values = amp::wait_read(context, got);
  REQUIRE(values.size() == sums.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = amp::f32::unit_roundoff * terms * sizes[i];
    const double error = std::fabs(static_cast<double>(values[i]) - sums[i]) / (bound + format::unit_roundoff * (std::fabs(sums[i]) + bound) + format::smallest_subnormal);
    worst = error <= worst ? worst : error;
    if (std::isnan(error)) return error;
  }
  return worst;
}

/// Whether run(c, result, a, b), for each of the three arrays, is what its terms say of random numbers of T.
template <class T, class Run> void agrees_with_terms(test_context& context, const amp::detail::convolution& c, const Run& run) {
  using amp::detail::convolution_result;
  const auto x = check::random_numbers<T>(c.batch * c.groups * c.channels * c.in_size(), 1), w = check::random_numbers<T>(c.groups * c.features * c.channels * c.window_size(), 2);
  const auto y = check::random_numbers<T>(c.batch * c.groups * c.features * c.out_size(), 3);
  const auto on_device = [&](const std::vector<T>& numbers) { return check::given(context, {static_cast<std::int64_t>(numbers.size())}, numbers); };
  const auto dx = on_device(x), dw = on_device(w), dy = on_device(y);
  struct sum { std::vector<double> of, size; explicit sum(std::size_t n) : of(n), size(n) {} void add(std::int64_t i, double term) { of[static_cast<std::size_t>(i)] += term, size[static_cast<std::size_t>(i)] += std::fabs(term); } };
  sum of_y(y.size()), of_x(x.size()), of_w(w.size());
  for_each_term(c, [&](std::int64_t iy, std::int64_t ix, std::int64_t iw) {
    const double vy = static_cast<double>(y[static_cast<std::size_t>(iy)]), vx = static_cast<double>(x[static_cast<std::size_t>(ix)]), vw = static_cast<double>(w[static_cast<std::size_t>(iw)]);
    of_y.add(iy, vx * vw), of_x.add(ix, vy * vw), of_w.add(iw, vy * vx);
  });
  const double window = static_cast<double>(c.window_size()), places = static_cast<double>(c.batch * c.out_size());
  CHECK(largest_error(context, run(convolution_result::y, dx, dw), of_y.of, of_y.size, static_cast<double>(c.channels) * window) <= 1);
  CHECK(largest_error(context, run(convolution_result::x, dy, dw), of_x.of, of_x.size, static_cast<double>(c.features) * window) <= 1);
  CHECK(largest_error(context, run(convolution_result::w, dy, dx), of_w.of, of_w.size, places) <= 1);
}

}  // namespace golden
