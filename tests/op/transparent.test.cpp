#include <amphora/op/transparent.hpp>

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> constexpr bool keep = (amp::is_below_v<Ops, op::transparent> && ...);

static_assert(keep<op::relu, op::gelu, op::tanh, op::max_pool, op::dropout, op::reshape, op::embedding, op::sqrt>);
static_assert(amp::is_below_v<op::gelu, op::activation> && amp::is_below_v<op::embedding, op::movement> && !amp::is_below_v<op::dropout, op::activation>);
static_assert(!amp::reads_v<op::gelu, amp::role::accumulate> && amp::reads_v<op::avg_pool, amp::role::accumulate> && amp::reads_v<op::embedding, amp::role::params>);
