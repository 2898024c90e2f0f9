// A program of somebody who uses the CUDA device. It ends with 0 where the numbers are right, and where there is no device and
// the library says so; the driver is not needed to start it.
#include <amphora/cuda_ops.cuh>

#include <cstdio>
#include <cstring>

namespace amp = amphora;

struct mixed : amp::o1<amp::bf16> {};

int main() {
  int devices = 0;
  const bool has_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  try {
    amp::cuda_context context;
    auto scaler = amp::make_scaler<mixed>(context);
    return has_device && scaler.wait_scale(context) == 1.0f ? 0 : 1;
  } catch (const amp::error& error) {
    std::printf("%s\n", error.what());
    return !has_device && std::strncmp(error.what(), "amphora [device]: ", 18) == 0 ? 0 : 2;
  }
}
