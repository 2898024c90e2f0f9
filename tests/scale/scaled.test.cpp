#include <amphora/error.hpp>           // error
#include <amphora/optimizer/gradients.hpp>  // gradient_list, gradient_view
#include <amphora/scale/scaled.hpp>    // scaled
#include <amphora/scale/scaler.hpp>    // scaler
#include <amphora/tensor/view.hpp>     // view

#include <device.hpp>  // test_context

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace amp = amphora;

// A list of somebody else's, which says where its gradients lie.
struct arena {
  float* memory;
};
template <>
struct amp::gradient_buffer<arena> {
  static const void* of(const arena& gradients) { return gradients.memory; }
};

using list = std::vector<float>;
static_assert(std::is_same_v<decltype(amp::scaled(std::declval<list&>(), amp::ticket())), amp::scaled<list&>>);        // refers to a list with a name
static_assert(std::is_same_v<decltype(amp::scaled(std::declval<const list&>(), amp::ticket())), amp::scaled<const list&>>);
static_assert(std::is_same_v<decltype(amp::scaled(list(), amp::ticket())), amp::scaled<list>>);                       // holds a temporary
static_assert(std::is_same_v<decltype(amp::scaled(std::declval<amp::view<float>&>(), amp::ticket())), amp::scaled<amp::view<float>>>);  // and what is cheap to copy
static_assert(!std::is_copy_constructible_v<amp::scaled<list&>> && std::is_nothrow_move_constructible_v<amp::scaled<list&>>);
static_assert(!std::is_copy_assignable_v<amp::scaled<list&>> && !std::is_move_assignable_v<amp::scaled<list&>>);
static_assert(amp::is_scaled_v<amp::scaled<list&>> && !amp::is_scaled_v<list> && !amp::is_scaled_v<void> && !amp::is_scaled_v<amp::ticket>);

TEST_CASE("a handle gives its gradients and their ticket up once") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  list gradients{1, 2};
  auto handle = amp::scaled(gradients, scaler.ticket(context));
  CHECK(handle.live());
  for (int k = 0; k < 2; ++k) CHECK(&handle.peek("step") == &gradients);  // a look uses nothing up
  CHECK(handle.live());
  auto parts = std::move(handle).take("step");
  CHECK(&parts.gradients == &gradients);
  CHECK(parts.used == scaler.ticket(context));
  CHECK_FALSE(handle.live());
  CHECK_THROWS_WITH_AS(std::move(handle).take("step"), doctest::Contains("[used-twice]: step"), amp::error);
  CHECK_THROWS_WITH_AS(static_cast<void>(handle.peek("check")), doctest::Contains("[used-twice]: check"), amp::error);
}

TEST_CASE("a moved-from handle is used up, the one that it was moved to is not") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  list gradients{1};
  auto handle = amp::scaled(gradients, scaler.ticket(context));
  auto moved = std::move(handle);
  CHECK_THROWS_WITH_AS(std::move(handle).take("unscale"), doctest::Contains("[used-twice]: unscale"), amp::error);
  CHECK(&std::move(moved).take("unscale").gradients == &gradients);
}

TEST_CASE("a handle whose scaler was updated is stale") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  list gradients{1};
  const amp::ticket old = scaler.ticket(context);
  scaler.set_scale(context, 2);
  CHECK_THROWS_WITH_AS((void)amp::scaled(gradients, old), doctest::Contains("[stale-ticket]: scaled"), amp::error);
}

TEST_CASE("B08: gradients of two scales in one buffer are refused where both tickets are shown") {
  test_context context;
  amp::scaler<test_context> first(context), second(context, amp::growth{2, 0.5, 2000, 1024});
  list gradients{1};
  const auto a = first.ticket(context), again = first.ticket(context), b = second.ticket(context);
  CHECK(amp::scaled(gradients, a, again).live());
  CHECK_THROWS_WITH_AS((void)amp::scaled(gradients, a, again, b), doctest::Contains("[mixed-tickets]: scaled"), amp::error);
}

TEST_CASE("two unused handles on one buffer are refused, one after the other is not") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  list gradients{1}, others{1};
  float numbers[2] = {};
  {
    auto handle = amp::scaled(gradients, scaler.ticket(context)), other = amp::scaled(others, scaler.ticket(context));
    CHECK_THROWS_WITH_AS((void)amp::scaled(gradients, scaler.ticket(context)), doctest::Contains("[same-buffer]"), amp::error);
    auto moved = std::move(handle);
    CHECK_THROWS_AS((void)amp::scaled(gradients, scaler.ticket(context)), amp::error);
    auto on_view = amp::scaled(amp::view<float>(numbers, {2}), scaler.ticket(context));
    CHECK_THROWS_AS((void)amp::scaled(amp::view<float>(numbers, {1, 2}), scaler.ticket(context)), amp::error);
  }
  CHECK(amp::scaled(gradients, scaler.ticket(context)).live());
}

TEST_CASE("a list of gradients is known by the first that is there, held or referred to") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  float a[2] = {}, b[2] = {};
  const std::vector<amp::gradient_view> first{{}, amp::view<float>(a, {2}), amp::view<float>(b, {2})}, again{amp::view<float>(a, {2})}, other{amp::view<float>(b, {2})}, empty;
  auto handle = amp::scaled(first, scaler.ticket(context));
  CHECK_THROWS_WITH_AS((void)amp::scaled(amp::gradient_list(again), scaler.ticket(context)), doctest::Contains("[same-buffer]"), amp::error);
  CHECK_THROWS_AS((void)amp::scaled(again, scaler.ticket(context)), amp::error);
  auto b_handle = amp::scaled(amp::gradient_list(other), scaler.ticket(context));
  auto none = amp::scaled(amp::gradient_list(empty), scaler.ticket(context)), none_again = amp::scaled(amp::gradient_list(empty), scaler.ticket(context));
  CHECK(handle.live());
}

TEST_CASE("an own kind of list is known by what it says of itself") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  float a[2] = {}, b[2] = {};
  auto handle = amp::scaled(arena{a}, scaler.ticket(context)), other = amp::scaled(arena{b}, scaler.ticket(context));
  CHECK(other.live());
  CHECK_THROWS_WITH_AS((void)amp::scaled(arena{a}, scaler.ticket(context)), doctest::Contains("[same-buffer]"), amp::error);
  CHECK_THROWS_AS((void)amp::scaled(amp::view<float>(a, {2}), scaler.ticket(context)), amp::error);
}

TEST_CASE("a handle that is dropped unused leaves nothing pending") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  list gradients{1};
  {
    auto handle = amp::scaled(gradients, scaler.ticket(context));
    CHECK_THROWS_WITH_AS(scaler.set_scale(context, 8), doctest::Contains("[pending-gradients]"), amp::error);
  }
  scaler.set_scale(context, 8);
  CHECK(scaler.wait_scale(context) == 8);
}

TEST_CASE("a handle may outlive its scaler") {
  test_context context;
  list gradients{1};
  auto outlived = [&] {
    amp::scaler<test_context> scaler(context);
    return amp::scaled(gradients, scaler.ticket(context));
  }();
  CHECK_THROWS_WITH_AS(std::move(outlived).take("step"), doctest::Contains("is gone"), amp::error);
}
