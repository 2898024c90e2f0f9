#include <amphora/op/reduction.hpp>

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> constexpr bool sum = ((amp::is_below_v<Ops, op::reduction> && amp::reads_v<Ops, amp::role::accumulate> && !amp::reads_v<Ops, amp::role::params>) && ...);

static_assert(sum<op::sum, op::mean, op::variance, op::standard_deviation, op::softmax, op::softmin, op::log_softmax, op::logsumexp, op::cumprod, op::cdist>);
static_assert(amp::is_below_v<op::softmin, op::softmax> && amp::is_below_v<op::frobenius_norm, op::norm> && amp::is_below_v<op::pdist, op::dist>);
static_assert(amp::reason_v<op::sum> == amp::reason::safety && amp::reason_v<op::nuclear_norm> == amp::reason::missing_kernel);
