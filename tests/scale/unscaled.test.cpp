#include <amphora/error.hpp>           // error
#include <amphora/host/context.hpp>    // host_context
#include <amphora/scale/unscaled.hpp>  // unscaled, require_unscaled

#include <doctest/doctest.h>

#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace amp = amphora;

using list = std::vector<float>;
using handle = amp::unscaled<list&, amp::host_context>;
static_assert(amp::is_unscaled_v<handle> && !amp::is_unscaled_v<amp::scaled<list&>> && !amp::is_unscaled_v<list> && !amp::is_unscaled_v<void>);
static_assert(!std::is_copy_constructible_v<handle> && std::is_nothrow_move_constructible_v<handle> && !std::is_move_assignable_v<handle>);
static_assert(amp::require_unscaled<handle>() && amp::require_unscaled<const handle&>() && amp::require_unscaled<list&>());
static_assert(amp::require_scaled<amp::scaled<list&>>());

TEST_CASE("unscaled gradients keep the stored values and carry their facts, and give the memory back") {
  amp::host_context context;
  list gradients{1, 2};
  auto make = [&] {
    auto* facts = new (context.allocate(sizeof(amp::gradient_facts))) amp::gradient_facts{};
    facts->inverse = 0.25f;
    return handle(context, gradients, amp::ticket(), facts);
  };
  for (int i = 0; i < 3; ++i) {
    handle first = make();
    CHECK(&first.gradients() == &gradients);
    CHECK(first.facts()->factor() == 0.25f);
    handle second = std::move(first);
    CHECK(second.facts()->factor() == 0.25f);
    CHECK_THROWS_WITH_AS(first.facts(), doctest::Contains("[used-twice]"), amp::error);
  }
  CHECK(context.allocations() == 1);
}
