#include <amphora/host/context.hpp>             // host_context
#include <amphora/host/scale.hpp>               // scale_kernels
#include <amphora/host/step.hpp>                // step_kernels
#include <amphora/optimizer/add_gradients.hpp>  // add_gradients
#include <amphora/scale/fixed.hpp>              // fixed
#include <amphora/scale/scaled_loss.hpp>        // scaled_loss
#include <amphora/scale/scaler.hpp>             // scaler

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace amp = amphora;

TEST_CASE("gradients are added in float and rounded once to where they go") {
  amp::host_context context;
  const std::vector<float> from{1, 0x1p-11f, 70000};
  std::vector<amp::float16> into{amp::float16(1.0f), amp::float16(1.0f), amp::float16(0.0f)};
  amp::add_gradients(context, amp::view<const float>{from.data(), amp::shape{3}}, amp::view{into.data(), amp::shape{3}});
  CHECK(static_cast<float>(into[0]) == 2);
  CHECK(static_cast<float>(into[1]) == 1);  // half a unit in the last place, to even
  CHECK(into[2].bits() == 0x7c00);
  CHECK_THROWS_AS(amp::add_gradients(context, amp::view<const float>{from.data(), amp::shape{2}}, amp::view{into.data(), amp::shape{3}}), amp::error);
  CHECK_THROWS_AS(amp::add_gradients(context, amp::view{into.data(), amp::shape{3}}, amp::view{into.data(), amp::shape{3}}), amp::error);
}

TEST_CASE("B08: gradients of two scales are not added") {
  amp::host_context context;
  float loss = 1, a = 65536, b = 1024, c = 65536;
  amp::scaler<amp::host_context, amp::fixed> first(context, amp::fixed{65536}), second(context, amp::fixed{1024});
  const auto one = [](float& x) { return amp::view{&x, amp::shape{1}}; };
  const auto ticket = first.scale(context, amp::view{&loss}).ticket(), other = second.scale(context, amp::view{&loss}).ticket();
  auto into = amp::scaled(one(a), ticket);
  CHECK_THROWS_AS(static_cast<void>(amp::add_gradients(context, amp::scaled(one(b), other), std::move(into))), amp::error);
  CHECK(a == 65536);
  auto sum = amp::add_gradients(context, amp::scaled(one(c), ticket), std::move(into));
  CHECK(a == 131072);
  CHECK(sum.live());
  CHECK(sum.ticket() == ticket);
}

TEST_CASE("a sum that is refused uses neither handle up") {
  amp::host_context context;
  std::vector<float> a{1, 2}, b{3, 4};
  auto into = amp::scaled(amp::view{a.data(), amp::shape{2}}, amp::ticket()), shorter = amp::scaled(amp::view{b.data(), amp::shape{1}}, amp::ticket());
  CHECK_THROWS_WITH_AS(static_cast<void>(amp::add_gradients(context, std::move(shorter), std::move(into))), doctest::Contains("[shape]"), amp::error);
  CHECK(shorter.live());
  CHECK(into.live());
  auto from = amp::scaled(amp::view{b.data(), amp::shape{2}}, amp::ticket());
  const auto sum = amp::add_gradients(context, std::move(from), std::move(into));
  CHECK(a == std::vector<float>{4, 6});
  CHECK(sum.live());
  CHECK(!from.live());
  CHECK(!into.live());
  auto again = amp::scaled(amp::view{a.data(), amp::shape{2}}, amp::ticket());
  CHECK_THROWS_WITH_AS(static_cast<void>(amp::add_gradients(context, std::move(from), std::move(again))), doctest::Contains("[used-twice]: add_gradients"), amp::error);
  CHECK(again.live());
}
