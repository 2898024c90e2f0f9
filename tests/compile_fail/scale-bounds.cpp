// The numbers of a scaling rule are checked: when compiling where they are constants, else when the scaler is made.
#include <amphora/host/scale.hpp>         // scale_kernels
#include <amphora/policy/opt_level.hpp>   // o1
#include <amphora/scale/make_scaler.hpp>  // make_scaler

namespace amp = amphora;

//! [right]
static constexpr amp::growth slow{/*growth_factor*/ 2, /*backoff_factor*/ 0.5, /*growth_interval*/ 4000};
//! [right]
//! [wrong]
static constexpr amp::growth stuck{/*growth_factor*/ 1};
//! [wrong]
static constexpr amp::fixed zero{0};

struct by_hand : amp::amend<amp::o1<amp::f16>, amp::loss_scale<amp::static_scale>> {};

struct broken : amp::growth {
  constexpr broken() { growth_interval = 0; }
};
struct by_type : amp::amend<amp::o1<amp::f16>, amp::loss_scale<amp::dynamic_scale<broken>>> {};

int main() {
  amp::host_context context;
  auto right = amp::make_scaler<amp::o1<amp::f16>, slow>(context);
  auto fixed = amp::make_scaler<by_hand>(context, amp::fixed{128});
#ifdef AMPHORA_FAIL_scale_bounds
  auto wrong = amp::make_scaler<amp::o1<amp::f16>, stuck>(context);
#endif
#ifdef AMPHORA_FAIL_scale_bounds_fixed
  auto wrong = amp::make_scaler<by_hand, zero>(context);
#endif
#ifdef AMPHORA_FAIL_scale_bounds_static
  auto wrong = amp::make_scaler<by_hand>(context);
#endif
#ifdef AMPHORA_FAIL_scale_bounds_type
  auto wrong = amp::make_scaler<by_type>(context);
#endif
#ifdef AMPHORA_FAIL_contradiction_scaler
  auto wrong = amp::make_scaler<amp::o0<>>(context, amp::growth{});
#endif
  (void)stuck, (void)zero, (void)right, (void)fixed;
}
