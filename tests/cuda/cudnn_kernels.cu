// The kernels around a convolution of cuDNN, compiled for a device and linked against the real library. Runs only where there is one.
#include <amphora/cuda/cudnn.cuh>

namespace amp = amphora;
using namespace amphora::detail;
using amp::format_id;

int main() {
  amp::cuda_context context;
  amp::use_cudnn(context);
  void* const memory = context.allocate(64 * sizeof(double));
  convolution c;
  c.batch = c.channels = c.features = 1, c.in[2] = c.out[2] = 8;
  for (const format_id format : {format_id::f16, format_id::f64}) {
    const product_source x = {memory, format_id::f32, format};
    const format_id sums = format == format_id::f64 ? format_id::f64 : format_id::f32;
    for (const convolution_result result : {convolution_result::y, convolution_result::x, convolution_result::w})
      run_cudnn(context, {c, result, x, x, x, memory, format_id::bf16, true, format, false, sums});
  }
  context.wait();
}
