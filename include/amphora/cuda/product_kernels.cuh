// What is done around a matrix product: operands cast or padded before it, the epilogue after it.
#pragma once
#include <amphora/cuda/access.cuh>       // load_one, load_eight, is_wide
#include <amphora/cuda/launch.cuh>       // AMPHORA_KERNEL, launch, grid_for
#include <amphora/detail/config.hpp>     // AMPHORA_HD
#include <amphora/format/format_id.hpp>  // format_id, size_of
#include <amphora/ops/gelu.hpp>          // gelu_value

#include <cstdint>  // int64_t, uintptr_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Whether an array of this format can be read in eights.
AMPHORA_HD inline bool is_wide(format_id format, const void* p) { return reinterpret_cast<std::uintptr_t>(p) % (size_of(format) == 1 ? 8 : 16) == 0; }

/// The accessors with the format as a value: all threads take the same branch, and one kernel serves all formats.
template <class Real>
__device__ inline eight<Real> load_eight_of(format_id format, const void* array, std::int64_t i) {
  switch (format) {
    case format_id::f16: return load_eight<f16, Real>(array, i);
    case format_id::bf16: return load_eight<bf16, Real>(array, i);
    case format_id::f64: return load_eight<f64, Real>(array, i);
    case format_id::e4m3: return load_eight<e4m3, Real>(array, i);
    case format_id::e5m2: return load_eight<e5m2, Real>(array, i);
    default: return load_eight<f32, Real>(array, i);
  }
}
template <class Real>
__device__ inline Real load_one_of(format_id format, const void* array, std::int64_t i) {
  switch (format) {
    case format_id::f16: return load_one<f16, Real>(array, i);
    case format_id::bf16: return load_one<bf16, Real>(array, i);
    case format_id::f64: return load_one<f64, Real>(array, i);
    case format_id::e4m3: return load_one<e4m3, Real>(array, i);
    case format_id::e5m2: return load_one<e5m2, Real>(array, i);
    default: return load_one<f32, Real>(array, i);
  }
}
template <class Real>
__device__ inline void store_eight_of(format_id format, void* array, std::int64_t i, const eight<Real>& x) {
  switch (format) {
    case format_id::f16: return store_eight<f16>(array, i, x);
    case format_id::bf16: return store_eight<bf16>(array, i, x);
    case format_id::f64: return store_eight<f64>(array, i, x);
    case format_id::e4m3: return store_eight<e4m3>(array, i, x);
    case format_id::e5m2: return store_eight<e5m2>(array, i, x);
    default: return store_eight<f32>(array, i, x);
  }
}
template <class Real>
__device__ inline void store_one_of(format_id format, void* array, std::int64_t i, Real x) {
  switch (format) {
    case format_id::f16: return store_one<f16>(array, i, x);
    case format_id::bf16: return store_one<bf16>(array, i, x);
    case format_id::f64: return store_one<f64>(array, i, x);
    case format_id::e4m3: return store_one<e4m3>(array, i, x);
    case format_id::e5m2: return store_one<e5m2>(array, i, x);
    default: return store_one<f32>(array, i, x);
  }
}
/// x rounded to a format and back; none: as it is.
template <class Real>
__device__ inline Real rounded_to(format_id format, Real x) {
  switch (format) {
    case format_id::f16: return registers<f16>::up<Real>(registers<f16>::down(x));
    case format_id::bf16: return registers<bf16>::up<Real>(registers<bf16>::down(x));
    case format_id::f32: return registers<f32>::up<Real>(registers<f32>::down(x));
    case format_id::e4m3: return registers<e4m3>::up<Real>(registers<e4m3>::down(x));
    case format_id::e5m2: return registers<e5m2>::up<Real>(registers<e5m2>::down(x));
    default: return x;
  }
}

/// i / n and i % n, in 32 bits where they fit: a division in 64 bits takes as long as the memory.
struct split {
  std::int64_t whole, rest;
  __device__ split(std::int64_t i, std::int64_t n) {
    if ((i | n) >> 32 == 0) {
      const auto small_i = static_cast<std::uint32_t>(i), small_n = static_cast<std::uint32_t>(n);
      whole = small_i / small_n, rest = small_i % small_n;
    } else {
      whole = i / n, rest = i % n;
    }
  }
};

/// Numbers as an op reads them: given in one format, rounded to another (none: they are not).
struct product_source {
  const void* data;
  format_id given, rounded;
};

/// n numbers to memory in the format that cuBLAS multiplies.
///
/// Real  double where one of the formats is f64
/// Cost  each number read and written once
template <class Real>
AMPHORA_KERNEL void cast_operand(const product_source from, void* to, format_id memory, std::int64_t n, bool wide) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, all = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t eights = wide ? n / 8 : 0;
  for (std::int64_t i = first; i < eights; i += all) {
    eight<Real> x = load_eight_of<Real>(from.given, from.data, 8 * i);
#pragma unroll
    for (int j = 0; j < 8; ++j) x.x[j] = rounded_to(from.rounded, x.x[j]);
    store_eight_of(memory, to, 8 * i, x);
  }
  for (std::int64_t i = 8 * eights + first; i < n; i += all) store_one_of(memory, to, i, rounded_to(from.rounded, load_one_of<Real>(from.given, from.data, i)));
}

/// The same for matrices [rows, columns], each with zeros below and at the right: [to_rows, to_columns].
struct pad_sizes { std::int64_t rows, columns, to_rows, to_columns, matrices; };
template <class Real>
AMPHORA_KERNEL void pad_operand(const product_source from, void* to, format_id memory, const pad_sizes size) {
  const std::int64_t n = size.matrices * size.to_rows * size.to_columns;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += std::int64_t(gridDim.x) * blockDim.x) {
    const split line(i, size.to_columns), matrix(line.whole, size.to_rows);
    Real x = 0;
    if (matrix.rest < size.rows && line.rest < size.columns)
      x = rounded_to(from.rounded, load_one_of<Real>(from.given, from.data, (matrix.whole * size.rows + matrix.rest) * size.columns + line.rest));
    store_one_of(memory, to, i, x);
  }
}

/// What becomes of the sums of a product: bias, relu or gelu, mask, what stands there, one rounding; in this order.
///
/// sums          [matrices, to_m, to_n] of which [m, n] count, in f16, f32 or f64; null: all zero. May be c itself
/// c, mask       [matrices, m, n]; bias [n]
struct product_end {
  const void* sums;
  void* c;
  const void* mask;
  product_source bias;
  format_id sums_format, c_format, mask_format;
  bool add, relu, gelu;
  std::int64_t m, n, to_m, to_n, matrices;

  std::int64_t elements() const { return matrices * m * n; }
  bool is_wide_all() const {
    return to_m == m && to_n == n && n % 8 == 0 && is_wide(c_format, c) && (!sums || is_wide(sums_format, sums)) && (!mask || is_wide(mask_format, mask)) &&
           (!bias.data || is_wide(bias.given, bias.data));
  }
};

template <class Real> __device__ inline Real ended(const product_end& end, Real sum, Real bias, Real mask, Real old) {
  if (end.bias.data) sum += bias;
  if (end.relu) sum = sum < 0 ? Real(0) : sum;
  if (end.gelu) sum = gelu_value{gelu_form::tanh}(0, sum);
  if (end.mask) sum = mask <= 0 ? Real(0) : sum;
  if (end.add) sum += old;
  return sum;
}

/// Real  double where the sums are
/// Cost  sums, mask and, to add, c read once; c written once
template <class Real>
AMPHORA_KERNEL void end_product(const product_end end, bool wide) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, all = std::int64_t(gridDim.x) * blockDim.x, n = end.matrices * end.m * end.n;
  if (wide) {
    for (std::int64_t i = 8 * first; i < n; i += 8 * all) {
      eight<Real> sum = {}, bias = {}, mask = {}, old = {};
      if (end.sums) sum = load_eight_of<Real>(end.sums_format, end.sums, i);
      if (end.bias.data) {
        bias = load_eight_of<Real>(end.bias.given, end.bias.data, split(i, end.n).rest);
#pragma unroll
        for (int j = 0; j < 8; ++j) bias.x[j] = rounded_to(end.bias.rounded, bias.x[j]);
      }
      if (end.mask) mask = load_eight_of<Real>(end.mask_format, end.mask, i);
      if (end.add) old = load_eight_of<Real>(end.c_format, end.c, i);
#pragma unroll
      for (int j = 0; j < 8; ++j) sum.x[j] = ended(end, sum.x[j], bias.x[j], mask.x[j], old.x[j]);
      store_eight_of(end.c_format, end.c, i, sum);
    }
    return;
  }
  for (std::int64_t i = first; i < n; i += all) {
    const split line(i, end.n), matrix(line.whole, end.m);
    Real sum = 0, bias = 0, mask = 0, old = 0;
    if (end.sums) sum = load_one_of<Real>(end.sums_format, end.sums, (matrix.whole * end.to_m + matrix.rest) * end.to_n + line.rest);
    if (end.bias.data) bias = rounded_to(end.bias.rounded, load_one_of<Real>(end.bias.given, end.bias.data, line.rest));
    if (end.mask) mask = load_one_of<Real>(end.mask_format, end.mask, i);
    if (end.add) old = load_one_of<Real>(end.c_format, end.c, i);
    store_one_of(end.c_format, end.c, i, ended(end, sum, bias, mask, old));
  }
}

inline int product_grid(const cuda_context& context, std::int64_t pieces) { return grid_for(context, (pieces + block_threads - 1) / block_threads); }

}}}  // namespace amphora::detail
