// What a matrix product of cuBLAS computes: sums in the order of k in the compute type, rounded once to the result's.
#pragma once
#include "cublas_types.hpp"  // cublasComputeType_t
#include "memory.hpp"        // on_device
#include "shadow.hpp"        // require_readable, mark_written

#include <cuda_bf16.h>  // __bfloat162float
#include <cuda_fp16.h>  // __half2float

#include <cmath>        // tanh
#include <cstdint>      // int64_t
#include <cstring>      // memcpy
#include <type_traits>  // is_same_v
#include <vector>       // vector

namespace emulated {

/// A matrix in device memory: number (row, column) lies at row + column · ld, or flipped at column + row · ld.
struct matrix {
  const void* data = nullptr;
  cudaDataType_t type = CUDA_R_32F;
  std::int64_t ld = 0, stride = 0;  // to the next of a batch
  bool flipped = false;
};
/// What is done to each number before it is rounded.
struct epilogue {
  const void* bias = nullptr;  // one number for each row
  cudaDataType_t bias_type = CUDA_R_32F;
  std::int64_t bias_stride = 0;
  bool relu = false, gelu = false;
};
/// d = epilogue(alpha · a · b + beta · c) for each of a batch.
struct matrix_product {
  std::int64_t m = 0, n = 0, k = 0, batches = 1;
  matrix a, b, c, d;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool as_tf32 = false;
  double alpha = 1, beta = 0;
  const void *device_alpha = nullptr, *device_beta = nullptr;  // scalars that the device reads when the work is done
  epilogue end;
};

inline std::size_t bytes_of(cudaDataType_t type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }
inline bool is_half_compute(cublasComputeType_t c) { return c == CUBLAS_COMPUTE_16F || c == CUBLAS_COMPUTE_16F_PEDANTIC; }
inline bool is_double_compute(cublasComputeType_t c) { return c == CUBLAS_COMPUTE_64F || c == CUBLAS_COMPUTE_64F_PEDANTIC; }
/// The type that alpha and beta have.
inline cudaDataType_t scalar_type(cublasComputeType_t c) { return is_half_compute(c) ? CUDA_R_16F : is_double_compute(c) ? CUDA_R_64F : CUDA_R_32F; }

inline double number_at(const void* p, cudaDataType_t type) {
  if (type == CUDA_R_64F) { double x; return std::memcpy(&x, p, 8), x; }
  if (type == CUDA_R_32F) { float x; return std::memcpy(&x, p, 4), static_cast<double>(x); }
  unsigned short bits;
  std::memcpy(&bits, p, 2);
  return static_cast<double>(type == CUDA_R_16F ? __half2float(__ushort_as_half(bits)) : __bfloat162float(__ushort_as_bfloat16(bits)));
}
template <class Sum>
void put_number(void* p, cudaDataType_t type, Sum x) {
  if (type == CUDA_R_64F) { const auto y = static_cast<double>(x); std::memcpy(p, &y, 8); return; }
  const auto y = static_cast<float>(x);
  if (type == CUDA_R_32F) { std::memcpy(p, &y, 4); return; }
  const unsigned short bits = type == CUDA_R_16F ? __half_as_ushort(__float2half_rn(y)) : __bfloat16_as_ushort(__float2bfloat16_rn(y));
  std::memcpy(p, &bits, 2);
}
inline float rounded_to_half(float x) { return __half2float(__float2half_rn(x)); }
/// To the 11 bits of TF32, to nearest even.
inline float rounded_to_tf32(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  bits = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline float as_multiplied(const matrix_product& p, float x) {
  if (p.as_tf32) return rounded_to_tf32(x);
  if (p.compute == CUBLAS_COMPUTE_32F_FAST_16F) return rounded_to_half(x);
  if (p.compute == CUBLAS_COMPUTE_32F_FAST_16BF) return __bfloat162float(__float2bfloat16_rn(x));
  return x;
}

inline void require_aligned(const matrix& x) {
  if (reinterpret_cast<std::uintptr_t>(x.data) % bytes_of(x.type)) refuse("a misaligned matrix", region_near(x.data), x.data, bytes_of(x.type));
}
/// A matrix of a batch, checked line by line, as numbers at row + column · rows.
template <class Sum>
std::vector<Sum> gathered(const matrix& x, std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  require_aligned(x);
  const std::int64_t lines = x.flipped ? rows : columns, length = x.flipped ? columns : rows;
  const auto bytes = static_cast<std::int64_t>(bytes_of(x.type));
  std::vector<Sum> result(static_cast<std::size_t>(rows * columns));
  for (std::int64_t line = 0; line < lines; ++line) {
    const char* const from = static_cast<const char*>(x.data) + (batch * x.stride + line * x.ld) * bytes;
    require_readable(from, static_cast<std::size_t>(length * bytes));
    for (std::int64_t i = 0; i < length; ++i)
      result[static_cast<std::size_t>(x.flipped ? line + i * rows : i + line * rows)] = static_cast<Sum>(number_at(from + i * bytes, x.type));
  }
  return result;
}
template <class Sum>
void scatter(const matrix& x, std::int64_t batch, std::int64_t rows, std::int64_t columns, const std::vector<Sum>& from) {
  require_aligned(x);
  const std::int64_t lines = x.flipped ? rows : columns, length = x.flipped ? columns : rows;
  const auto bytes = static_cast<std::int64_t>(bytes_of(x.type));
  for (std::int64_t line = 0; line < lines; ++line) {
    char* const to = static_cast<char*>(const_cast<void*>(x.data)) + (batch * x.stride + line * x.ld) * bytes;
    mark_written(to, static_cast<std::size_t>(length * bytes));
    for (std::int64_t i = 0; i < length; ++i)
      put_number(to + i * bytes, x.type, from[static_cast<std::size_t>(x.flipped ? line + i * rows : i + line * rows)]);
  }
}

/// x[row] += a[row] · b. With half sums, each step rounds.
template <class Sum>
void add_column(std::int64_t rows, const Sum* a, Sum b, Sum* x, bool half) {
  if constexpr (std::is_same_v<Sum, float>) {
    if (half) {
      for (std::int64_t i = 0; i < rows; ++i) x[i] = rounded_to_half(x[i] + a[i] * b);
      return;
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) x[i] += a[i] * b;
}
template <class Sum>
void multiply_one(const matrix_product& p, std::int64_t batch, Sum alpha, Sum beta) {
  std::vector<Sum> a, b, c, sums(static_cast<std::size_t>(p.m * p.n));
  if (p.k > 0) a = gathered<Sum>(p.a, batch, p.m, p.k), b = gathered<Sum>(p.b, batch, p.k, p.n);
  if constexpr (std::is_same_v<Sum, float>)
    for (auto* x : {&a, &b})
      for (float& number : *x) number = as_multiplied(p, number);
  if (beta != 0) c = gathered<Sum>(p.c, batch, p.m, p.n);
  const bool half = is_half_compute(p.compute);
  for (std::int64_t j = 0; j < p.n; ++j)
    for (std::int64_t k = 0; k < p.k; ++k) add_column(p.m, a.data() + k * p.m, b[static_cast<std::size_t>(k + j * p.k)], sums.data() + j * p.m, half);
  std::vector<Sum> bias;
  if (p.end.bias) bias = gathered<Sum>({p.end.bias, p.end.bias_type, p.m, p.end.bias_stride, false}, batch, p.m, 1);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Sum x = alpha * sums[i];
    if (beta != 0) x += beta * c[i];
    if (!bias.empty()) x += bias[i % static_cast<std::size_t>(p.m)];
    if (p.end.relu) x = x > 0 ? x : Sum(0);
    if (p.end.gelu) x = Sum(0.5) * x * (1 + std::tanh(Sum(0.7978845608028654) * (x + Sum(0.044715) * x * x * x)));
    sums[i] = x;
  }
  scatter(p.d, batch, p.m, p.n, sums);
}
inline double device_scalar(const void* p, cudaDataType_t type) {
  require_readable(p, bytes_of(type));
  return number_at(p, type);
}
inline void multiply(const matrix_product& p) {
  on_device now;
  const cudaDataType_t scalar = scalar_type(p.compute);
  const double alpha = p.device_alpha ? device_scalar(p.device_alpha, scalar) : p.alpha, beta = p.device_beta ? device_scalar(p.device_beta, scalar) : p.beta;
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    if (is_double_compute(p.compute)) multiply_one<double>(p, batch, alpha, beta);
    else multiply_one<float>(p, batch, static_cast<float>(alpha), static_cast<float>(beta));
  }
}

/// Which matrix types a compute type takes: the table of cublasGemmEx, without integers and complex numbers.
inline bool is_supported(cublasComputeType_t compute, cudaDataType_t a, cudaDataType_t b, cudaDataType_t c) {
  if (a != b) return false;
  if ((a == CUDA_R_16BF || c == CUDA_R_16BF) && capability_major < 8) return false;
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return a == CUDA_R_16F && c == CUDA_R_16F;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC: return ((a == CUDA_R_16F || a == CUDA_R_16BF) && (c == a || c == CUDA_R_32F)) || (a == CUDA_R_32F && c == CUDA_R_32F);
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32: return a == CUDA_R_32F && c == CUDA_R_32F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return a == CUDA_R_64F && c == CUDA_R_64F;
    default: return false;
  }
}

}  // namespace emulated
