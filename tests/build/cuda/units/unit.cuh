// What each unit of the programs uses: kernels of the library's own, and one with the program's functor.
#pragma once
#include <amphora/cuda.cuh>
#include <amphora/ops/add.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

struct unit_policy : amphora::o1<amphora::f16> {};

/// 0 where the numbers are right, or where there is no device and the library says so.
inline int use_device() {
  int devices = 0;
  const bool has_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  try {
    amphora::cuda_context context;
    auto scaler = amphora::make_scaler<unit_policy>(context);
    amphora::tensor<amphora::float16, amphora::cuda_context> x(context, {8});
    amphora::write(context, std::vector<amphora::float16>(8, amphora::float16(1.5f)), x);
    const auto y = amphora::add<unit_policy>(context, x, x);
    return has_device && static_cast<float>(amphora::wait_read(context, y)[7]) == 3.0f && scaler.wait_scale(context) == 65536.0f ? 0 : 1;
  } catch (const amphora::error& error) {
    std::printf("%s\n", error.what());
    return !has_device && std::strcmp(error.rule(), "device") == 0 ? 0 : 2;
  }
}
