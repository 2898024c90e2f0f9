#include <amphora/cuda/cudnn.cuh>

#include <amphora/cuda/convolution.cuh>
#include <amphora/ops/conv.hpp>
#include <amphora/ops/conv_transpose.hpp>
#include <amphora/policy/opt_level.hpp>
#include <device_ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace amp = amphora;

namespace {

template <class T> using tensor = amp::tensor<T, test_context>;

/// Numbers between -1 and 1, other ones for each seed.
tensor<float> some(test_context& context, const amp::shape& shape, int seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(std::sin(1.3f * static_cast<float>(i) + static_cast<float>(seed)));
  tensor<float> result(context, shape);
  amp::write(context, values, result);
  return result;
}
template <class T> std::vector<double> read(test_context& context, const T& x) {
  std::vector<double> values;
  for (const auto number : amp::wait_read(context, x)) values.push_back(static_cast<double>(static_cast<float>(number)));
  return values;
}
double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double number : x) most = std::max(most, std::abs(number));
  return most;
}
double distance(const std::vector<double>& x, const std::vector<double>& y) {
  REQUIRE(x.size() == y.size());
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::isfinite(x[i] - y[i]) ? std::max(most, std::abs(x[i] - y[i])) : INFINITY;
  return most;
}

/// A layer, the transposed layer after it, and all gradients of both.
template <class Policy>
struct layers {
  test_context& context;
  tensor<float> x = some(context, {2, 4, 7, 6}, 1), w = some(context, {6, 2, 3, 3}, 2), b = some(context, {6}, 3), v = some(context, {6, 3, 2, 3}, 4), grad = some(context, {2, 3, 8, 11}, 5);
  tensor<float> grad_x{context, {2, 4, 7, 6}}, grad_w{context, {6, 2, 3, 3}}, grad_b{context, {6}}, grad_v{context, {6, 3, 2, 3}};
  const amp::convolution_options down = amp::convolution_options{}.stride({2, 1}).padding({1, 2}).groups(2).dilation({1, 2}), up = amp::convolution_options{}.stride({2, 2}).padding({0, 1}).output_padding({0, 0});

  /// What comes of it: the value of both, and gradients that are added to what the last step left.
  std::vector<std::vector<double>> step() {
    const auto h = amp::conv2d<Policy>(context, x, w, b, down);
    const auto y = amp::conv_transpose2d<Policy>(context, h, v, amp::no_bias{}, up);
    REQUIRE(y.shape() == grad.shape());
    tensor<float> grad_h(context, h.shape());
    amp::conv_transpose2d_backward<Policy>(context, grad, h, v, amp::into(grad_h), amp::add_to(grad_v), amp::no_gradient{}, up);
    amp::conv2d_backward<Policy>(context, grad_h, x, w, amp::add_to(grad_x), amp::add_to(grad_w), amp::add_to(grad_b), down);
    if (context.is_capturing()) return {};
    return {read(context, h), read(context, y), read(context, grad_h), read(context, grad_x), read(context, grad_w), read(context, grad_b), read(context, grad_v)};
  }
  void clear() {
    for (tensor<float>* gradient : {&grad_x, &grad_w, &grad_b, &grad_v}) amp::write(context, std::vector<float>(static_cast<std::size_t>(gradient->size())), *gradient);
  }
};

/// unit  of what is rounded on the way
template <class Policy> void compare(double unit) {
  test_context own, through;
  amp::use_cudnn(through);
#if defined(AMPHORA_EMULATED_CUDA)
  const auto before = emulated::cudnn_convolutions;
#endif
  layers<Policy> first{own}, second{through};
  first.clear(), second.clear();
  for (int i = 0; i < 2; ++i) {
    const auto want = first.step(), have = second.step();
    for (std::size_t k = 0; k < want.size(); ++k) {
      CAPTURE(k);
      CHECK(largest(want[k]) > 0.5);
      CHECK(distance(have[k], want[k]) <= 4 * unit * largest(want[k]));
    }
  }
#if defined(AMPHORA_EMULATED_CUDA)
  CHECK(emulated::cudnn_convolutions == before + 2 * 6);  // two values, two gradients of each
#endif
}

}  // namespace

TEST_CASE("convolutions and their gradients are the same through cuDNN as through the library's own kernels") {
  compare<amp::o0<>>(std::ldexp(1.0, -21));     // sums of up to 100 terms in another order
  compare<amp::o1<amp::f16>>(std::ldexp(1.0, -11));
}

TEST_CASE("a step through cuDNN can be captured and replayed, to the same bits") {
  test_context context;
  amp::use_cudnn(context);
  layers<amp::o1<amp::bf16>> direct{context}, captured{context};
  direct.clear(), captured.clear();
  direct.step(), direct.step();
  const auto want = direct.step();
  captured.step();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  captured.step();
  REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) REQUIRE(cudaGraphLaunch(replay, context.stream()) == cudaSuccess);
  CHECK(read(context, captured.grad_x) == want[3]);
  CHECK(read(context, captured.grad_w) == want[4]);
  CHECK(read(context, captured.grad_b) == want[5]);
  CHECK(read(context, captured.grad_v) == want[6]);
  REQUIRE(cudaGraphExecDestroy(replay) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
}
