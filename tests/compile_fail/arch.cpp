// A contraction runs on every architecture that the program is built for.
#include <amphora/op/contraction.hpp>       // linear
#include <amphora/op/transparent.hpp>       // relu
#include <amphora/policy/architecture.hpp>  // oldest_architecture_v, require_call_on
#include <amphora/policy/opt_level.hpp>     // o1

namespace amp = amphora;
struct turing;  // stands for a device
struct ada;
struct unsaid;
template <> inline constexpr int amphora::oldest_architecture_v<turing> = 75;
template <> inline constexpr int amphora::oldest_architecture_v<ada> = 89;

int main() {
  //! [right]
  amp::require_call_on<turing, amp::o1<amp::f16>, amp::op::linear, amp::f16, amp::f16>();
  //! [right]
  amp::require_call_on<turing, amp::o1<amp::bf16>, amp::op::relu, amp::bf16>();  // loads and stores are fine anywhere
  amp::require_call_on<ada, amp::o1<amp::bf16>, amp::op::linear, amp::bf16, amp::bf16>();
  amp::require_call_on<ada, amp::o1<amp::e4m3>, amp::op::linear, amp::e4m3, amp::e4m3>();
  amp::require_call_on<unsaid, amp::o1<amp::bf16>, amp::op::linear, amp::bf16, amp::bf16>();
#ifdef AMPHORA_FAIL_arch
  //! [wrong]
  amp::require_call_on<turing, amp::o1<amp::bf16>, amp::op::linear, amp::bf16, amp::bf16>();
  //! [wrong]
#endif
#ifdef AMPHORA_FAIL_arch_fp8
  amp::require_call_on<turing, amp::o1<amp::e5m2>, amp::op::linear, amp::e5m2, amp::e5m2>();
#endif
}
