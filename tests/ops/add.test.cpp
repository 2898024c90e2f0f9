#include <amphora/ops/add.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::add<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");
static_assert(std::is_same_v<decltype(amp::add<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<float>>, "f16 with bf16 gives f32");

TEST_CASE("add and its gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("add.json", {"add"})) {
    if (c.name() == "add/alpha0_nan") continue;  // below: alpha = 0 takes nothing of b
    const double alpha = c.option("alpha");
    const golden::array a = c.input("input"), b = c.input("other");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), y = b.template to<T>(context);
      const auto value = amp::add<P>(context, x, y, alpha);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, a.largest() + b.largest(), 0);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const double n = static_cast<double>(c.output().values.size());
      const auto [ga, gb] = amp::add_backward<P>(context, g, x, y, alpha);
      golden::compare(context, c.name() + " a", ga, c.gradient("input"), setting::roundoff, n * c.grad_output().largest(), n);
      golden::compare(context, c.name() + " b", gb, c.gradient("other"), setting::roundoff, n * c.grad_output().largest(), n);
    });
  }
  CHECK(run == 7 * 14);
}

TEST_CASE("with alpha = 0 nothing of b is taken, as in BLAS") {
  test_context context;
  const auto a = check::given<float>(context, {2}, {1, 2});
  const auto b = check::given<float>(context, {2}, {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()});
  CHECK(amp::wait_read(context, amp::add<amp::o0<>>(context, a, b, 0)) == std::vector<float>{1, 2});
}

TEST_CASE("add of mixed formats reads both exactly and rounds once") {
  test_context context;
  const auto a = check::random<amp::float16>(context, {5, 70}, 1);
  const auto b = check::random<float>(context, {70}, 2);
  const auto y = amp::wait_read(context, amp::add<amp::o1<amp::f16>>(context, a, b));
  const auto a_ = amp::wait_read(context, a);
  const auto b_ = amp::wait_read(context, b);
  for (std::size_t i = 0; i < 350; ++i) CHECK(y[i] == static_cast<float>(a_[i]) + b_[i % 70]);
  CHECK_THROWS_WITH_AS(amp::add<amp::o0<>>(context, a, check::random<float>(context, {5}, 3)), doctest::Contains("[5, 70] with [5]"), amp::error);
}
