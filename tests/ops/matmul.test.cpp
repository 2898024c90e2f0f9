#include <amphora/ops/matmul.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::matmul<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>())), golden::tensor<amp::float16>>);
static_assert(std::is_same_v<decltype(amp::matmul<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<double>>(), std::declval<golden::tensor<double>>())), golden::tensor<double>>, "f64 is never cast");
static_assert(std::is_same_v<decltype(amp::matmul<amp::policy<>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::bfloat16>>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<amp::bfloat16>>);

TEST_CASE("matmul and its gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("matmul.json", {"mm", "bmm", "matmul", "mv", "dot"})) {
    const char* second = c.has("mat2") ? "mat2" : c.has("vec") ? "vec" : c.has("tensor") ? "tensor" : "other";
    const golden::array a = c.input("input"), b = c.input(second);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), y = b.template to<T>(context);
      const double length = static_cast<double>(a.values.size() + b.values.size());
      const auto value = amp::matmul<P>(context, x, y);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest(), length);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const double largest = c.grad_output().largest() * (std::max)(a.largest(), b.largest()) * static_cast<double>(c.output().values.size() + 1);
      const auto [ga, gb] = amp::matmul_backward<P>(context, g, x, y);
      golden::compare(context, c.name() + " a", ga, c.gradient("input"), setting::roundoff, largest, length);
      golden::compare(context, c.name() + " b", gb, c.gradient(second), setting::roundoff, largest, length);
    });
  }
  CHECK(run > 300);
}

TEST_CASE("matmul's gradients are the slopes of its value") {
  test_context context;
  for (const auto& [sa, sb] : std::vector<std::pair<amp::shape, amp::shape>>{{{3, 4}, {4, 2}}, {{2, 1, 3, 4}, {5, 4, 2}}, {{4}, {3, 4, 2}}, {{2, 3, 4}, {4}}, {{5}, {5}}}) {
    auto a = check::random<double>(context, sa, 1), b = check::random<double>(context, sb, 2);
    const auto g = check::random<double>(context, amp::matmul<amp::o0<>>(context, a, b).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::matmul<amp::o0<>>(context, a, b)); };
    const auto [ga, gb] = amp::matmul_backward<amp::o0<>>(context, g, a, b);
    check::slopes(context, value, a, ga);
    check::slopes(context, value, b, gb);
  }
}

TEST_CASE("B54: sums of a product run in float") {
  test_context context;
  const auto only = [&](const auto& product) { return static_cast<float>(amp::wait_read(context, product).at(0)); };
  const amp::float16 one(1.0f), plus(256.0f), minus(-256.0f);
  const auto ones = check::filled(context, {1, 4096}, one), column = check::filled(context, {4096, 1}, one);
  CHECK(only(amp::matmul<amp::o1<amp::f16>>(context, ones, column)) == 4096);
  const auto big = check::filled(context, {1, 4}, plus), signs = check::given<amp::float16>(context, {4, 1}, {plus, minus, plus, minus});
  CHECK(only(amp::matmul<amp::o1<amp::f16>>(context, big, signs)) == 0);
  const auto more = check::filled(context, {1, 4096}, amp::bfloat16(1.0f)), below = check::filled(context, {4096, 1}, amp::bfloat16(1.0f));
  CHECK(only(amp::matmul<amp::o3<amp::bf16>>(context, more, below)) == 4096);
}

TEST_CASE("products larger than a tile, of odd sizes and off alignment, have the right value") {
  test_context context;
  for (const auto [m, n, k] : {std::array<int, 3>{257, 300, 511}, {1, 700, 513}, {700, 1, 300}, {33, 65, 1}, {513, 31, 257}}) {
    const auto numbers_a = check::random_numbers<float>(m * k + 1, 4), numbers_b = check::random_numbers<float>(k * n + 1, 5);
    const auto whole_a = check::given(context, {m * k + 1}, numbers_a), whole_b = check::given(context, {k * n + 1}, numbers_b);
    const amp::view<const float> a(whole_a.data() + 1, {m, k}), b(whole_b.data() + 1, {k, n});
    const auto c = amp::wait_read(context, amp::matmul<amp::o0<>>(context, a, b));
    double worst = 0;
    for (int i = 0; i < m; i += 7)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += static_cast<double>(numbers_a[static_cast<std::size_t>(1 + i * k + l)]) * static_cast<double>(numbers_b[static_cast<std::size_t>(1 + l * n + j)]);
        worst = (std::max)(worst, std::fabs(static_cast<double>(c[static_cast<std::size_t>(i * n + j)]) - sum));
      }
    CHECK(worst <= amp::f32::unit_roundoff * k * k);  // |terms| ≤ 1, one rounding a term
  }
}

TEST_CASE("matmul adds gradients to what is there, or leaves them out") {
  test_context context;
  const auto a = check::random<float>(context, {3, 4}, 1), b = check::random<float>(context, {4, 2}, 2), g = check::random<float>(context, {3, 2}, 3);
  const auto [ga, gb] = amp::matmul_backward<amp::o0<>>(context, g, a, b);
  golden::tensor<float> twice(context, {3, 4});
  amp::matmul_backward<amp::o0<>>(context, g, a, b, amp::into(twice), amp::no_gradient{});
  amp::matmul_backward<amp::o0<>>(context, g, a, b, amp::add_to(twice), amp::no_gradient{});
  const auto sum = amp::wait_read(context, twice), once = amp::wait_read(context, ga);
  for (std::size_t i = 0; i < 12; ++i) CHECK(sum[i] == 2 * once[i]);
}

TEST_CASE("shapes that do not match are an error with both shapes, and nothing is written") {
  test_context context;
  const golden::tensor<float> a(context, {3, 4}), b(context, {5, 2});
  auto c = check::filled<float>(context, {3, 2}, 7);
  CHECK_THROWS_WITH_AS(amp::matmul<amp::o0<>>(context, amp::into(c), a, b), doctest::Contains("[3, 4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::matmul<amp::o0<>>(context, a, b), doctest::Contains("amphora [shape]"), amp::error);
  CHECK(amp::wait_read(context, c) == std::vector<float>(6, 7));
}
