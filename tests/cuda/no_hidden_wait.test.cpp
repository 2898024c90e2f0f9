// Every public function that is not named wait_… is called here while nothing may wait; no_hidden_wait.cmake holds the list complete.
#include <amphora/cuda_ops.cuh>
#include <amphora/optimizer/state_file.hpp>  // load_state, wait_save_state

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace {

struct mixed : amp::o1<amp::f16> {};
#if defined(AMPHORA_EMULATED_CUDA)
constexpr const char* state_path = "no_hidden_wait.emulated.state";
#else
constexpr const char* state_path = "no_hidden_wait.state";
#endif
constexpr std::int64_t rows = 6, columns = 8, classes = 4;
template <class T> using tensor = amp::tensor<T, test_context>;

template <class T>
tensor<T> filled(test_context& context, const amp::shape& shape, float first = 0.5f) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<T>(first + static_cast<float>(i % 5) * 0.25f));
  tensor<T> result(context, shape);
  amp::write(context, values, result);
  return result;
}

struct pinned {
  float* data = nullptr;
  pinned() { REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&data), 4 * sizeof(float)) == cudaSuccess); }
  pinned(const pinned&) = delete;
  ~pinned() { cudaFreeHost(data); }
};

/// Objects of the library with something in them, and all that can be asked of them.
class program {
 public:
  program() {
    amp::prepare_products(context), amp::fill(context, condition, true);
    amp::write(context, std::vector<std::int64_t>{0, 1, 2, 3, 0, 1}, targets), amp::fill(context, labels, std::int64_t(-1)), amp::fill(context, places, std::int64_t(2));
    w.load(context, filled<float>(context, {classes, columns}).view()), b.load(context, filled<float>(context, {classes}).view());
  }

  void losses() {
    auto loss = amp::l1_loss<mixed>(context, x, y);
    (void)amp::l1_loss_backward<mixed>(context, loss, x, y);
    (void)amp::smooth_l1_loss<mixed>(context, x, y), (void)amp::smooth_l1_loss_backward<mixed>(context, loss, x, y);
    (void)amp::huber_loss<mixed>(context, x, y), (void)amp::huber_loss_backward<mixed>(context, loss, x, row);
    (void)amp::binary_cross_entropy_with_logits<mixed>(context, x, y), (void)amp::binary_cross_entropy_with_logits_backward<mixed>(context, loss, x, y, amp::reduction::mean, row, row);
    (void)amp::binary_cross_entropy<mixed>(context, float_sink, float_sink), (void)amp::binary_cross_entropy_backward<mixed>(context, loss, float_sink, float_sink);
    (void)amp::poisson_nll_loss<mixed>(context, x, y), (void)amp::poisson_nll_loss_backward<mixed>(context, loss, x, y);
    (void)amp::gaussian_nll_loss<mixed>(context, x, y, y), (void)amp::gaussian_nll_loss_backward<mixed>(context, loss, x, y, row);
    (void)amp::kl_div<mixed>(context, x, y), (void)amp::kl_div_backward<mixed>(context, loss, x, y);
    (void)amp::soft_margin_loss<mixed>(context, x, y), (void)amp::soft_margin_loss_backward<mixed>(context, loss, x, y);
    (void)amp::hinge_embedding_loss<mixed>(context, x, y), (void)amp::hinge_embedding_loss_backward<mixed>(context, loss, x, y);
    (void)amp::cross_entropy<mixed>(context, logits, logits), (void)amp::cross_entropy_backward<mixed>(context, loss, logits, logits);
    (void)amp::nll_loss<mixed>(context, logits, targets), (void)amp::nll_loss_backward<mixed>(context, loss, logits, targets);
    (void)amp::cosine_embedding_loss<mixed>(context, x, y, signs), (void)amp::cosine_embedding_loss_backward<mixed>(context, loss, x, y, signs);
    (void)amp::triplet_margin_loss<mixed>(context, x, y, row), (void)amp::triplet_margin_loss_backward<mixed>(context, loss, x, y, row);
    (void)amp::multi_margin_loss<mixed>(context, logits, targets), (void)amp::multi_margin_loss_backward<mixed>(context, loss, logits, targets);
    (void)amp::multilabel_margin_loss<mixed>(context, logits, labels), (void)amp::multilabel_margin_loss_backward<mixed>(context, loss, logits, labels);
    (void)amp::margin_ranking_loss<mixed>(context, x, y, y), (void)amp::margin_ranking_loss_backward<mixed>(context, loss, x, y, y);
  }
  void elementwise() {
    const auto sum = amp::add<mixed>(context, x, y);
    (void)amp::abs<mixed>(context, x), (void)amp::abs_backward<mixed>(context, sum, x);
    (void)amp::acos<mixed>(context, x), (void)amp::acos_backward<mixed>(context, sum, x);
    (void)amp::asin<mixed>(context, x), (void)amp::asin_backward<mixed>(context, sum, x);
    (void)amp::cosh<mixed>(context, x), (void)amp::cosh_backward<mixed>(context, sum, x);
    (void)amp::erfinv<mixed>(context, x), (void)amp::erfinv_backward<mixed>(context, sum, x);
    (void)amp::exp<mixed>(context, x), (void)amp::exp_backward<mixed>(context, sum, x);
    (void)amp::log<mixed>(context, x), (void)amp::log_backward<mixed>(context, sum, x);
    (void)amp::neg<mixed>(context, x), (void)amp::neg_backward<mixed>(context, sum, x);
    (void)amp::reciprocal<mixed>(context, x), (void)amp::reciprocal_backward<mixed>(context, sum, x);
    (void)amp::rsqrt<mixed>(context, x), (void)amp::rsqrt_backward<mixed>(context, sum, x);
    (void)amp::sigmoid<mixed>(context, x), (void)amp::sigmoid_backward<mixed>(context, sum, x);
    (void)amp::silu<mixed>(context, x), (void)amp::silu_backward<mixed>(context, sum, x);
    (void)amp::sinh<mixed>(context, x), (void)amp::sinh_backward<mixed>(context, sum, x);
    (void)amp::sqrt<mixed>(context, x), (void)amp::sqrt_backward<mixed>(context, sum, x);
    (void)amp::tan<mixed>(context, x), (void)amp::tan_backward<mixed>(context, sum, x);
    (void)amp::tanh<mixed>(context, x), (void)amp::tanh_backward<mixed>(context, sum, x);
    (void)amp::elu<mixed>(context, x), (void)amp::elu_backward<mixed>(context, sum, x);
    (void)amp::leaky_relu<mixed>(context, x), (void)amp::leaky_relu_backward<mixed>(context, sum, x);
    (void)amp::softplus<mixed>(context, x), (void)amp::softplus_backward<mixed>(context, sum, x);
    (void)amp::sub<mixed>(context, x, y), (void)amp::sub_backward<mixed>(context, sum, x, y);
    (void)amp::mul<mixed>(context, x, y), (void)amp::mul_backward<mixed>(context, sum, x, y);
    (void)amp::div<mixed>(context, x, y), (void)amp::div_backward<mixed>(context, sum, x, y);
    (void)amp::pow<mixed>(context, x, y), (void)amp::pow_backward<mixed>(context, sum, x, y);
    (void)amp::addcmul<mixed>(context, x, y, y), (void)amp::addcmul_backward<mixed>(context, sum, x, y, y);
    (void)amp::addcdiv<mixed>(context, x, y, y), (void)amp::addcdiv_backward<mixed>(context, sum, x, y, y);
    (void)amp::lerp<mixed>(context, x, y, 0.25), (void)amp::lerp_backward<mixed>(context, sum, x, y, 0.25);
    (void)amp::lerp<mixed>(context, x, y, y), (void)amp::lerp_backward<mixed>(context, sum, x, y, y);
    (void)amp::maximum<mixed>(context, x, y), (void)amp::maximum_backward<mixed>(context, sum, x, y);
    (void)amp::minimum<mixed>(context, x, y), (void)amp::minimum_backward<mixed>(context, sum, x, y);
    (void)amp::clamp<mixed>(context, x, 0.0, 1.0), (void)amp::clamp_backward<mixed>(context, sum, x, 0.0, 1.0);
    (void)amp::prelu<mixed>(context, x, row), (void)amp::prelu_backward<mixed>(context, sum, x, row);
    (void)amp::where<mixed>(context, condition, x, y), (void)amp::where_backward<mixed>(context, sum, condition, x, y);
  }
  void indexing() {
    const auto gx = amp::into(half_sink.view());
    const auto taken = amp::gather<mixed>(context, x, 0, places);
    (void)amp::gather_backward<mixed>(context, taken, x, 0, places), amp::gather_backward<mixed>(context, gx, taken, 0, places);
    (void)amp::scatter_add<mixed>(context, x, 0, places, y), (void)amp::scatter_add_backward<mixed>(context, x, x, 0, places, y);
    const auto found = amp::embedding<mixed>(context, targets, x);
    (void)amp::embedding_backward<mixed>(context, found, targets, x), amp::embedding_backward<mixed>(context, gx, found, targets);
    for (const bool accumulate : {false, true}) {
      (void)amp::index_put<mixed>(context, x, amp::index_list{targets}, row, accumulate), (void)amp::index_put_backward<mixed>(context, y, x, amp::index_list{targets}, row, accumulate);
      (void)amp::index_put<mixed>(context, x, amp::index_list{condition}, large_half, accumulate);
    }
    const auto turned = amp::transpose<mixed>(context, x), moved = amp::permute<mixed>(context, x, {1, 0});
    (void)amp::transpose_backward<mixed>(context, turned, x), amp::permute_backward<mixed>(context, gx, moved, {1, 0});
    const auto part = amp::slice<mixed>(context, x, 1, 2, 6);
    (void)amp::slice_backward<mixed>(context, part, x, 1, 2, 6), amp::slice_backward<mixed>(context, gx, part, 1, 2, 6);
    const auto joined = amp::cat<mixed>(context, 0, x, y), stacked = amp::stack<mixed>(context, 0, x, y);
    (void)amp::cat_backward<mixed>(context, joined, 0, x, y), (void)amp::stack_backward<mixed>(context, stacked, 0, x, y);
    const std::vector<amp::view<const amp::float16>> alone{x}, both{x, y};
    amp::cat<mixed>(context, gx, 0, alone), amp::stack<mixed>(context, amp::into(half_sink.view().reshaped({1, rows, columns})), 0, alone);
    (void)amp::cat_backward<mixed>(context, amp::cat<mixed>(context, 0, both), 0, both), (void)amp::stack_backward<mixed>(context, amp::stack<mixed>(context, 0, both), 0, both);
    amp::cat_backward<mixed>(context, joined, 0, both, std::vector<amp::into<amp::float16>>{gx, gx}), amp::stack_backward<mixed>(context, stacked, 0, both, std::vector<amp::into<amp::float16>>{gx, gx});
    for (const amp::pad_mode mode : {amp::pad_mode::constant, amp::pad_mode::reflect}) {
      const auto padded = amp::pad<mixed>(context, x, {{1, 2}, mode});
      (void)amp::pad_backward<mixed>(context, padded, x, {{1, 2}, mode});
    }
    const auto vectors = amp::slice<mixed>(context, x, 1, 0, 3);
    (void)amp::cross<mixed>(context, vectors, vectors), (void)amp::cross_backward<mixed>(context, vectors, vectors, vectors);
    const auto image = x.view().reshaped({1, 1, rows, columns});
    const auto larger = amp::interpolate_settings::by_factor({2, 1.5}, amp::interpolation_mode::linear);
    const auto wide = amp::interpolate<mixed>(context, image, larger);
    (void)amp::interpolate_backward<mixed>(context, wide, image, larger);
    const auto grid = x.view().reshaped({1, rows, columns / 2, 2});
    const auto read = amp::grid_sample<mixed>(context, image, grid);
    (void)amp::grid_sample_backward<mixed>(context, read, image, grid);
  }
  void ops() {
    indexing();
    const auto gx = amp::into(half_sink.view());
    auto loss = amp::cross_entropy<mixed>(context, logits, targets);
    amp::cross_entropy<mixed>(context, amp::into(scalar), logits, targets);
    amp::cross_entropy_backward<mixed>(context, amp::into(logits_sink.view()), loss, logits, targets);
    (void)amp::cross_entropy_backward<mixed>(context, loss, logits, targets);
    amp::mse_loss<mixed>(context, amp::into(scalar), x, y);
    auto squares = amp::mse_loss<mixed>(context, x, y);
    amp::mse_loss_backward<mixed>(context, squares, x, y, gx, amp::no_gradient{});
    (void)amp::mse_loss_backward<mixed>(context, squares, x, y);
    auto out = amp::linear<mixed>(context, x, w.weights(), b.weights(), amp::with_relu{});
    amp::linear<mixed>(context, amp::into(logits), x, w.weights(), amp::no_bias{}, amp::with_gelu{});
    amp::linear_backward<mixed>(context, out, x, w.weights(), gx, amp::into(w.gradient()), amp::into(b.gradient()));
    (void)amp::linear_backward<mixed>(context, out, x, w.weights());
    auto product = amp::matmul<mixed>(context, x, square);
    amp::matmul<mixed>(context, amp::into(half_sink), x, square);
    amp::matmul_backward<mixed>(context, product, x, square, gx, amp::no_gradient{});
    (void)amp::matmul_backward<mixed>(context, product, x, square);
    auto sum = amp::add<mixed>(context, x, y, 0.5);
    amp::add<mixed>(context, amp::into(half_sink), x, y);
    amp::add_backward<mixed>(context, sum, x, y, gx, amp::no_gradient{});
    (void)amp::add_backward<mixed>(context, sum, x, row);
    (void)amp::relu<mixed>(context, x), amp::relu<mixed>(context, amp::into(half_sink), x);
    (void)amp::relu_backward<mixed>(context, sum, x), amp::relu_backward<mixed>(context, gx, sum, x);
    (void)amp::gelu<mixed>(context, x), amp::gelu<mixed>(context, amp::into(half_sink), x, amp::gelu_form::tanh);
    (void)amp::gelu_backward<mixed>(context, sum, x), amp::gelu_backward<mixed>(context, gx, sum, x);
    auto soft = amp::softmax<mixed>(context, x);
    amp::softmax<mixed>(context, amp::into(float_sink), x, 0);
    (void)amp::softmax_backward<mixed>(context, soft, x), amp::softmax_backward<mixed>(context, gx, soft, x);
    (void)amp::log_softmax<mixed>(context, x), amp::log_softmax<mixed>(context, amp::into(float_sink), x);
    (void)amp::log_softmax_backward<mixed>(context, soft, x), amp::log_softmax_backward<mixed>(context, gx, soft, x);
    (void)amp::softmin<mixed>(context, x), (void)amp::softmin_backward<mixed>(context, soft, x);
    (void)amp::logsumexp<mixed>(context, x, {1}), (void)amp::logsumexp_backward<mixed>(context, amp::logsumexp<mixed>(context, x, {1}), x, {1});
    (void)amp::norm<mixed>(context, x, 3, {1}), (void)amp::norm_backward<mixed>(context, scalar, x);
    (void)amp::vector_norm<mixed>(context, x, 1), (void)amp::vector_norm_backward<mixed>(context, scalar, x);
    (void)amp::dist<mixed>(context, x, y), (void)amp::dist_backward<mixed>(context, scalar, x, y);
    (void)amp::cdist<mixed>(context, x, y), (void)amp::cdist_backward<mixed>(context, amp::cdist<mixed>(context, x, y), x, y);
    (void)amp::pdist<mixed>(context, x), (void)amp::pdist_backward<mixed>(context, amp::pdist<mixed>(context, x), x);
    (void)amp::prod<mixed>(context, x, {1}), (void)amp::prod_backward<mixed>(context, scalar, x);
    (void)amp::cumsum<mixed>(context, x), (void)amp::cumsum_backward<mixed>(context, soft, x);
    (void)amp::cumprod<mixed>(context, x), (void)amp::cumprod_backward<mixed>(context, soft, x);
    (void)amp::cosine_similarity<mixed>(context, x, y), (void)amp::cosine_similarity_backward<mixed>(context, amp::cosine_similarity<mixed>(context, x, y), x, y);
    (void)amp::renorm<mixed>(context, x, 2, 0, 1), (void)amp::renorm_backward<mixed>(context, soft, x, 2, 0, 1);
    auto total = amp::sum<mixed>(context, x, {0});
    amp::sum<mixed>(context, amp::into(scalar), x);
    (void)amp::sum_backward<mixed>(context, total, x, {0}), amp::sum_backward<mixed>(context, gx, scalar, x);
    (void)amp::mean<mixed>(context, x, {0}), amp::mean<mixed>(context, amp::into(scalar), x);
    (void)amp::mean_backward<mixed>(context, total, x, {0}), amp::mean_backward<mixed>(context, gx, scalar, x);
    const amp::dropout_settings third{1.0f / 3, 7, 1};
    (void)amp::dropout<mixed>(context, x, third), amp::dropout<mixed>(context, amp::into(half_sink), x, third);
    (void)amp::dropout_backward<mixed>(context, sum, x, third), amp::dropout_backward<mixed>(context, gx, sum, third);
    auto wide = amp::cast<amp::f32>(context, x);
    amp::cast(context, amp::into(half_sink), wide);
    (void)amp::cast_backward(context, wide, x), amp::cast_backward(context, gx, wide);
    amp::copy(context, x, half_sink), amp::fill(context, scalar, 2.0f);
    (void)amp::autocast<mixed>(context, [&](auto scope) { return scope.linear(x, w.weights()); });
  }
  void products() {
    const auto c = amp::mm<mixed>(context, x, square);
    (void)amp::mm_backward<mixed>(context, c, x, square);
    const auto half = amp::into(half_sink.view());
    amp::mm<mixed>(context, half, x, square), amp::mm_backward<mixed>(context, c, x, square, half, amp::no_gradient{});
    const auto batch = amp::view<const amp::float16>(x.data(), {1, rows, columns}), squares = amp::view<const amp::float16>(square.data(), {1, columns, columns});
    const auto d = amp::bmm<mixed>(context, batch, squares);
    (void)amp::bmm_backward<mixed>(context, d, batch, squares);
    const auto e = amp::mv<mixed>(context, x, row);
    (void)amp::mv_backward<mixed>(context, e, x, row);
    const auto f = amp::dot<mixed>(context, row, row), g = amp::vdot<mixed>(context, row, row);
    (void)amp::dot_backward<mixed>(context, f, row, row), (void)amp::vdot_backward<mixed>(context, g, row, row);
    (void)amp::addmm<mixed>(context, row, x, square), (void)amp::addmm<mixed>(context, x, x, square, 0.5), (void)amp::addmm_backward<mixed>(context, c, row, x, square);
    (void)amp::addmv<mixed>(context, e, x, row), (void)amp::addmv_backward<mixed>(context, e, e, x, row);
    (void)amp::addr<mixed>(context, square, row, row), (void)amp::addr_backward<mixed>(context, square, square, row, row);
    (void)amp::addbmm<mixed>(context, c, batch, squares), (void)amp::addbmm_backward<mixed>(context, c, c, batch, squares);
    const auto attended = amp::scaled_dot_product_attention<mixed>(context, x, x, y);
    amp::scaled_dot_product_attention<mixed>(context, half, x, x, y, amp::no_mask{}, {true});
    (void)amp::scaled_dot_product_attention_backward<mixed>(context, attended, x, x, y);
    amp::scaled_dot_product_attention_backward<mixed>(context, attended, x, x, y, amp::no_mask{}, half, amp::no_gradient{}, amp::no_gradient{});
    (void)amp::einsum<mixed>(context, "ij,jk->ki", x, square), (void)amp::einsum_backward<mixed>(context, "ij,jk->ik", c, x, square);
    (void)amp::tensordot<mixed>(context, x, square, 1), (void)amp::tensordot_backward<mixed>(context, c, x, square, 1);
    (void)amp::vecdot<mixed>(context, x, y), (void)amp::vecdot_backward<mixed>(context, e, x, y);
    (void)amp::multi_dot<mixed>(context, x, square, square), (void)amp::multi_dot_backward<mixed>(context, c, x, square, square);
    (void)amp::chain_matmul<mixed>(context, x, square, square), (void)amp::chain_matmul_backward<mixed>(context, c, x, square, square);
    const auto joined = amp::bilinear<mixed>(context, x, y, amp::view<const amp::float16>(square.data(), {1, columns, columns}));
    (void)amp::bilinear_backward<mixed>(context, joined, x, y, amp::view<const amp::float16>(square.data(), {1, columns, columns}));
    const amp::view<const amp::float16> two(x.data(), {2, 2}), narrow(y.data(), {2, 2}), three(x.data(), {6, 2}), four(y.data(), {8, 2});
    (void)amp::rnn_tanh_cell<mixed>(context, two, narrow, two, two), (void)amp::rnn_tanh_cell_backward<mixed>(context, two, two, narrow, two, two);
    (void)amp::rnn_relu_cell<mixed>(context, two, narrow, two, two), (void)amp::rnn_relu_cell_backward<mixed>(context, two, two, narrow, two, two);
    (void)amp::gru_cell<mixed>(context, two, narrow, three, three), (void)amp::gru_cell_backward<mixed>(context, two, two, narrow, three, three);
    (void)amp::lstm_cell<mixed>(context, two, narrow, two, four, four), (void)amp::lstm_cell_backward<mixed>(context, two, two, two, narrow, two, four, four);
    (void)amp::baddbmm<mixed>(context, d, batch, squares), (void)amp::baddbmm_backward<mixed>(context, d, d, batch, squares);
  }
  void convolutions() {
    const auto line = amp::view<const amp::float16>(x.data(), {1, 2, 24}), window = amp::view<const amp::float16>(y.data(), {2, 2, 3});
    const auto image = amp::view<const amp::float16>(x.data(), {1, 2, 4, 6}), window2 = amp::view<const amp::float16>(y.data(), {2, 2, 3, 3});
    const auto volume = amp::view<const amp::float16>(x.data(), {1, 2, 2, 4, 3}), window3 = amp::view<const amp::float16>(y.data(), {2, 2, 1, 3, 3});
    const auto a = amp::conv1d<mixed>(context, line, window), b = amp::conv2d<mixed>(context, image, window2, amp::no_bias{}, amp::convolution_options{}.padding(1)), c = amp::conv3d<mixed>(context, volume, window3);
    (void)amp::conv1d_backward<mixed>(context, a, line, window), (void)amp::conv2d_backward<mixed>(context, b, image, window2, amp::convolution_options{}.padding(1)), (void)amp::conv3d_backward<mixed>(context, c, volume, window3);
    const auto d = amp::conv_transpose1d<mixed>(context, line, window), e = amp::conv_transpose2d<mixed>(context, image, window2), f = amp::conv_transpose3d<mixed>(context, volume, window3);
    (void)amp::conv_transpose1d_backward<mixed>(context, d, line, window), (void)amp::conv_transpose2d_backward<mixed>(context, e, image, window2), (void)amp::conv_transpose3d_backward<mixed>(context, f, volume, window3);
    amp::conv2d<mixed>(context, amp::into(amp::view<amp::float16>(half_sink.data(), {1, 2, 4, 6})), image, window2, amp::no_bias{}, amp::convolution_options{}.padding(1));
    amp::conv2d_backward<mixed>(context, b, image, window2, amp::into(amp::view<amp::float16>(half_sink.data(), {1, 2, 4, 6})), amp::no_gradient{}, amp::no_gradient{}, amp::convolution_options{}.padding(1));
  }
  void normalizations() {
    const auto half = amp::into(half_sink.view());
    const auto wide = amp::into(float_sink.view());
    const amp::running_statistics running(running_mean, running_variance);
    const auto image = x.view().reshaped({2, 3, columns});
    const amp::no_gradient none;
    const auto g = amp::layer_norm<mixed>(context, x, row);
    amp::layer_norm<mixed>(context, wide, x, row, row), amp::layer_norm_backward<mixed>(context, g, x, row, half, none), (void)amp::layer_norm_backward<mixed>(context, g, x, row);
    (void)amp::rms_norm<mixed>(context, x, row), amp::rms_norm<mixed>(context, wide, x, row);
    amp::rms_norm_backward<mixed>(context, g, x, row, half, none), (void)amp::rms_norm_backward<mixed>(context, g, x, row);
    (void)amp::group_norm<mixed>(context, x, 2, row, row), amp::group_norm<mixed>(context, wide, x, 2);
    amp::group_norm_backward<mixed>(context, g, x, 2, row, half, none, none), (void)amp::group_norm_backward<mixed>(context, g, x, 2, row);
    (void)amp::batch_norm<mixed>(context, x, running, row, row), amp::batch_norm<mixed>(context, wide, x, running, row, row, {false});
    amp::batch_norm_backward<mixed>(context, g, x, running, row, half, none, none, {false}), (void)amp::batch_norm_backward<mixed>(context, g, x, running, row);
    const auto each = amp::instance_norm<mixed>(context, image, amp::no_running{});
    amp::instance_norm<mixed>(context, amp::into(float_sink.view().reshaped(image.shape())), image, amp::no_running{}), (void)amp::instance_norm_backward<mixed>(context, each, image, amp::no_running{});
    amp::instance_norm_backward<mixed>(context, each, image, amp::no_running{}, amp::no_weight{}, amp::into(half_sink.view().reshaped(image.shape())), none, none);
  }
  template <class X> void pool_lines(const X& line) {
    const auto y = amp::max_pool1d_with_indices<mixed>(context, line, 2);
    (void)amp::max_pool1d<mixed>(context, line, 2), (void)amp::max_pool1d_backward<mixed>(context, y.value, line, 2);
    (void)amp::avg_pool1d<mixed>(context, line, 2), (void)amp::avg_pool1d_backward<mixed>(context, y.value, line, 2);
    (void)amp::adaptive_avg_pool1d<mixed>(context, line, 4), (void)amp::adaptive_avg_pool1d_backward<mixed>(context, y.value, line, 4);
  }
  template <class X> void pool_blocks(const X& block) {
    const auto y = amp::max_pool3d_with_indices<mixed>(context, block, {1, 2, 2});
    (void)amp::max_pool3d<mixed>(context, block, {1, 2, 2}), (void)amp::max_pool3d_backward<mixed>(context, y.value, block, {1, 2, 2});
    (void)amp::avg_pool3d<mixed>(context, block, {1, 2, 2}), (void)amp::avg_pool3d_backward<mixed>(context, y.value, block, {1, 2, 2});
    (void)amp::adaptive_avg_pool3d<mixed>(context, block, {3, 1, 4}), (void)amp::adaptive_avg_pool3d_backward<mixed>(context, y.value, block, {3, 1, 4});
  }
  void pooling() {
    const auto plane = x.view().reshaped({1, rows, columns});
    const auto into_x = amp::into(half_sink.view().reshaped(plane.shape())), into_y = amp::into(amp::view<amp::float16>(half_sink.data(), {1, rows / 2, columns / 2}));
    const auto y = amp::max_pool2d_with_indices<mixed>(context, plane, 2);
    (void)amp::max_pool2d<mixed>(context, plane, 2), amp::max_pool2d<mixed>(context, into_y, plane, 2);
    (void)amp::max_pool2d_backward<mixed>(context, y.value, plane, 2), amp::max_pool2d_backward<mixed>(context, into_x, y.value, y.indices, 2);
    (void)amp::avg_pool2d<mixed>(context, plane, 2), amp::avg_pool2d<mixed>(context, into_y, plane, 2);
    (void)amp::avg_pool2d_backward<mixed>(context, y.value, plane, 2), amp::avg_pool2d_backward<mixed>(context, into_x, y.value, 2);
    (void)amp::adaptive_avg_pool2d<mixed>(context, plane, {3, 4}), amp::adaptive_avg_pool2d<mixed>(context, into_y, plane, {3, 4});
    (void)amp::adaptive_avg_pool2d_backward<mixed>(context, y.value, plane, {3, 4}), amp::adaptive_avg_pool2d_backward<mixed>(context, into_x, y.value, {3, 4});
    pool_lines(x), pool_blocks(x.view().reshaped({1, 3, 2, columns}));
  }
  void transfers() {
    amp::write(context, host_numbers, float_sink), amp::write(context, many, large);
    amp::copy_later(context, scalar, log.data);
    w.load(context, filled_weights.view()), w.zero_gradient(context);
    amp::parameter<mixed, amp::op::linear, test_context> fresh(context, "fresh", {3, 3});
    amp::tied_parameter<mixed, test_context, amp::op::linear, amp::op::matmul> tied(context, "tied", {3, 3});
    tensor<float> made(context, {100});
  }
  void gradient_tools() {
    const std::vector<amp::gradient_view> list{w.gradient(), b.gradient()};
    auto ticket = scaler.ticket(context);
    auto gradients = amp::unscale(context, amp::scaled(list, ticket));
    amp::clip_gradients(context, gradients, amp::clip_global_norm{1.0f}), amp::clip_gradients(context, gradients, amp::clip_value{0.5f});
    for (double order : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) amp::global_norm(context, gradients, norm.data(), order);
    amp::materialize(context, gradients, {floats_of_w.view(), floats_of_b.view()});
    scaler.update(context, optimizer.step(context, gradients));
    amp::add_gradients(context, w.gradient(), floats_of_w.view());
    auto both = amp::add_gradients(context, amp::scaled(w.gradient(), scaler.ticket(context)), amp::scaled(floats_of_w.view(), scaler.ticket(context)));
    auto one = amp::unscale(context, std::move(both), amp::on_overflow::zero);
    amp::materialize(context, one, floats_of_w.view());
    scaler.update(context, one);
  }
  void steps() {
    auto scaled_loss = scaler.scale(context, scalar);
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f}));
    optimizer.check(context, amp::scaled(optimizer.gradients(), scaler.ticket(context)));
    optimizer.decide(context, amp::clip_value{1.0f});
    scaler.update(context, optimizer.update(context));
    optimizer.set_learning_rate(context, 1e-3f), optimizer.set_learning_rate(context, 0, 1e-3f), optimizer.set_rule(context, 0, amp::lamb{});
    optimizer.refresh_masters(context), optimizer.load_step_count(context, 0, 3), optimizer.load_counters(context, 3, 0);
    scaler.set_scale(context, 512), scaler.set_rule(context, amp::growth{2, 0.5, 5, 512});
    scaler.load(context, scaler_text.data(), scaler_text.size()), scaler.check_load(scaler_text.data(), scaler_text.size());
  }
  /// What sends lists and numbers of its own: not for a capture.
  void objects() {
    amp::scaler<test_context> other_scaler(context);
    amp::mixed_optimizer<amp::adam, test_context, amp::cosine> other(context, amp::adam{}, {w.view(), b.view()}, amp::cosine{});
    auto made = amp::make_scaler<mixed>(context);
    made.update(context, other.step(context, amp::scaled(other.gradients(), made.scale(context, scalar).ticket())));
    optimizer.set_parameters({w.view(), b.view()});
    amp::load_state(context, path.c_str(), optimizer, scaler);
  }
  void save() {
    scaler_text.clear();
    scaler.wait_save(context, [&](const char* part, std::size_t size) { scaler_text.append(part, size); });
    amp::wait_save_state(context, path.c_str(), optimizer, scaler);
  }
  void all() { ops(), normalizations(), pooling(), products(), losses(), elementwise(), transfers(), gradient_tools(), steps(), objects(); }
  ~program() { std::remove(path.c_str()); }

  test_context context;

 private:
  tensor<bool> condition{context, {rows, columns}};
  tensor<amp::float16> x = filled<amp::float16>(context, {rows, columns}), y = filled<amp::float16>(context, {rows, columns}, 0.75f), row = filled<amp::float16>(context, {columns}),
                       square = filled<amp::float16>(context, {columns, columns}), logits = filled<amp::float16>(context, {rows, classes}), half_sink = filled<amp::float16>(context, {rows, columns}),
                       logits_sink = filled<amp::float16>(context, {rows, classes});
  tensor<float> scalar = filled<float>(context, {}), float_sink = filled<float>(context, {rows, columns}), large = filled<float>(context, {50000}), filled_weights = filled<float>(context, {classes, columns}),
                floats_of_w = filled<float>(context, {classes, columns}), floats_of_b = filled<float>(context, {classes});
  tensor<float> running_mean = filled<float>(context, {columns}), running_variance = filled<float>(context, {columns});
  tensor<double> norm{context, {}};
  tensor<float> signs = filled<float>(context, {rows}, -1);
  tensor<std::int64_t> labels{context, {rows, classes}}, targets{context, {rows}}, places{context, {rows, columns}};
  tensor<amp::float16> large_half = filled<amp::float16>(context, {rows * columns});
  amp::parameter<mixed, amp::op::linear, test_context> w{context, "w", {classes, columns}}, b{context, "b", {classes}};
  amp::scaler<test_context> scaler{context, amp::growth{2, 0.5, 5, 512}};
  amp::mixed_optimizer<amp::lamb, test_context> optimizer{context, amp::lamb{}, {w.view(), b.view()}};
  const std::vector<float> host_numbers = std::vector<float>(rows * columns, 1.0f), many = std::vector<float>(50000, 1.0f);
  pinned log;
  std::string scaler_text, path = state_path;
};

}  // namespace

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("no function waits but those named wait_…, and once warmed up none allocates") {
  program one;
  one.save();
  {
    const emulated::no_waits nothing_waits;
    one.all(), one.all();
    const auto before = one.context.allocations();
    const emulated::no_allocations nothing_is_allocated;
    one.all();
    CHECK(one.context.allocations() == before);
  }
}
#endif

TEST_CASE("ops, transfers, gradient tools and steps can be captured, and replayed any number of times") {
  program one;
  one.save();
  const auto work = [&] { one.ops(), one.normalizations(), one.pooling(), one.products(), one.convolutions(), one.losses(), one.elementwise(), one.transfers(), one.gradient_tools(), one.steps(); };
  work();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(one.context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  work();
  REQUIRE(cudaStreamEndCapture(one.context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int k = 0; k < 3; ++k) {
    CHECK(cudaGraphLaunch(replay, one.context.stream()) == cudaSuccess);
    one.all();
  }
  one.context.wait();
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
