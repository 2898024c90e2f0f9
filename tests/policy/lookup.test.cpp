#include <amphora/policy/lookup.hpp>

#include <amphora/op/op.hpp>  // every tag

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
namespace role = amp::role;

template <class Expected, class Policy, class Role, class Op = op::any> constexpr bool says = std::is_same_v<amp::setting_t<Policy, Role, Op>, Expected>;

// defaults
static_assert(says<amp::f32, amp::policy<>, role::params> && says<amp::as_given, amp::policy<>, role::compute> && says<amp::f32, amp::policy<>, role::accumulate>);
static_assert(says<amp::as_computed, amp::policy<>, role::output> && says<amp::as_computed, amp::policy<>, role::output, op::gelu>);

// up the tree, by ops and branches of a user too
struct stencil { using parent = op::sensitive; };
struct blur { using parent = stencil; };
struct orphan { using parent = void; };
using policy = amp::policy<amp::compute<amp::f16>, amp::in<op::sensitive, amp::compute<amp::f32>>, amp::in<stencil, amp::compute<amp::bf16>>>;
static_assert(says<amp::bf16, policy, role::compute, blur> && says<amp::f32, policy, role::compute, op::sum> && says<amp::f16, policy, role::compute, op::linear>);
static_assert(says<amp::as_given, policy, role::compute, orphan> && says<amp::as_given, policy, role::compute, int>);  // outside the tree: the default

// a role of a user, read by an op of a user
struct tile_role;
template <int Size> struct tile {};
template <int Size> struct tiles : amp::setting<tile_role, tile<Size>> {};
struct tiled { using parent = op::contraction; using reads = amp::roles<tile_role>; };
using tiling = amp::policy<tiles<64>, amp::in<tiled, tiles<128>>>;
static_assert(says<tile<128>, tiling, tile_role, tiled> && says<tile<64>, tiling, tile_role, op::linear>);
