// The tests of the convolutions, PyTorch's numbers among them, once more: with contexts that send them to cuDNN.
#include <amphora/cuda/cudnn.cuh>

#include <device.hpp>  // test_context

class through_cudnn : public test_context {
 public:
  through_cudnn() { amphora::use_cudnn(*this); }
};
#define test_context through_cudnn

#include "../ops/conv.test.cpp"

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("they did go to cuDNN") {
  through_cudnn context;
  const auto taken = emulated::cudnn_convolutions;
  const auto x = check::random<float>(context, {2, 3, 5, 5}, 1), w = check::random<float>(context, {4, 3, 3, 3}, 2);
  (void)amp::conv2d<amp::o0<>>(context, x, w);
  CHECK(emulated::cudnn_convolutions == taken + 1);
}
#endif
