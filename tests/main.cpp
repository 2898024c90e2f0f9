#if defined(AMPHORA_TEST_CUDA) && !defined(AMPHORA_EMULATED_CUDA)
// Tests of a real CUDA device: without one they are skipped, never passed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <cstdio>

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver || (status == cudaSuccess && devices == 0)) {
    std::printf("skipped: there is no CUDA device (%s)\n", cudaGetErrorName(status));
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
#else
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#endif
