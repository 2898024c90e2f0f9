#include <amphora/ops/bilinear.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("bilinear and its gradients agree with the reference, with and without a bias") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"bilinear"})) {
    const bool has_bias = c.has("bias");
    const golden::array a = c.input("input1"), b = c.input("input2"), w = c.input("weight"), bias = has_bias ? c.input("bias") : golden::array();
    const auto in = [&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>() || !w.template is_exact_in<T>() || !bias.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), y = b.template to<T>(context), z = w.template to<T>(context);
      const double n = static_cast<double>(w.values.size() + a.values.size()), g_largest = c.grad_output().largest();
      const double terms = n * (a.largest() + 1) * (b.largest() + 1) * (w.largest() + 1) + bias.largest(), of_gradients = terms * g_largest;
      const double inner = amp::compute_t<P, amp::op::bilinear, amp::format_of_t<T>>::unit_roundoff;  // gradients between the two products are read in the compute format
      const auto compare = [&](const auto& value) { golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, n); };
      if (has_bias) compare(amp::bilinear<P>(context, x, y, z, bias.template to<T>(context)));
      else compare(amp::bilinear<P>(context, x, y, z));
      const auto g = golden::upstream<decltype(amp::bilinear<P>(context, x, y, z))>(context, c);
      const auto of = amp::bilinear_backward<P>(context, g, x, y, z);
      golden::compare(context, c.name() + " x1", of.x1, c.gradient("input1"), setting::roundoff, of_gradients, n);
      golden::compare(context, c.name() + " x2", of.x2, c.gradient("input2"), setting::roundoff, of_gradients, n, inner * of_gradients);
      golden::compare(context, c.name() + " w", of.w, c.gradient("weight"), setting::roundoff, of_gradients, n, inner * of_gradients);
      if (has_bias) golden::compare(context, c.name() + " b", of.b, c.gradient("bias"), setting::roundoff, of_gradients, n);
    };
    in(golden::setting<amp::o0<>, amp::f64>{}), in(golden::setting<amp::o3<amp::f16>, amp::f32>{}), in(golden::setting<amp::o1<amp::f16>, amp::f16>{});
  }
  CHECK(run >= 15);
}

TEST_CASE("bilinear under a policy of f16 has the bits of a call on operands that were cast by hand; its gradients are slopes") {
  test_context context;
  using all_half = amp::o3<amp::f16>;
  const auto x = check::random<float>(context, {4, 7}, 1), y = check::random<float>(context, {4, 9}, 2), w = check::random<float>(context, {5, 7, 9}, 3), b = check::random<float>(context, {5}, 4);
  CHECK(check::equal_bits(context, amp::bilinear<all_half>(context, x, y, w, b),
                          amp::bilinear<all_half>(context, amp::cast<amp::f16>(context, x), amp::cast<amp::f16>(context, y), amp::cast<amp::f16>(context, w), amp::cast<amp::f16>(context, b))));
  auto p = check::random<double>(context, {2, 3, 2}, 1), q = check::random<double>(context, {2, 3, 4}, 2), u = check::random<double>(context, {3, 2, 4}, 3), v = check::random<double>(context, {3}, 4);
  const auto g = check::random<double>(context, {2, 3, 3}, 5);
  const auto value = [&] { return check::dot(context, g, amp::bilinear<amp::o0<>>(context, p, q, u, v)); };
  const auto of = amp::bilinear_backward<amp::o0<>>(context, g, p, q, u);
  check::slopes(context, value, p, of.x1), check::slopes(context, value, q, of.x2), check::slopes(context, value, u, of.w), check::slopes(context, value, v, of.b);
  CHECK_THROWS_WITH_AS(amp::bilinear<amp::o0<>>(context, p, q, q), doctest::Contains("x1 of shape [2, 3, 2], x2 of shape [2, 3, 4] and w of shape [2, 3, 4]"), amp::error);
}
