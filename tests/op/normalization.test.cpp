#include <amphora/op/normalization.hpp>

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> constexpr bool weigh = ((amp::is_below_v<Ops, op::normalization> && amp::reads_v<Ops, amp::role::params> && amp::reads_v<Ops, amp::role::accumulate>) && ...);

static_assert(weigh<op::layer_norm, op::native_layer_norm, op::rms_norm, op::group_norm, op::instance_norm, op::batch_norm>);
static_assert(amp::is_below_v<op::batch_norm, op::sensitive> && amp::reason_v<op::batch_norm> == amp::reason::safety);
