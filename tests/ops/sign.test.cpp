#include <amphora/ops/sign.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("abs and neg agree with the reference in every format") {
  CHECK(golden::run_unary(golden::elementwise_file, "abs", 0, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::abs<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::abs_backward<decltype(p)>(context, g, x); }) >= 30);
  CHECK(golden::run_unary(golden::elementwise_file, "neg", 0, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::neg<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::neg_backward<decltype(p)>(context, g, x); }) >= 30);
}

TEST_CASE("neg and abs of numbers at odd places are exact, into themselves too") {
  test_context context;
  for (const std::int64_t n : {0, 1, 9, 2051}) {
    auto memory = check::random<amp::float16>(context, {n + 1}, 1);
    const amp::view<amp::float16> x(memory.data() + 1, {n});
    const auto before = amp::wait_read(context, x);
    amp::neg<amp::policy<>>(context, amp::into(x), x);
    const auto turned = amp::wait_read(context, x);
    amp::abs<amp::policy<>>(context, amp::into(x), x);
    const auto size = amp::wait_read(context, x);
    int wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i)
      wrong += turned[i].bits() != (before[i].bits() ^ 0x8000) || size[i].bits() != (before[i].bits() & 0x7fff);
    CHECK(wrong == 0);
  }
}

TEST_CASE("the gradient of neg adds where asked, in the format of its memory") {
  test_context context;
  const auto x = check::random<amp::bfloat16>(context, {3, 5}, 1);
  const auto g = check::random<amp::bfloat16>(context, {3, 5}, 2);
  auto sum = check::filled<double>(context, {3, 5}, 4);
  amp::neg_backward<amp::policy<>>(context, amp::add_to(sum), g, x);
  const auto got = amp::wait_read(context, sum);
  const auto given = amp::wait_read(context, g);
  for (std::size_t i = 0; i < 15; ++i) CHECK(got[i] == 4 - static_cast<double>(static_cast<float>(given[i])));
}
