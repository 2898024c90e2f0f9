#include <amphora/autograd/scope.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

namespace amp = amphora;

TEST_CASE("a scope over a tape casts by name, keeps its tape under another policy, and records where the tape does") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<float>(context, {2}, {1.0 / 3, 2}));
  amp::autocast<amp::o1<amp::f16>>(tape, [&](auto amp) {
    static_assert(std::is_same_v<typename decltype(amp)::policy, amp::o1<amp::f16>>);
    CHECK(&amp.context() == &context);
    CHECK(amp.tape().records());
    const auto half = amp.cast(amp::f16{}, x);
    static_assert(std::is_same_v<typename decltype(half)::value_type, amp::float16>);
    CHECK(values(context, half) == std::vector<double>{static_cast<double>(amp::convert<amp::f16>(1.0 / 3)), 2});
    amp::backward(context, half, numbers<float>(context, {2}, {3, 5}).view());
    CHECK(values(context, x.gradient()) == std::vector<double>{3, 5});
    const auto other = amp.with(amp::o0<>{});
    static_assert(std::is_same_v<typename decltype(other)::policy, amp::o0<>>);
    CHECK(other.add(x, x).needs_gradient());
    CHECK(&other.context() == &context);
  });
  const auto quiet = tape.no_grad();
  amp::autocast<amp::o1<amp::f16>>(quiet, [&](auto amp) {
    CHECK(!amp.add(x, x).needs_gradient());
    CHECK(!amp.with(amp::o0<>{}).cast(amp::f16{}, x).needs_gradient());
  });
}
