#include <amphora/op/op.hpp>

#include <amphora/policy/display_name.hpp>  // display_name_v

#include <doctest/doctest.h>

#include <cstddef>  // size_t
#include <fstream>  // ifstream
#include <map>      // map
#include <set>      // set
#include <sstream>  // istringstream
#include <string>   // string

namespace amp = amphora;
namespace op = amp::op;

template <class... Ops> struct tags {};
/// The tags that PyTorch's CUDA lists need; the table says which name needs which.
using listed = tags<
    op::convolution, op::conv1d, op::conv2d, op::conv3d, op::conv_tbc, op::conv_transpose1d,
    op::conv_transpose2d, op::conv_transpose3d, op::prelu, op::addmm, op::addmv, op::addr,
    op::matmul, op::einsum, op::mm, op::mv, op::linalg_vecdot, op::linear,
    op::addbmm, op::baddbmm, op::bmm, op::chain_matmul, op::linalg_multi_dot, op::thnn_fused_lstm_cell,
    op::thnn_fused_gru_cell, op::lstm_cell, op::gru_cell, op::rnn_tanh_cell, op::rnn_relu_cell, op::scaled_dot_product_flash_attention,
    op::scaled_dot_product_attention, op::cudnn_convolution, op::cudnn_convolution_transpose, op::acos, op::asin, op::cosh,
    op::erfinv, op::exp, op::expm1, op::log, op::log10, op::log2,
    op::log1p, op::reciprocal, op::rsqrt, op::sinh, op::tan, op::pow,
    op::softplus, op::layer_norm, op::native_layer_norm, op::rms_norm, op::group_norm, op::frobenius_norm,
    op::nuclear_norm, op::cosine_similarity, op::poisson_nll_loss, op::cosine_embedding_loss, op::nll_loss, op::nll_loss2d,
    op::hinge_embedding_loss, op::kl_div, op::l1_loss, op::smooth_l1_loss, op::huber_loss, op::mse_loss,
    op::margin_ranking_loss, op::multilabel_margin_loss, op::soft_margin_loss, op::triplet_margin_loss, op::multi_margin_loss, op::binary_cross_entropy_with_logits,
    op::dist, op::pdist, op::cdist, op::renorm, op::logsumexp, op::upsample_nearest1d,
    op::upsample_nearest_exact1d, op::upsample_nearest2d, op::upsample_nearest_exact2d, op::upsample_nearest3d, op::upsample_nearest_exact3d, op::upsample_linear1d,
    op::upsample_bilinear2d, op::upsample_bilinear2d_aa, op::upsample_trilinear3d, op::upsample_bicubic2d, op::upsample_bicubic2d_aa, op::prod,
    op::softmax, op::log_softmax, op::cumprod, op::cumsum, op::linalg_vector_norm, op::linalg_matrix_norm,
    op::sum, op::norm, op::addcdiv, op::addcmul, op::atan2, op::bilinear,
    op::cross, op::dot, op::vdot, op::grid_sampler, op::index_put, op::tensordot,
    op::scatter_add, op::binary_cross_entropy, op::cross_entropy, op::softmin, op::normalize, op::rpow,
    op::rdiv, op::multi_dot, op::grid_sample>;

struct facts { std::string branch, reason; };
const char* word(amp::reason why) {
  switch (why) {
    case amp::reason::safety: return "safety";
    case amp::reason::speed: return "speed";
    case amp::reason::missing_kernel: return "missing_kernel";
    default: return "none";
  }
}
template <class... Ops> std::map<std::string, facts> facts_of(tags<Ops...>) {
  static_assert((amp::is_op_v<Ops> && ...));
  return {{amp::display_name_v<Ops>, {amp::display_name_v<amp::class_t<Ops>>, word(amp::reason_v<Ops>)}}...};
}

TEST_CASE("every name of PyTorch's CUDA autocast lists has a tag, with the table's class and reason") {
  const std::map<std::string, facts> tree = facts_of(listed{});
  const std::map<std::string, std::string> class_of = {{"lower_precision_fp", "contraction"}, {"fp32", "sensitive"},
      {"fp32_set_opt_dtype", "sensitive"}, {"fp32_append_dtype", "sensitive"}, {"promote", "promoting"}, {"banned", "forbidden"}};
  std::map<std::string, int> rows;
  std::set<std::string> used;

  std::ifstream file(AMPHORA_TEST_DATA "/op/autocast_cuda.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string name, policy, tag, branch, reason;
    fields >> name >> policy >> tag >> branch >> reason;
    CAPTURE(name);
    ++rows[policy];
    used.insert(tag);
    const auto found = tree.find(tag);
    REQUIRE(found != tree.end());
    CHECK(found->second.branch == branch);
    CHECK(found->second.reason == reason);
    if (policy == "composed") continue;
    REQUIRE(class_of.count(policy) == 1);
    CHECK(found->second.branch == class_of.at(policy));
    const std::size_t first = name.find_first_not_of('_');
    CHECK(name.substr(first, name.find('.') - first) == tag);  // no name was given another's tag
  }
  CHECK(rows["lower_precision_fp"] == 35);
  CHECK(rows["fp32"] == 59);
  CHECK(rows["fp32_set_opt_dtype"] == 17);
  CHECK(rows["fp32_append_dtype"] == 3);
  CHECK(rows["promote"] == 11);
  CHECK(rows["banned"] == 1);
  CHECK(used.size() == tree.size());
}
