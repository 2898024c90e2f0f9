#include <amphora/op/contraction.hpp>

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> constexpr bool read_weights = (amp::reads_v<Ops, amp::role::params> && ...);

static_assert(read_weights<op::linear, op::matmul, op::conv2d, op::lstm_cell, op::prelu> && !amp::reads_v<op::prelu, amp::role::accumulate>);
static_assert(amp::reads_v<op::conv_transpose3d, amp::role::accumulate> && amp::reads_v<op::scaled_dot_product_attention, amp::role::accumulate>);
static_assert(amp::is_below_v<op::linear, op::matrix_product> && amp::is_below_v<op::multi_dot, op::linalg_multi_dot>);
static_assert(amp::is_below_v<op::conv2d, op::convolution> && amp::is_below_v<op::cudnn_convolution_transpose, op::convolution>);
static_assert(amp::is_below_v<op::scaled_dot_product_flash_attention, op::attention> && amp::is_below_v<op::thnn_fused_gru_cell, op::gru_cell>);
static_assert(!amp::is_below_v<op::linear, op::matmul> && !amp::is_below_v<op::prelu, op::matrix_product>);
static_assert(amp::reason_v<op::linear> == amp::reason::speed && amp::reason_v<op::prelu> == amp::reason::missing_kernel);
