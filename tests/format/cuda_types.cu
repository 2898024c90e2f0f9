// CUDA's number types, whose headers come after ours or before: compiled by nvcc, in device code too.
#if defined(CUDA_HEADERS_FIRST)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif
#include <amphora/format/convert.hpp>
#include <amphora/format/format_id.hpp>
#include <amphora/format/real.hpp>
#if !defined(CUDA_HEADERS_FIRST)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace amp = amphora;

static_assert(std::is_same_v<amp::format_of_t<__half>, amp::f16> && std::is_same_v<amp::format_of_t<__nv_bfloat16>, amp::bf16>);
static_assert(std::is_same_v<amp::format_of_t<__nv_fp8_e4m3>, amp::e4m3> && std::is_same_v<amp::format_of_t<__nv_fp8_e5m2>, amp::e5m2>);
static_assert(sizeof(__half) == sizeof(amp::float16) && sizeof(__nv_fp8_e4m3) == sizeof(amp::float8_e4m3));
static_assert(amp::convert<amp::f16>(1.0f).bits() == 0x3c00 && amp::convert<amp::e4m3, amp::saturating>(1e9).bits() == 0x7e);

__global__ void convert(const __half* from, amp::bfloat16* to, amp::float8_e5m2* small_to, float* rest) {
  const int i = static_cast<int>(threadIdx.x);
  to[i] = amp::convert<amp::bf16>(from[i]);
  small_to[i] = amp::convert<amp::e5m2, amp::non_saturating>(to[i]);
  rest[i] = (amp::real(amp::convert<amp::f32>(small_to[i])) * 2.0f + amp::real(amp::convert<amp::f32>(from[i]))).x + static_cast<float>(amp::size_of(amp::format_id::f16));
}

float host(__half x) { return amp::convert<amp::f32>(x); }
