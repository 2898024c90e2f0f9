#include <amphora/ops/where.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::where<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<bool>>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");

TEST_CASE("where agrees with the reference in every format; what is not taken leaks nothing, forward or backward") {
  CHECK(golden::run_many("widening.json", "where", 0, 0, {},
                         [](auto p, auto& context, const auto& c, const auto& a, const auto& b) {
                           const golden::array condition = c.input("condition");
                           return amp::where<decltype(p)>(context, truths(context, condition.shape, condition.values), a, b);
                         },
                         [](auto p, auto& context, const auto& c, const auto& g, const auto& a, const auto& b) {
                           const golden::array condition = c.input("condition");
                           return amp::where_backward<decltype(p)>(context, g, truths(context, condition.shape, condition.values), a, b);
                         },
                         "input", "other") >= 40);
}

TEST_CASE("where moves every bit of a format, at odd places and sizes, and keeps a gradient's NaN from what was not taken") {
  test_context context;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t n : {0, 1, 7, 1031}) {
    auto memory = check::random<float>(context, {n + 1}, 1);
    const amp::view<const float> a(memory.data() + 1, {n});
    const auto b = check::random<float>(context, {n}, 2);
    std::vector<double> which;
    for (std::int64_t i = 0; i < n + 1; ++i) which.push_back(i % 3 == 0);
    const auto all = truths(context, {n + 1}, which);
    const amp::view<const bool> condition(all.data() + 1, {n});
    const auto y = amp::wait_read(context, amp::where<amp::o0<>>(context, condition, a, b));
    const auto a_ = amp::wait_read(context, a), b_ = amp::wait_read(context, b);
    auto ga = check::filled<float>(context, {n}, 4), gb = check::filled<float>(context, {n}, 4);
    amp::where_backward<amp::o0<>>(context, check::filled<float>(context, {n}, nan), condition, a, b, amp::add_to(ga), amp::into(gb));
    const auto of_a = amp::wait_read(context, ga), of_b = amp::wait_read(context, gb);
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool taken = (i + 1) % 3 == 0;
      wrong += y[i] != (taken ? a_[i] : b_[i]);
      wrong += taken ? !std::isnan(of_a[i]) || of_b[i] != 0 : of_a[i] != 4 || !std::isnan(of_b[i]);
    }
    CHECK(wrong == 0);
  }
  const auto a = check::random<float>(context, {5}, 1), b = check::random<float>(context, {3}, 2);
  CHECK_THROWS_WITH_AS(amp::where<amp::o0<>>(context, truths(context, {}, {1}), a, b), doctest::Contains("where cannot broadcast [5] with [3]"), amp::error);
}
