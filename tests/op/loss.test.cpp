#include <amphora/op/loss.hpp>

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;

static_assert(amp::is_below_v<op::cross_entropy, op::loss> && amp::is_below_v<op::mse_loss, op::sensitive> && amp::is_below_v<op::nll_loss2d, op::nll_loss>);
static_assert(!amp::reads_v<op::kl_div, amp::role::params> && amp::reads_v<op::ctc_loss, amp::role::accumulate>);
static_assert(std::is_same_v<op::bce_with_logits, op::binary_cross_entropy_with_logits> && amp::is_below_v<op::bce_with_logits, op::loss>);
static_assert(amp::is_below_v<op::binary_cross_entropy, op::forbidden> && !amp::is_below_v<op::binary_cross_entropy, op::loss>);
static_assert(amp::reason_v<op::binary_cross_entropy> == amp::reason::safety && !amp::reads_v<op::binary_cross_entropy, amp::role::params>);
