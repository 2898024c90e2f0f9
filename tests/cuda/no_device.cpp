// A program that is linked to CUDA starts on a machine without a device or a driver, and says so in one sentence.
#include <amphora/cuda/context.cuh>  // cuda_context
#include <amphora/error.hpp>         // error

#include <cstdio>   // puts
#include <cstring>  // strcmp, strstr

int main() {
  try {
    const amphora::cuda_context context;
    std::puts("there is a device");
  } catch (const amphora::error& e) {
    std::puts(e.what());
    return std::strcmp(e.rule(), "device") == 0 && std::strstr(e.what(), "install a driver") ? 0 : 1;
  }
  return 1;
}
