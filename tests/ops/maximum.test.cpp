#include <amphora/ops/maximum.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("maximum and minimum agree with the reference in every format, where numbers are equal and where one is none") {
  CHECK(golden::run_many("promoting_more.json", "maximum", 0, 0, {}, [](auto p, auto& context, const auto&, const auto& a, const auto& b) { return amp::maximum<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto&, const auto& g, const auto& a, const auto& b) { return amp::maximum_backward<decltype(p)>(context, g, a, b); }, "input", "other") == 56);
  CHECK(golden::run_many("promoting_more.json", "minimum", 0, 0, {}, [](auto p, auto& context, const auto&, const auto& a, const auto& b) { return amp::minimum<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto&, const auto& g, const auto& a, const auto& b) { return amp::minimum_backward<decltype(p)>(context, g, a, b); }, "input", "other") == 56);
}

TEST_CASE("maximum and minimum read the widest format, and give it") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto low = check::given<amp::float16>(context, {2}, {amp::float16(1.0f), amp::float16(2.0f)});
  const auto high = check::given<float>(context, {2}, {1.0001f, 1.9999f});
  static_assert(std::is_same_v<decltype(amp::maximum<mixed>(context, low, high)), golden::tensor<float>>);
  static_assert(std::is_same_v<decltype(amp::minimum<mixed>(context, low, low)), golden::tensor<amp::float16>>);
  CHECK(amp::wait_read(context, amp::maximum<mixed>(context, low, high)) == std::vector<float>{1.0001f, 2.0f});
  CHECK(amp::wait_read(context, amp::minimum<mixed>(context, low, high)) == std::vector<float>{1.0f, 1.9999f});
}
