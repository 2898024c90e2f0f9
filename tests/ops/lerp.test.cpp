#include <amphora/ops/lerp.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("lerp agrees with the reference in every format, by a number and by weights") {
  int run = 0;
  test_context context;
  for (const auto& c : golden::cases("promoting_more.json", {"lerp"})) {
    if (c.has("weight")) continue;
    const double weight = c.option("weight");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      ++run;
      const auto a = c.input("input").to<T>(context), b = c.input("end").to<T>(context);
      const double terms = (1 + std::fabs(weight)) * (c.input("input").largest() + c.input("end").largest());
      const auto y = amp::lerp<P>(context, a, b, weight);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, terms, 0);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto of = amp::lerp_backward<P>(context, g, a, b, weight);
      const double sums = (1 + std::fabs(weight)) * c.grad_output().largest() * 3;
      golden::compare(context, c.name() + " input", of.first, c.gradient("input"), setting::roundoff, sums, 0);
      golden::compare(context, c.name() + " end", of.second, c.gradient("end"), setting::roundoff, sums, 0);
    });
  }
  CHECK(run == 9 * 7);
  CHECK(golden::run_many("promoting_more.json", "lerp", 4, 1024, {},
                         [](auto p, auto& ctx, const auto&, const auto& a, const auto& b, const auto& w) { return amp::lerp<decltype(p)>(ctx, a, b, w); },
                         [](auto p, auto& ctx, const auto&, const auto& g, const auto& a, const auto& b, const auto& w) { return amp::lerp_backward<decltype(p)>(ctx, g, a, b, w); }, "input", "end", "weight") == 4 * 7);
}

TEST_CASE("lerp is the one end at 0 and the other at 1, exactly") {
  test_context context;
  const auto a = check::given<float>(context, {3}, {1e20f, 0.1f, -3}), b = check::given<float>(context, {3}, {-1, 0.3f, 7});
  CHECK(amp::wait_read(context, amp::lerp<amp::o0<>>(context, a, b, 0)) == amp::wait_read(context, a));
  CHECK(amp::wait_read(context, amp::lerp<amp::o0<>>(context, a, b, 1)) == amp::wait_read(context, b));
  const auto ends = check::given<float>(context, {3}, {0, 1, 0});
  CHECK(amp::wait_read(context, amp::lerp<amp::o0<>>(context, a, b, ends)) == std::vector<float>{1e20f, 0.3f, -3});
}

TEST_CASE("gradients of lerp are the slopes of its value, of every operand, broadcast or not") {
  test_context context;
  auto a = check::random<double>(context, {3, 4}, 1), b = check::random<double>(context, {4}, 2), w = check::random<double>(context, {3, 1}, 3);
  const auto g = check::random<double>(context, {3, 4}, 4);
  const auto value = [&] { return check::dot(context, g, amp::lerp<amp::o0<>>(context, a, b, w)); };
  const auto of = amp::lerp_backward<amp::o0<>>(context, g, a, b, w);
  check::slopes(context, value, a, of.first), check::slopes(context, value, b, of.second), check::slopes(context, value, w, of.third);
}
