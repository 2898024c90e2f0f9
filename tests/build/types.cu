// The type layer in a CUDA unit, beside CUDA's own number types, whose operators and conversions may be switched off.
#include <amphora/format/convert.hpp>
#include <amphora/format/format_id.hpp>
#include <amphora/format/format_of.hpp>
#include <amphora/format/storage.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace amp = amphora;

static_assert(std::is_same_v<amp::format_of_t<__half>, amp::f16> && std::is_same_v<amp::format_of_t<__nv_bfloat16>, amp::bf16>);
static_assert(std::is_same_v<amp::format_of_t<__nv_fp8_e4m3>, amp::e4m3> && std::is_same_v<amp::format_of_t<__nv_fp8_e5m2>, amp::e5m2>);
static_assert(sizeof(__half) == sizeof(amp::float16) && sizeof(__nv_bfloat16) == sizeof(amp::bfloat16));

// Conversions are host and device functions: a kernel over formats calls them.
template <class Format>
__global__ void halve(amp::storage_t<Format>* x, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) x[i] = amp::storage_t<Format>(0.5f * static_cast<float>(x[i]));
}
template __global__ void halve<amp::f16>(amp::float16*, long long);
template __global__ void halve<amp::bf16>(amp::bfloat16*, long long);
