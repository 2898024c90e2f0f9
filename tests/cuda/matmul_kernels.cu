// Every kernel and every cuBLAS call of matrix products and convolutions, compiled for a device and linked against the real libraries. Runs only where there is one.
#include <amphora/cuda/convolution.cuh>
#include <amphora/cuda/matmul.cuh>
#include <amphora/cuda/product_report.cuh>

namespace amp = amphora;
using namespace amphora::detail;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::tf32, amp::e4m3, amp::e5m2;

namespace {

template <class Read, class Accumulate, class C, class Given>
void multiply(amp::cuda_context& context, void* memory) {
  product p;
  p.m = p.n = p.k = 8;
  const source<Given, Read> x{memory};
  matmul_kernels<amp::cuda_device>::run<Accumulate>(context, p, target<C>{memory, true}, x, x, x, source<C>{memory});
}

template <class Read, class C>
void convolve(amp::cuda_context& context, void* memory) {
  convolution c;
  c.batch = c.channels = c.features = 1, c.in[2] = 3, c.out[2] = 2, c.window[2] = 2;
  using kernels = convolution_kernels<amp::cuda_device>;
  const source<C, Read> x{memory};
  kernels::forward<f32>(context, c, target<C>{memory, true}, x, x, x), kernels::backward_data<f32>(context, c, target<C>{memory, true}, x, x, x);
  kernels::backward_weights<f32>(context, c, target<C>{memory, true}, x, x);
}

}  // namespace

int main() {
  amp::cuda_context context;
  void* const memory = context.allocate(64 * sizeof(double));
  amp::prepare_products(context);
  amp::pad_products(context);
  multiply<f16, f32, f16, f16>(context, memory), multiply<bf16, f32, bf16, f32>(context, memory), multiply<f32, f32, f32, bf16>(context, memory);
  multiply<f16, f16, f16, f16>(context, memory), multiply<tf32, f32, f32, f32>(context, memory), multiply<f64, f64, f64, f64>(context, memory);
  multiply<e4m3, f32, bf16, e4m3>(context, memory), multiply<e5m2, f32, e5m2, f32>(context, memory), multiply<f32, f64, f16, f32>(context, memory);
  convolve<f16, f32>(context, memory), convolve<tf32, f32>(context, memory), convolve<f64, f64>(context, memory);
  context.wait();
}
