// A convolution on CUDA with its formats erased, and who may take it instead of the library's own kernels.
#pragma once
#include <amphora/cuda/context.cuh>          // cuda_context
#include <amphora/cuda/product_kernels.cuh>  // product_source
#include <amphora/format/format_id.hpp>      // format_id
#include <amphora/ops/convolution.hpp>       // convolution, convolution_result

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One call of convolution_kernels<cuda_device>.
struct convolution_call {
  convolution layout;
  convolution_result result;
  product_source first, second;  ///< of y: x, w; of x: y, w; of w: y, x
  product_source bias;           ///< of y or of x; no data: none
  void* to;
  format_id to_format;
  bool add;                      ///< to what stands there, before the rounding
  format_id memory;              ///< the format that operands are multiplied in
  bool is_tf32;                  ///< f32 operands, rounded to tf32 by the product
  format_id sums;                ///< f32, f64, or f16 where the policy says so
};

/// In the context's cache: where run is set, it is asked first. It does what the call says and gives true, or gives false and has done nothing.
struct convolution_backend {
  bool (*run)(cuda_context& context, const convolution_call& call) = nullptr;
};

}}}  // namespace amphora::detail
