#include <amphora/op/promoting.hpp>

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> constexpr bool promote = (amp::is_below_v<Ops, op::promoting> && ...);

static_assert(promote<op::add, op::mul, op::addcmul, op::cat, op::stack, op::where, op::dot, op::cross, op::bilinear, op::grid_sample, op::scatter_add>);
static_assert(!amp::reads_v<op::add, amp::role::accumulate> && amp::reads_v<op::dot, amp::role::accumulate>);
static_assert(amp::reads_v<op::bilinear, amp::role::params> && !amp::reads_v<op::dot, amp::role::params>);
static_assert(amp::reason_v<op::tensordot> == amp::reason::missing_kernel && amp::is_below_v<op::grid_sample, op::grid_sampler>);
