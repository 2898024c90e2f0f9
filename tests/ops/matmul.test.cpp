#include <amphora/ops/matmul.hpp>

#include <amphora/host/matmul.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using golden::tensor;

static_assert(std::is_same_v<decltype(amp::matmul<amp::o1<amp::f16>>(std::declval<amp::host_context&>(), std::declval<tensor<float>>(), std::declval<tensor<float>>())), tensor<amp::float16>>);
static_assert(std::is_same_v<decltype(amp::matmul<amp::o1<amp::f16>>(std::declval<amp::host_context&>(), std::declval<tensor<double>>(), std::declval<tensor<double>>())), tensor<double>>, "f64 is never cast");
static_assert(std::is_same_v<decltype(amp::matmul<amp::policy<>>(std::declval<amp::host_context&>(), std::declval<tensor<amp::bfloat16>>(), std::declval<tensor<amp::bfloat16>>())), tensor<amp::bfloat16>>);

TEST_CASE("matmul and its gradients agree with the reference in every format") {
  amp::host_context context;
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
      golden::compare(c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest(), length);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const double largest = c.grad_output().largest() * (std::max)(a.largest(), b.largest()) * static_cast<double>(c.output().values.size() + 1);
      const auto [ga, gb] = amp::matmul_backward<P>(context, g, x, y);
      golden::compare(c.name() + " a", ga, c.gradient("input"), setting::roundoff, largest, length);
      golden::compare(c.name() + " b", gb, c.gradient(second), setting::roundoff, largest, length);
    });
  }
  CHECK(run > 300);
}

TEST_CASE("matmul's gradients are the slopes of its value") {
  amp::host_context context;
  for (const auto& [sa, sb] : std::vector<std::pair<amp::shape, amp::shape>>{{{3, 4}, {4, 2}}, {{2, 1, 3, 4}, {5, 4, 2}}, {{4}, {3, 4, 2}}, {{2, 3, 4}, {4}}, {{5}, {5}}}) {
    auto a = check::random<double>(context, sa, 1), b = check::random<double>(context, sb, 2);
    const auto g = check::random<double>(context, amp::matmul<amp::o0<>>(context, a, b).shape(), 3);
    const auto value = [&] { return check::dot(g, amp::matmul<amp::o0<>>(context, a, b)); };
    const auto [ga, gb] = amp::matmul_backward<amp::o0<>>(context, g, a, b);
    check::slopes(value, a, ga);
    check::slopes(value, b, gb);
  }
}

TEST_CASE("B54: sums of a product run in float") {
  amp::host_context context;
  tensor<amp::float16> ones(context, {1, 4096}), column(context, {4096, 1});
  for (int i = 0; i < 4096; ++i) ones.data()[i] = column.data()[i] = amp::float16(1.0f);
  CHECK(static_cast<float>(amp::matmul<amp::o1<amp::f16>>(context, ones, column).data()[0]) == 4096);
  tensor<amp::float16> big(context, {1, 4}), signs(context, {4, 1});
  for (int i = 0; i < 4; ++i) big.data()[i] = amp::float16(256.0f), signs.data()[i] = amp::float16(i % 2 ? -256.0f : 256.0f);
  CHECK(static_cast<float>(amp::matmul<amp::o1<amp::f16>>(context, big, signs).data()[0]) == 0);
  tensor<amp::bfloat16> more(context, {1, 4096}), below(context, {4096, 1});
  for (int i = 0; i < 4096; ++i) more.data()[i] = below.data()[i] = amp::bfloat16(1.0f);
  CHECK(static_cast<float>(amp::matmul<amp::o3<amp::bf16>>(context, more, below).data()[0]) == 4096);
}

TEST_CASE("products larger than a tile, of odd sizes and off alignment, have the right value") {
  amp::host_context context;
  for (const auto [m, n, k] : {std::array<int, 3>{257, 300, 511}, {1, 700, 513}, {700, 1, 300}, {33, 65, 1}, {513, 31, 257}}) {
    auto whole_a = check::random<float>(context, {m * k + 1}, 4), whole_b = check::random<float>(context, {k * n + 1}, 5);
    const amp::view<const float> a(whole_a.data() + 1, {m, k}), b(whole_b.data() + 1, {k, n});
    const auto c = amp::matmul<amp::o0<>>(context, a, b);
    double worst = 0;
    for (int i = 0; i < m; i += 7)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += static_cast<double>(a.data()[i * k + l]) * static_cast<double>(b.data()[l * n + j]);
        worst = (std::max)(worst, std::fabs(static_cast<double>(c.data()[i * n + j]) - sum));
      }
    CHECK(worst <= amp::f32::unit_roundoff * k * k);  // |terms| ≤ 1, one rounding a term
  }
}

TEST_CASE("matmul adds gradients to what is there, or leaves them out") {
  amp::host_context context;
  const auto a = check::random<float>(context, {3, 4}, 1), b = check::random<float>(context, {4, 2}, 2), g = check::random<float>(context, {3, 2}, 3);
  const auto [ga, gb] = amp::matmul_backward<amp::o0<>>(context, g, a, b);
  tensor<float> twice(context, {3, 4});
  amp::matmul_backward<amp::o0<>>(context, g, a, b, amp::into(twice), amp::no_gradient{});
  amp::matmul_backward<amp::o0<>>(context, g, a, b, amp::add_to(twice), amp::no_gradient{});
  for (int i = 0; i < 12; ++i) CHECK(twice.data()[i] == 2 * ga.data()[i]);
}

TEST_CASE("shapes that do not match are an error with both shapes, and nothing is written") {
  amp::host_context context;
  tensor<float> a(context, {3, 4}), b(context, {5, 2}), c(context, {3, 2});
  c.data()[0] = 7;
  CHECK_THROWS_WITH_AS(amp::matmul<amp::o0<>>(context, amp::into(c), a, b), doctest::Contains("[3, 4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::matmul<amp::o0<>>(context, a, b), doctest::Contains("amphora [shape]"), amp::error);
  CHECK(c.data()[0] == 7);
}
