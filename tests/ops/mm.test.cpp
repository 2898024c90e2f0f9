#include <amphora/ops/mm.hpp>

#include <amphora/ops/cast.hpp>
#include <amphora/ops/matmul.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
template <class P> using half_mm = decltype(amp::mm<P>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>()));
template <class P> using half_dot = decltype(amp::dot<P>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>()));

static_assert(std::is_same_v<half_mm<amp::o1<amp::f16>>, golden::tensor<amp::float16>>, "a contraction");
static_assert(std::is_same_v<half_dot<amp::o1<amp::f16>>, golden::tensor<float>>, "the widest format");

namespace {

/// The op of a case by its own name, on its operands.
template <class Function> void by_name(const golden::test_case& c, const Function& f) {
  const std::string op = c.data.at("op");
  if (op == "mm") f([](auto p, auto&... x) { return amp::mm<decltype(p)>(x...); }, [](auto p, auto&... x) { return amp::mm_backward<decltype(p)>(x...); });
  if (op == "bmm") f([](auto p, auto&... x) { return amp::bmm<decltype(p)>(x...); }, [](auto p, auto&... x) { return amp::bmm_backward<decltype(p)>(x...); });
  if (op == "mv") f([](auto p, auto&... x) { return amp::mv<decltype(p)>(x...); }, [](auto p, auto&... x) { return amp::mv_backward<decltype(p)>(x...); });
  if (op == "dot") f([](auto p, auto&... x) { return amp::dot<decltype(p)>(x...); }, [](auto p, auto&... x) { return amp::dot_backward<decltype(p)>(x...); });
  if (op == "dot") f([](auto p, auto&... x) { return amp::vdot<decltype(p)>(x...); }, [](auto p, auto&... x) { return amp::vdot_backward<decltype(p)>(x...); });
}

}  // namespace

TEST_CASE("mm, bmm, mv, dot and vdot, and their gradients, agree with the reference") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"mm", "bmm", "mv", "dot"})) {
    const char* second = c.has("mat2") ? "mat2" : c.has("vec") ? "vec" : "tensor";
    const golden::array a = c.input("input"), b = c.input(second);
    const auto in = [&](auto s, auto value_of, auto gradients_of) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const typename setting::policy policy{};
      const auto x = a.template to<T>(context), y = b.template to<T>(context);
      const double length = static_cast<double>(a.values.size() + b.values.size());
      const auto value = value_of(policy, context, x, y);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest(), length);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const double largest = c.grad_output().largest() * (std::max)(a.largest(), b.largest()) * static_cast<double>(c.output().values.size() + 1);
      const auto of = gradients_of(policy, context, g, x, y);
      golden::compare(context, c.name() + " a", of.first, c.gradient("input"), setting::roundoff, largest, length);
      golden::compare(context, c.name() + " b", of.second, c.gradient(second), setting::roundoff, largest, length);
    };
    by_name(c, [&](auto value_of, auto gradients_of) {
      in(golden::setting<amp::o0<>, amp::f64>{}, value_of, gradients_of), in(golden::setting<amp::o1<amp::f16>, amp::f32>{}, value_of, gradients_of);
      in(golden::setting<amp::o1<amp::bf16>, amp::bf16>{}, value_of, gradients_of);
    });
  }
  CHECK(run >= 75);
}

TEST_CASE("they have the bits of matmul of the same operands, cast by hand or not") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto a = check::random<float>(context, {9, 31}, 1), b = check::random<float>(context, {31, 17}, 2);
  const auto value = amp::mm<mixed>(context, a, b);
  CHECK(check::equal_bits(context, value, amp::matmul<mixed>(context, a, b)));
  const auto low_a = amp::cast<amp::f16>(context, a), low_b = amp::cast<amp::f16>(context, b);
  CHECK(check::equal_bits(context, value, amp::mm<amp::policy<>>(context, low_a, low_b)));
  const auto g = check::random<amp::float16>(context, {9, 17}, 3);
  const auto of = amp::mm_backward<mixed>(context, g, a, b), direct = amp::matmul_backward<mixed>(context, g, a, b);
  CHECK(check::equal_bits(context, of.first, direct.first));
  CHECK(check::equal_bits(context, of.second, direct.second));
  auto sum = amp::mm_backward<mixed>(context, g, a, b);
  amp::mm_backward<mixed>(context, g, a, b, amp::no_gradient{}, amp::add_to(sum.second));
  const auto once = amp::wait_read(context, of.second), twice = amp::wait_read(context, sum.second);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
}

TEST_CASE("what matmul would broadcast is refused here, with what is due") {
  test_context context;
  const golden::tensor<float> a(context, {2, 3, 4}), b(context, {4, 5}), c(context, {3, 4, 5}), d(context, {3, 4}), v(context, {3}), w(context, {4});
  CHECK_THROWS_WITH_AS(amp::mm<amp::o0<>>(context, a, b), doctest::Contains("a of shape [2, 3, 4] with b of shape [4, 5]; a is [m, k], b is [k, n]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::bmm<amp::o0<>>(context, a, c), doctest::Contains("a is [batch, m, k], b is [batch, k, n]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::mv<amp::o0<>>(context, d, v), doctest::Contains("mv cannot multiply"), amp::error);
  CHECK_THROWS_WITH_AS(amp::dot<amp::o0<>>(context, v, w), doctest::Contains("both are [k]"), amp::error);
  auto wrong = check::filled<float>(context, {2, 2}, 7);
  CHECK_THROWS_WITH_AS(amp::mm<amp::o0<>>(context, amp::into(wrong), d, b), doctest::Contains("[2, 2] where [3, 5] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(4, 7));
}
