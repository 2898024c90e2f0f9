#include <amphora/optimizer/add_gradients.hpp>  // add_gradients
#include <amphora/scale/fixed.hpp>              // fixed
#include <amphora/scale/scaled_loss.hpp>        // scaled_loss
#include <amphora/scale/scaler.hpp>             // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace amp = amphora;

TEST_CASE("gradients are added in float and rounded once to where they go") {
  test_context context;
  const device_array<float> from(context, {1, 0x1p-11f, 70000});
  device_array<amp::float16> into(context, {amp::float16(1.0f), amp::float16(1.0f), amp::float16(0.0f)});
  amp::add_gradients(context, from.view(), into.view());
  const std::vector<amp::float16> sum = into.get();
  CHECK(static_cast<float>(sum[0]) == 2);
  CHECK(static_cast<float>(sum[1]) == 1);  // half a unit in the last place, to even
  CHECK(sum[2].bits() == 0x7c00);
  CHECK_THROWS_AS(amp::add_gradients(context, amp::view<const float>{from.data(), amp::shape{2}}, into.view()), amp::error);
  CHECK_THROWS_AS(amp::add_gradients(context, into.view(), into.view()), amp::error);
}

TEST_CASE("B08: gradients of two scales are not added") {
  test_context context;
  const device_array<float> loss(context, {1});
  device_array<float> a(context, {65536}), b(context, {1024}), c(context, {65536});
  amp::scaler<test_context, amp::fixed> first(context, amp::fixed{65536}), second(context, amp::fixed{1024});
  const auto ticket = first.scale(context, loss.view()).ticket(), other = second.scale(context, loss.view()).ticket();
  auto into = amp::scaled(a.view(), ticket);
  CHECK_THROWS_AS(static_cast<void>(amp::add_gradients(context, amp::scaled(b.view(), other), std::move(into))), amp::error);
  CHECK(a[0] == 65536);
  auto sum = amp::add_gradients(context, amp::scaled(c.view(), ticket), std::move(into));
  CHECK(a[0] == 131072);
  CHECK(sum.live());
  CHECK(sum.ticket() == ticket);
}

TEST_CASE("a sum that is refused uses neither handle up") {
  test_context context;
  device_array<float> a(context, {1, 2}), b(context, {3, 4});
  auto into = amp::scaled(a.view(), amp::ticket()), shorter = amp::scaled(amp::view{b.data(), amp::shape{1}}, amp::ticket());
  CHECK_THROWS_WITH_AS(static_cast<void>(amp::add_gradients(context, std::move(shorter), std::move(into))), doctest::Contains("[shape]"), amp::error);
  CHECK(shorter.live());
  CHECK(into.live());
  auto from = amp::scaled(b.view(), amp::ticket());
  const auto sum = amp::add_gradients(context, std::move(from), std::move(into));
  CHECK(a.get() == std::vector<float>{4, 6});
  CHECK(sum.live());
  CHECK(!from.live());
  CHECK(!into.live());
  auto again = amp::scaled(a.view(), amp::ticket());
  CHECK_THROWS_WITH_AS(static_cast<void>(amp::add_gradients(context, std::move(from), std::move(again))), doctest::Contains("[used-twice]: add_gradients"), amp::error);
  CHECK(again.live());
}
