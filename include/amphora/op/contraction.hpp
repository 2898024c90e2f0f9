// Ops whose cost is a product over a shared axis: matrix products, convolutions, attention products, RNN cells.
#pragma once
#include <amphora/op/tree.hpp>  // contraction

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

struct matrix_product { using parent = contraction; };  ///< a branch: matmul and its kin, linear
struct matmul { using parent = matrix_product; };
struct linear { using parent = matrix_product; };
struct mm { using parent = matrix_product; };
struct mv { using parent = matrix_product; };
struct bmm { using parent = matrix_product; };
struct addmm { using parent = matrix_product; };
struct addmv { using parent = matrix_product; };
struct addr { using parent = matrix_product; };
struct addbmm { using parent = matrix_product; };
struct baddbmm { using parent = matrix_product; };
struct einsum { using parent = matrix_product; };
struct chain_matmul { using parent = matrix_product; };
struct linalg_multi_dot { using parent = matrix_product; };
struct multi_dot { using parent = linalg_multi_dot; };
struct linalg_vecdot { using parent = matrix_product; };

struct convolution { using parent = contraction; };  ///< an op, and the branch of its kinds
struct conv1d { using parent = convolution; };
struct conv2d { using parent = convolution; };
struct conv3d { using parent = convolution; };
struct conv_tbc { using parent = convolution; };
struct conv_transpose1d { using parent = convolution; };
struct conv_transpose2d { using parent = convolution; };
struct conv_transpose3d { using parent = convolution; };
struct cudnn_convolution { using parent = convolution; };
struct cudnn_convolution_transpose { using parent = convolution; };

struct attention { using parent = contraction; };  ///< a branch: products of queries, keys and values
struct scaled_dot_product_attention { using parent = attention; };
struct scaled_dot_product_flash_attention { using parent = scaled_dot_product_attention; };

struct recurrent_cell { using parent = contraction; };  ///< a branch: one step of an RNN
struct lstm_cell { using parent = recurrent_cell; };
struct gru_cell { using parent = recurrent_cell; };
struct rnn_tanh_cell { using parent = recurrent_cell; };
struct rnn_relu_cell { using parent = recurrent_cell; };
struct thnn_fused_lstm_cell { using parent = lstm_cell; };
struct thnn_fused_gru_cell { using parent = gru_cell; };

/// No product: it stands here since its weight and its input must have one format.
struct prelu {
  using parent = contraction;
  using reads = roles<role::params, role::compute, role::output>;
  static constexpr amphora::reason why = reason::missing_kernel;
};

}}}  // namespace amphora::op
