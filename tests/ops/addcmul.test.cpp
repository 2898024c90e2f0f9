#include <amphora/ops/addcmul.hpp>
#include <amphora/ops/atan2.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("addcmul and addcdiv agree with the reference in every format, broadcast or not") {
  CHECK(golden::run_many(golden::widening_file, "addcmul", 4, 8, {"addcmul/value0"},
                         [](auto p, auto& context, const auto& c, const auto& a, const auto& b, const auto& d) { return amp::addcmul<decltype(p)>(context, a, b, d, c.option("value").template get<double>()); },
                         [](auto p, auto& context, const auto& c, const auto& g, const auto& a, const auto& b, const auto& d) { return amp::addcmul_backward<decltype(p)>(context, g, a, b, d, c.option("value").template get<double>()); }, "input", "tensor1", "tensor2") >= 50);
  CHECK(golden::run_many(golden::widening_file, "addcdiv", 6, 64, {"addcdiv/value0"},
                         [](auto p, auto& context, const auto& c, const auto& a, const auto& b, const auto& d) { return amp::addcdiv<decltype(p)>(context, a, b, d, c.option("value").template get<double>()); },
                         [](auto p, auto& context, const auto& c, const auto& g, const auto& a, const auto& b, const auto& d) { return amp::addcdiv_backward<decltype(p)>(context, g, a, b, d, c.option("value").template get<double>()); }, "input", "tensor1", "tensor2") >= 50);
}

TEST_CASE("with value = 0 nothing of the product or quotient is taken, forward or backward") {
  test_context context;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = check::given<float>(context, {2}, {1, 2}), a = check::given<float>(context, {2}, {nan, 1}), b = check::given<float>(context, {2}, {0, nan});
  const auto g = check::given<float>(context, {2}, {3, 4});
  CHECK(amp::wait_read(context, amp::addcmul<amp::o0<>>(context, x, a, b, 0)) == std::vector<float>{1, 2});
  CHECK(amp::wait_read(context, amp::addcdiv<amp::o0<>>(context, x, a, b, 0)) == std::vector<float>{1, 2});
  const auto of_product = amp::addcmul_backward<amp::o0<>>(context, g, x, a, b, 0);
  const auto of_quotient = amp::addcdiv_backward<amp::o0<>>(context, g, x, a, b, 0);
  for (const auto* gx : {&of_product.first, &of_quotient.first}) CHECK(amp::wait_read(context, *gx) == std::vector<float>{3, 4});
  for (const auto* ga : {&of_product.second, &of_quotient.second, &of_product.third, &of_quotient.third}) CHECK(amp::wait_read(context, *ga) == std::vector<float>{0, 0});
}

TEST_CASE("addcmul rounds its two products and its sum once each, at odd places too") {
  test_context context;
  for (const std::int64_t n : {0, 1, 9, 2051}) {
    const auto memory = check::random<float>(context, {n + 1}, 1);
    const amp::view<const float> x(memory.data() + 1, {n});
    const auto a = check::random<float>(context, {n}, 2), b = check::random<float>(context, {1}, 3);
    const auto y = amp::wait_read(context, amp::addcmul<amp::o0<>>(context, x, a, b, 0.75));
    const auto x_ = amp::wait_read(context, x), a_ = amp::wait_read(context, a), b_ = amp::wait_read(context, b);
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const volatile float product = a_[i] * b_[0], scaled = 0.75f * product;
      wrong += y[i] != x_[i] + scaled;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("atan2 agrees with the reference in every format, in all quadrants and at the origin") {
  CHECK(golden::run_many(golden::widening_file, "atan2", 6, 0, {},
                         [](auto p, auto& context, const auto& , const auto& a, const auto& b) { return amp::atan2<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto& , const auto& g, const auto& a, const auto& b) { return amp::atan2_backward<decltype(p)>(context, g, a, b); }, "input", "other") >= 50);
}

TEST_CASE("atan2's slopes are right where squares of the coordinates leave the range of float") {
  test_context context;
  const auto a = check::given<float>(context, {2}, {3e30f, 3e-30f}), b = check::given<float>(context, {2}, {4e30f, 4e-30f}), g = check::given<float>(context, {2}, {1e20f, 1e-20f});
  const auto of = amp::atan2_backward<amp::o0<>>(context, g, a, b);
  const auto ga = amp::wait_read(context, of.first), gb = amp::wait_read(context, of.second);
  CHECK(std::fabs(static_cast<double>(ga[0]) / (1e20 * 4e30 / 25e60) - 1) < 1e-6);
  CHECK(std::fabs(static_cast<double>(ga[1]) / (1e-20 * 4e-30 / 25e-60) - 1) < 1e-6);
  CHECK(std::fabs(static_cast<double>(gb[0]) / (-1e20 * 3e30 / 25e60) - 1) < 1e-6);
  CHECK(std::fabs(static_cast<double>(gb[1]) / (-1e-20 * 3e-30 / 25e-60) - 1) < 1e-6);
}

TEST_CASE("gradients of addcmul, addcdiv and atan2 are the slopes of their values, of every operand") {
  test_context context;
  auto x = check::random<double>(context, {3, 4}, 1), a = check::random<double>(context, {4}, 2), b = check::random<double>(context, {3, 1}, 3);
  auto numbers = amp::wait_read(context, b);
  for (double& v : numbers) v += 2;
  amp::write(context, numbers, b);
  const auto g = check::random<double>(context, {3, 4}, 4);
  const auto product = [&] { return check::dot(context, g, amp::addcmul<amp::o0<>>(context, x, a, b, -0.5)); };
  const auto quotient = [&] { return check::dot(context, g, amp::addcdiv<amp::o0<>>(context, x, a, b, -0.5)); };
  const auto of_product = amp::addcmul_backward<amp::o0<>>(context, g, x, a, b, -0.5);
  const auto of_quotient = amp::addcdiv_backward<amp::o0<>>(context, g, x, a, b, -0.5);
  check::slopes(context, product, x, of_product.first), check::slopes(context, product, a, of_product.second), check::slopes(context, product, b, of_product.third);
  check::slopes(context, quotient, x, of_quotient.first), check::slopes(context, quotient, a, of_quotient.second), check::slopes(context, quotient, b, of_quotient.third);
  const auto angle = [&] { return check::dot(context, g, amp::atan2<amp::o0<>>(context, x, b)); };
  const auto of_angle = amp::atan2_backward<amp::o0<>>(context, g, x, b);
  check::slopes(context, angle, x, of_angle.first), check::slopes(context, angle, b, of_angle.second);
}
