#include <amphora/error.hpp>           // error
#include <amphora/scale/unscaled.hpp>  // unscaled, require_unscaled

#include <device.hpp>  // test_context, read_device

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace amp = amphora;

using list = std::vector<float>;
using handle = amp::unscaled<list&, test_context>;
static_assert(amp::is_unscaled_v<handle> && !amp::is_unscaled_v<amp::scaled<list&>> && !amp::is_unscaled_v<list> && !amp::is_unscaled_v<void>);
static_assert(!std::is_copy_constructible_v<handle> && std::is_nothrow_move_constructible_v<handle> && !std::is_move_assignable_v<handle>);
static_assert(amp::require_unscaled<handle>() && amp::require_unscaled<const handle&>() && amp::require_unscaled<list&>());
static_assert(amp::require_scaled<amp::scaled<list&>>());

TEST_CASE("unscaled gradients keep the stored values and carry their facts, and give the memory back") {
  test_context context;
  list gradients{1, 2};
  auto make = [&] {
    auto* facts = static_cast<amp::gradient_facts*>(context.allocate(sizeof(amp::gradient_facts)));
    amp::gradient_facts quarter;
    quarter.inverse = 0.25f;
    amp::scale_kernels<test_device>::write(context, &quarter, facts, sizeof quarter);
    return handle(context, gradients, amp::ticket(), facts);
  };
  for (int i = 0; i < 3; ++i) {
    handle first = make();
    CHECK(&first.gradients() == &gradients);
    CHECK(read_device(context, first.facts()).factor() == 0.25f);
    handle second = std::move(first);
    CHECK(read_device(context, second.facts()).factor() == 0.25f);
    CHECK_THROWS_WITH_AS(first.facts(), doctest::Contains("[used-twice]"), amp::error);
  }
  CHECK(context.allocations() == 1);
}
