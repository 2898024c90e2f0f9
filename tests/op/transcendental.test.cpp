#include <amphora/op/transcendental.hpp>

namespace amp = amphora;
namespace op = amp::op;

static_assert(amp::is_below_v<op::exp, op::transcendental> && amp::is_below_v<op::rpow, op::pow> && amp::is_below_v<op::rdiv, op::reciprocal>);
static_assert(amp::is_below_v<op::softplus, op::sensitive> && amp::reason_v<op::log> == amp::reason::safety);
static_assert(amp::reads_v<op::tan, amp::role::output> && !amp::reads_v<op::tan, amp::role::accumulate> && !amp::reads_v<op::pow, amp::role::params>);
