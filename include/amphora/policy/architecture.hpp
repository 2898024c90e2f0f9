// Whether the architectures that a program is built for have the arithmetic that a call needs.
#pragma once
#include <amphora/policy/call.hpp>  // require_call, compute_t

namespace amphora { inline namespace AMPHORA_ABI {

/// The oldest architecture that code for Device is built for: 75 for sm_75. 0: not said, and nothing is refused.
///
/// Host code cannot see it, so that the program says it: `template <> inline constexpr int amphora::oldest_architecture_v<amphora::cuda_device> = 75;`
/// before the first call, in every file alike.
template <class Device> inline constexpr int oldest_architecture_v = 0;

/// The architecture from which on matrix units multiply Format; 0 where all do. Storing and converting it is fine anywhere.
///
/// Source  CUDA C++ Programming Guide, "Compute Capabilities": tensor cores by format
template <class Format> inline constexpr int needed_architecture_v = 0;
template <> inline constexpr int needed_architecture_v<bf16> = 80;
template <> inline constexpr int needed_architecture_v<tf32> = 80;
template <> inline constexpr int needed_architecture_v<e4m3> = 89;
template <> inline constexpr int needed_architecture_v<e5m2> = 89;

/// Whether every architecture that Device is built for can run this call. Only contractions ask for more than loads and stores.
template <class Device, class Policy, class Op, class... Inputs> inline constexpr bool is_built_for_v = !is_below_v<Op, op::contraction> ||
    oldest_architecture_v<Device> == 0 || oldest_architecture_v<Device> >= needed_architecture_v<compute_t<Policy, Op, Inputs...>>;

template <class Device, class Policy, class Op, class... Inputs> constexpr void require_architecture() {
  static_assert(is_built_for_v<Device, Policy, Op, Inputs...>,
      "amphora [arch]: an architecture of this build has no such products (bf16 and tf32 from sm_80, fp8 from sm_89); build for newer ones only, or compute in amphora::f16");
}

/// require_call, and then the architecture: the rules of a call on Device.
template <class Device, class Policy, class Op, class... Inputs> constexpr bool require_call_on() {
  if constexpr (require_call<Policy, Op, Inputs...>()) {
    require_architecture<Device, Policy, Op, Inputs...>();
    return is_built_for_v<Device, Policy, Op, Inputs...>;
  } else {
    return false;
  }
}

}}  // namespace amphora
