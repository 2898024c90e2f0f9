// A contraction called on a CUDA context runs on every architecture that the program is built for.
#include <amphora/cuda/matmul.cuh>          // matmul_kernels<cuda_device>
#include <amphora/ops/linear.hpp>           // linear
#include <amphora/ops/matmul.hpp>           // matmul
#include <amphora/policy/opt_level.hpp>     // o1

namespace amp = amphora;
template <> inline constexpr int amphora::oldest_architecture_v<amp::cuda_device> = 75;
template <class T> using tensor = amp::tensor<T, amp::cuda_context>;

void train(amp::cuda_context& context, const tensor<amp::float16>& x, const tensor<float>& w, const tensor<amp::bfloat16>& v) {
  auto y = amp::linear<amp::o1<amp::f16>>(context, x, w);
  auto z = amp::matmul<amp::o0<>>(context, w, w);
  static_cast<void>(v);  // holding bf16 is fine
#ifdef AMPHORA_FAIL_arch_cuda
  y = amp::linear<amp::o1<amp::f16>>(context, x, w), amp::linear<amp::o1<amp::bf16>>(context, v, w);
#endif
#ifdef AMPHORA_FAIL_arch_cuda_gradient
  amp::matmul_backward<amp::o1<amp::bf16>>(context, z, v, v, amp::into(z), amp::no_gradient{});
#endif
}
int main() {}
