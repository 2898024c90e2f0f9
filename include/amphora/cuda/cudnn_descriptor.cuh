// What cuDNN is told of an array, of weights and of a convolution: descriptors that end where their object does.
#pragma once
#include <amphora/cuda/cudnn_handle.cuh>  // cudnn_type, require_cudnn
#include <amphora/format/format_id.hpp>   // format_id
#include <amphora/ops/convolution.hpp>    // convolution

#include <cudnn.h>  // cudnnTensorDescriptor_t

#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A descriptor of one kind, made and ended by these calls.
template <class Descriptor, cudnnStatus_t (*Create)(Descriptor*), cudnnStatus_t (*Destroy)(Descriptor)>
class cudnn_descriptor {
 public:
  cudnn_descriptor() { require_cudnn(Create(&value_), "making a descriptor of cuDNN"); }
  cudnn_descriptor(const cudnn_descriptor&) = delete;
  cudnn_descriptor& operator=(const cudnn_descriptor&) = delete;
  ~cudnn_descriptor() { Destroy(value_); }
  operator Descriptor() const { return value_; }

 private:
  Descriptor value_ = nullptr;
};
using cudnn_tensor = cudnn_descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using cudnn_filter = cudnn_descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using cudnn_window = cudnn_descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;

/// The sizes of a convolution as cuDNN takes them: ints, over two or three axes.
struct cudnn_sizes {
  static constexpr int most = 2 + convolution::axes;
  int axes, x[most], w[most], y[most], before[most], stride[most], dilation[most], groups;

  /// c is symmetric, not empty, and fits: see fits_cudnn.
  explicit cudnn_sizes(const convolution& c) : axes(is_flat(c) ? 2 : 3), groups(static_cast<int>(c.groups)) {
    const auto to = [&](int* sizes, std::int64_t first, std::int64_t second, const std::int64_t* places) {
      sizes[0] = static_cast<int>(first), sizes[1] = static_cast<int>(second);
      for (int i = 0; i < axes; ++i) sizes[i + 2] = static_cast<int>(places[convolution::axes - axes + i]);
    };
    to(x, c.batch, c.groups * c.channels, c.in), to(w, c.groups * c.features, c.channels, c.window), to(y, c.batch, c.groups * c.features, c.out);
    for (int i = 0; i < axes; ++i) {
      const int from = convolution::axes - axes + i;
      before[i] = static_cast<int>(c.before[from]), stride[i] = static_cast<int>(c.stride[from]), dilation[i] = static_cast<int>(c.dilation[from]);
    }
  }

  /// Whether the first axis is there for nothing.
  static bool is_flat(const convolution& c) { return c.in[0] == 1 && c.window[0] == 1 && c.out[0] == 1 && c.before[0] == 0; }
};

/// Whether all sizes, paddings, strides and dilations, and the number of elements of each array, are ints.
///
/// Source  cuDNN, "cudnnSetTensorNdDescriptor": at most 2 Giga-elements
inline bool fits_cudnn(const convolution& c) {
  constexpr std::int64_t most = 0x7fffffff;
  const auto product_fits = [](std::int64_t n, std::initializer_list<std::int64_t> factors) {
    for (const std::int64_t factor : factors) {
      if (factor > most / n) return false;
      n *= factor;
    }
    return true;
  };
  for (int i = 0; i < convolution::axes; ++i)
    for (const std::int64_t size : {c.in[i], c.window[i], c.out[i], c.stride[i], c.dilation[i], c.before[i]})
      if (size > most) return false;
  return product_fits(1, {c.batch, c.groups, c.channels, c.in[0], c.in[1], c.in[2]}) && product_fits(1, {c.groups, c.features, c.channels, c.window[0], c.window[1], c.window[2]}) &&
         product_fits(1, {c.batch, c.groups, c.features, c.out[0], c.out[1], c.out[2]});
}

/// A dense array, the last axis first in memory.
inline void describe(cudnnTensorDescriptor_t to, format_id format, const int* sizes, int rank) {
  int strides[cudnn_sizes::most], n = 1;
  for (int i = rank - 1; i >= 0; n *= sizes[i--]) strides[i] = n;
  require_cudnn(cudnnSetTensorNdDescriptor(to, cudnn_type(format), rank, sizes, strides), "cudnnSetTensorNdDescriptor");
}
inline void describe(cudnnFilterDescriptor_t to, format_id format, const int* sizes, int rank) {
  require_cudnn(cudnnSetFilterNdDescriptor(to, cudnn_type(format), CUDNN_TENSOR_NCHW, rank, sizes), "cudnnSetFilterNdDescriptor");
}
/// Sums in float, in double of f64.
inline void describe(cudnnConvolutionDescriptor_t to, format_id format, const cudnn_sizes& c, cudnnMathType_t math) {
  require_cudnn(cudnnSetConvolutionNdDescriptor(to, c.axes, c.before, c.stride, c.dilation, CUDNN_CROSS_CORRELATION, format == format_id::f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT),
                "cudnnSetConvolutionNdDescriptor");
  require_cudnn(cudnnSetConvolutionGroupCount(to, c.groups), "cudnnSetConvolutionGroupCount");
  require_cudnn(cudnnSetConvolutionMathType(to, math), "cudnnSetConvolutionMathType");
}

}}}  // namespace amphora::detail
