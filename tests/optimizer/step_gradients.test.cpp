#include <amphora/host/context.hpp>              // host_context
#include <amphora/optimizer/gradients.hpp>       // gradient_list
#include <amphora/optimizer/step_gradients.hpp>  // is_step_gradients_v, require_step_gradients
#include <amphora/scale/unscaled.hpp>            // unscaled

#include <doctest/doctest.h>

namespace amp = amphora;

using scaled = amp::scaled<amp::gradient_list>;
using unscaled = amp::unscaled<amp::gradient_list, amp::host_context>;

static_assert(amp::is_step_gradients_v<amp::gradient_list> && amp::is_step_gradients_v<const amp::gradient_list&>);
static_assert(amp::is_step_gradients_v<const std::vector<amp::gradient_view>&>);
static_assert(amp::is_step_gradients_v<unscaled&> && amp::is_step_gradients_v<const unscaled&> && amp::is_step_gradients_v<unscaled>);
static_assert(amp::is_step_gradients_v<scaled> && amp::is_step_gradients_v<scaled&&>, "a moved handle");
static_assert(!amp::is_step_gradients_v<scaled&> && !amp::is_step_gradients_v<const scaled&> && !amp::is_step_gradients_v<const scaled>);
static_assert(!amp::is_step_gradients_v<float (&)()> && !amp::is_step_gradients_v<float (*)()>);

TEST_CASE("a step takes gradients and moved handles, and no function that computes the loss") {
  const auto closure = [] { return 1.0f; };
  const auto of_gradients = [](const amp::gradient_list&) {};  // a function too, but of no loss
  CHECK(!amp::is_step_gradients_v<decltype(closure)&>);
  CHECK(!amp::is_step_gradients_v<decltype(closure)>);
  CHECK(amp::is_step_gradients_v<decltype(of_gradients)>);
  CHECK(amp::require_step_gradients<scaled>());
  CHECK(amp::require_step_gradients<const amp::gradient_list&>());
}
