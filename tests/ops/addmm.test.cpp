#include <amphora/ops/addmm.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace {

template <class P, class... X> auto value_of(const std::string& op, const X&... x) {
  return op == "addmm" ? amp::addmm<P>(const_cast<X&>(x)...) : op == "addmv" ? amp::addmv<P>(const_cast<X&>(x)...) : op == "addr" ? amp::addr<P>(const_cast<X&>(x)...)
       : op == "addbmm" ? amp::addbmm<P>(const_cast<X&>(x)...) : amp::baddbmm<P>(const_cast<X&>(x)...);
}
template <class P, class... X> auto gradients_of(const std::string& op, const X&... x) {
  return op == "addmm" ? amp::addmm_backward<P>(const_cast<X&>(x)...) : op == "addmv" ? amp::addmv_backward<P>(const_cast<X&>(x)...) : op == "addr" ? amp::addr_backward<P>(const_cast<X&>(x)...)
       : op == "addbmm" ? amp::addbmm_backward<P>(const_cast<X&>(x)...) : amp::baddbmm_backward<P>(const_cast<X&>(x)...);
}
std::array<const char*, 2> operands_of(const golden::test_case& c) {
  if (c.has("mat1")) return {"mat1", "mat2"};
  if (c.has("mat")) return {"mat", "vec"};
  if (c.has("vec1")) return {"vec1", "vec2"};
  return {"batch1", "batch2"};
}

}  // namespace

TEST_CASE("addmm and its kin, and their gradients, agree with the reference in every format; what is multiplied by 0 is not read") {
  test_context context;
  int run = 0;
  for (auto c : golden::cases("contraction_matmul.json", {"addmm", "addmv", "addr", "addbmm", "baddbmm"})) {
    const std::string op = c.data.at("op");
    const auto names = operands_of(c);
    const char *const first = names[0], *const second = names[1];
    const double beta = golden::number(c.option("beta")), alpha = golden::number(c.option("alpha"));
    if (alpha == 0) {  // PyTorch reads what it multiplies by 0 in some of them, and in all of their gradients
      if (beta == 1) c.data["outputs"]["output"]["values"] = c.data["inputs"]["input"]["values"];
      for (const char* name : {first, second})
        for (auto& number : c.data["grads"][name]["values"]) number = 0.0;
    }
    const golden::array in = c.input("input"), a = c.input(first), b = c.input(second);
    const auto try_in = [&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!in.template is_exact_in<T>() || !a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = in.template to<T>(context), y = a.template to<T>(context), z = b.template to<T>(context);
      const double length = static_cast<double>(a.values.size() + b.values.size());
      const auto value = value_of<P>(op, context, x, y, z, beta, alpha);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest() * std::fabs(alpha) + std::fabs(beta) * in.largest(), length);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const double largest = c.grad_output().largest() * ((std::max)(a.largest(), b.largest()) * std::fabs(alpha) + std::fabs(beta)) * static_cast<double>(c.output().values.size() + 1);
      const auto of = gradients_of<P>(op, context, g, x, y, z, beta, alpha);
      golden::compare(context, c.name() + " input", of.first, c.gradient("input"), setting::roundoff, largest, length);
      golden::compare(context, c.name() + " a", of.second, c.gradient(first), setting::roundoff, largest, length);
      golden::compare(context, c.name() + " b", of.third, c.gradient(second), setting::roundoff, largest, length);
    };
    try_in(golden::setting<amp::o0<>, amp::f64>{}), try_in(golden::setting<amp::o1<amp::f16>, amp::f32>{});
    try_in(golden::setting<amp::o1<amp::f16>, amp::f16>{}), try_in(golden::setting<amp::o1<amp::bf16>, amp::bf16>{});
  }
  CHECK(run > 150);
}

TEST_CASE("gradients of addmm are the slopes of its value, with an input that is broadcast") {
  test_context context;
  auto x = check::random<double>(context, {3, 1}, 1), a = check::random<double>(context, {3, 4}, 2), b = check::random<double>(context, {4, 5}, 3);
  const auto g = check::random<double>(context, {3, 5}, 4);
  const auto value = [&] { return check::dot(context, g, amp::addmm<amp::o0<>>(context, x, a, b, 0.5, -1.5)); };
  const auto of = amp::addmm_backward<amp::o0<>>(context, g, x, a, b, 0.5, -1.5);
  check::slopes(context, value, x, of.first), check::slopes(context, value, a, of.second), check::slopes(context, value, b, of.third);
}

TEST_CASE("a sum of products and an input is rounded once: it holds where a 16-bit product alone does not") {
  test_context context;
  const auto sixteen = [&](const amp::shape& s, float v) { return check::filled(context, s, amp::float16(v)); };
  // 2 · 256 · 256 = 131072 is past f16's range; with −1.5 · 65504 added it is 32816, half way to the even 32832.
  const auto value = amp::addmm<amp::o1<amp::f16>>(context, sixteen({1, 1}, 65504), sixteen({1, 2}, 256), sixteen({2, 1}, 256), -1.5);
  CHECK(static_cast<float>(amp::wait_read(context, value)[0]) == 32832.0f);
  const auto row = amp::addmm<amp::o1<amp::f16>>(context, sixteen({1}, -65504), sixteen({1, 2}, 256), sixteen({2, 1}, 256), 1, 0.5);
  CHECK(static_cast<float>(amp::wait_read(context, row)[0]) == 32.0f);
}

TEST_CASE("addmm has the bits of a call on operands that were cast by hand, and may write over its input") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto x = check::random<float>(context, {37, 21}, 1), a = check::random<float>(context, {37, 19}, 2), b = check::random<float>(context, {19, 21}, 3);
  auto low_x = amp::cast<amp::f16>(context, x);
  const auto low_a = amp::cast<amp::f16>(context, a), low_b = amp::cast<amp::f16>(context, b);
  const auto value = amp::addmm<mixed>(context, x, a, b, 2, 0.5);
  CHECK(check::equal_bits(context, value, amp::addmm<amp::policy<>>(context, low_x, low_a, low_b, 2, 0.5)));
  amp::addmm<mixed>(context, amp::into(low_x), low_x, low_a, low_b, 2, 0.5);
  CHECK(check::equal_bits(context, value, low_x));
}

TEST_CASE("operands of addmm that do not fit are refused with their shapes, and nothing is written") {
  test_context context;
  const golden::tensor<float> x(context, {2}), a(context, {3, 4}), b(context, {4, 5}), c(context, {5, 4});
  CHECK_THROWS_WITH_AS(amp::addmm<amp::o0<>>(context, x, a, b), doctest::Contains("cannot broadcast [2] with [3, 5]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::addmm<amp::o0<>>(context, x, a, c), doctest::Contains("a of shape [3, 4] with b of shape [5, 4]; a is [m, k], b is [k, n]"), amp::error);
  const golden::tensor<float> wide(context, {2, 3, 5});
  CHECK_THROWS_WITH_AS(amp::addmm<amp::o0<>>(context, wide, a, b), doctest::Contains("cannot broadcast an input of shape [2, 3, 5] to the product's [3, 5]"), amp::error);
  auto wrong = check::filled<float>(context, {3}, 7);
  CHECK_THROWS_WITH_AS((amp::addmm_backward<amp::o0<>>(context, golden::tensor<float>(context, {3, 5}), golden::tensor<float>(context, {5}), a, b, amp::into(wrong), amp::no_gradient{}, amp::no_gradient{})),
                       doctest::Contains("[3] where [5] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(3, 7));
}
