// What a number is for: the roles that a policy gives formats to.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

namespace role {

struct params {};      ///< how a weight is stored
struct compute {};     ///< how an op reads its operands
struct accumulate {};  ///< how an op keeps its sums
struct output {};      ///< what an op stores
struct master {};      ///< what the optimizer updates; read by parameters
struct gradient {};    ///< how a weight's gradient is stored; read by parameters
struct scale {};       ///< what keeps small gradients alive; read by scalers
struct casts {};       ///< whether the policy may cast; read by every call

}  // namespace role

/// The roles that an op or a branch of ops reads.
template <class... Roles> struct roles {
  template <class Role> static constexpr bool has = (std::is_same_v<Role, Roles> || ...);
};

}}  // namespace amphora
