// What a convolution of cuDNN computes, forward and backward: sums in the compute type, blended with what stands there, rounded once.
#pragma once
#include "cudnn_types.hpp"  // cudnnDataType_t
#include "memory.hpp"       // on_device
#include "product.hpp"      // number_at, put_number, rounded_to_half, rounded_to_tf32
#include "shadow.hpp"       // require_readable, mark_written

#include <cstdint>  // int64_t
#include <vector>   // vector

namespace emulated {

inline cudaDataType_t cuda_type(cudnnDataType_t type) {
  return type == CUDNN_DATA_HALF ? CUDA_R_16F : type == CUDNN_DATA_BFLOAT16 ? CUDA_R_16BF : type == CUDNN_DATA_DOUBLE ? CUDA_R_64F : CUDA_R_32F;
}
inline std::int64_t bytes_of(cudnnDataType_t type) { return static_cast<std::int64_t>(bytes_of(cuda_type(type))); }

/// An array of up to eight axes, the first two of which are no places: images and channels, or outputs and inputs.
struct dnn_array {
  int rank = 0;
  std::int64_t size[CUDNN_DIM_MAX] = {}, stride[CUDNN_DIM_MAX] = {};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= size[i];
    return n;
  }
  /// Where number i in the order of the axes lies.
  std::int64_t offset(std::int64_t i) const {
    std::int64_t at = 0;
    for (int axis = rank - 1; axis >= 0; i /= size[axis--]) at += i % size[axis] * stride[axis];
    return at;
  }
};

enum class convolved { forward, data, filter };

/// The result of `part`, alpha · convolution + beta · what stands there. x [n, groups · c, …], w [k, c, …], y [n, k, …].
struct convolution_work {
  convolved part = convolved::forward;
  dnn_array x, w, y;
  const void *data_x = nullptr, *data_w = nullptr, *data_y = nullptr;
  std::int64_t pad[CUDNN_DIM_MAX] = {}, stride[CUDNN_DIM_MAX] = {}, dilation[CUDNN_DIM_MAX] = {};
  int groups = 1;
  bool flipped = false;  // a convolution; else a cross-correlation
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  bool as_half = false, as_tf32 = false, needs_alignment = false;
  double alpha = 1, beta = 0;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// All numbers of an array in the order of its axes.
template <class Sum>
std::vector<Sum> numbers_of(const dnn_array& a, const void* data) {
  const std::int64_t bytes = bytes_of(a.type);
  if (reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes)) refuse("a misaligned array", region_near(data), data, static_cast<std::size_t>(bytes));
  std::vector<Sum> result(static_cast<std::size_t>(a.elements()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const char* const from = static_cast<const char*>(data) + a.offset(static_cast<std::int64_t>(i)) * bytes;
    require_readable(from, static_cast<std::size_t>(bytes));
    result[i] = static_cast<Sum>(number_at(from, cuda_type(a.type)));
  }
  return result;
}

/// Calls f(x, w, y) with the places of each product: y gets x · w forward, x gets y · w and w gets x · y backward.
template <class F>
void for_each_term(const convolution_work& c, F&& f) {
  const int places = c.x.rank - 2;
  const auto area = [&](const dnn_array& a) {
    std::int64_t n = 1;
    for (int i = 2; i < a.rank; ++i) n *= a.size[i];
    return n;
  };
  const std::int64_t area_x = area(c.x), area_w = area(c.w), area_y = area(c.y), inputs = c.w.size[1], outputs = c.w.size[0], each = outputs / c.groups;
  for (std::int64_t n = 0; n < c.y.size[0]; ++n)
    for (std::int64_t k = 0; k < outputs; ++k)
      for (std::int64_t at_y = 0; at_y < area_y; ++at_y)
        for (std::int64_t in = 0; in < inputs; ++in)
          for (std::int64_t at_w = 0; at_w < area_w; ++at_w) {
            std::int64_t at_x = 0, step = 1, rest_y = at_y, rest_w = at_w;
            bool inside = true;
            for (int axis = places - 1; axis >= 0; --axis) {
              const std::int64_t size_w = c.w.size[axis + 2], r = rest_w % size_w;
              const std::int64_t place = rest_y % c.y.size[axis + 2] * c.stride[axis] + (c.flipped ? size_w - 1 - r : r) * c.dilation[axis] - c.pad[axis];
              inside = inside && place >= 0 && place < c.x.size[axis + 2];
              at_x += place * step, step *= c.x.size[axis + 2];
              rest_y /= c.y.size[axis + 2], rest_w /= size_w;
            }
            if (!inside) continue;
            const std::int64_t channel = k / each * inputs + in;
            f(static_cast<std::size_t>((n * c.x.size[1] + channel) * area_x + at_x), static_cast<std::size_t>((k * inputs + in) * area_w + at_w), static_cast<std::size_t>((n * outputs + k) * area_y + at_y));
          }
}

template <class Sum>
void convolve_in(const convolution_work& c) {
  const bool forward = c.part == convolved::forward, to_data = c.part == convolved::data;
  std::vector<Sum> x, w, y;
  if (!to_data) x = numbers_of<Sum>(c.x, c.data_x);
  if (forward || to_data) w = numbers_of<Sum>(c.w, c.data_w);
  if (!forward) y = numbers_of<Sum>(c.y, c.data_y);
  if (c.workspace_bytes) {  // the real one leaves anything there
    mark_written(c.workspace, c.workspace_bytes);
    std::memset(c.workspace, 0xa5, c.workspace_bytes);
  }
  if constexpr (std::is_same_v<Sum, float>)
    for (auto* operand : {&x, &w, &y})
      for (float& number : *operand) number = c.as_half ? rounded_to_half(number) : c.as_tf32 ? rounded_to_tf32(number) : number;
  if (c.needs_alignment)
    for (const void* data : {c.data_x, c.data_w, c.data_y})
      if (reinterpret_cast<std::uintptr_t>(data) % 16) refuse("memory that tensor cores cannot read,", region_near(data), data, 16);
  const dnn_array& to = forward ? c.y : to_data ? c.x : c.w;
  void* const memory = const_cast<void*>(forward ? c.data_y : to_data ? c.data_x : c.data_w);
  std::vector<Sum> sums(static_cast<std::size_t>(to.elements())), before;
  for_each_term(c, [&](std::size_t at_x, std::size_t at_w, std::size_t at_y) {
    if (forward) sums[at_y] += x[at_x] * w[at_w];
    else if (to_data) sums[at_x] += y[at_y] * w[at_w];
    else sums[at_w] += x[at_x] * y[at_y];
  });
  if (c.beta != 0) before = numbers_of<Sum>(to, memory);
  const std::int64_t bytes = bytes_of(to.type);
  if (reinterpret_cast<std::uintptr_t>(memory) % static_cast<std::uintptr_t>(bytes)) refuse("a misaligned array", region_near(memory), memory, static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    char* const at = static_cast<char*>(memory) + to.offset(static_cast<std::int64_t>(i)) * bytes;
    Sum value = static_cast<Sum>(c.alpha) * sums[i];
    if (c.beta != 0) value += static_cast<Sum>(c.beta) * before[i];
    mark_written(at, static_cast<std::size_t>(bytes));
    put_number(at, cuda_type(to.type), value);
  }
}
inline void convolve(const convolution_work& c) {
  on_device now;
  if (c.compute == CUDNN_DATA_DOUBLE) convolve_in<double>(c);
  else convolve_in<float>(c);
}

}  // namespace emulated
