// A program of somebody who has cuDNN. It ends with 0 where a handle is made, and where there is no device and the library says so.
#include <amphora/cuda_ops.cuh>
#include <amphora/cuda/cudnn.cuh>

#include <cstdio>
#include <cstring>

int main() {
  int devices = 0;
  const bool has_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  try {
    amphora::cuda_context context;
    amphora::use_cudnn(context);
    context.wait();
    return has_device && cudnnGetVersion() / 10000 == CUDNN_VERSION / 10000 ? 0 : 1;
  } catch (const amphora::error& error) {
    std::printf("%s\n", error.what());
    return !has_device && std::strncmp(error.what(), "amphora [device]: ", 18) == 0 ? 0 : 2;
  }
}
