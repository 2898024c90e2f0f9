// One convolution through cuDNN: what it reads and writes in the formats that cuDNN has, and a short kernel where these are not the call's.
#pragma once
#include <amphora/cuda/access.cuh>            // eight
#include <amphora/cuda/context.cuh>           // cuda_context
#include <amphora/cuda/convolution_call.cuh>  // convolution_call
#include <amphora/cuda/cudnn_handle.cuh>      // cudnn_state, require_cudnn
#include <amphora/cuda/cudnn_plan.cuh>        // cudnn_plans
#include <amphora/cuda/launch.cuh>            // AMPHORA_KERNEL, launch
#include <amphora/cuda/product_kernels.cuh>   // cast_operand, product_source, load_one_of, split, is_wide
#include <amphora/format/format_id.hpp>       // format_id, size_of

#include <cudnn.h>  // cudnnConvolutionForward

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uintptr_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What becomes of the sums of a convolution [images, channels, places]: bias, what stands there, one rounding; in this order.
///
/// sums  in f32 or f64; null: all zero
/// bias  [channels]; no data: none
struct cudnn_end {
  const void* sums;
  void* to;
  product_source bias;
  format_id sums_format, to_format;
  bool add;
  std::int64_t channels, places, n;
};

template <class Real> __device__ inline Real bias_of(const cudnn_end& end, std::int64_t i) {
  if (!end.bias.data) return 0;
  return rounded_to(end.bias.rounded, load_one_of<Real>(end.bias.given, end.bias.data, split(split(i, end.places).whole, end.channels).rest));
}

/// Cost  sums and, to add, `to` read once; `to` written once
template <class Real>
AMPHORA_KERNEL void end_cudnn(const cudnn_end end, bool wide) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, all = std::int64_t(gridDim.x) * blockDim.x;
  if (wide) {  // eight neighbours are of one channel
    for (std::int64_t i = 8 * first; i < end.n; i += 8 * all) {
      eight<Real> sum = {}, old = {};
      if (end.sums) sum = load_eight_of<Real>(end.sums_format, end.sums, i);
      if (end.add) old = load_eight_of<Real>(end.to_format, end.to, i);
      const Real bias = bias_of<Real>(end, i);
#pragma unroll
      for (int j = 0; j < 8; ++j) sum.x[j] = sum.x[j] + bias + old.x[j];
      store_eight_of(end.to_format, end.to, i, sum);
    }
    return;
  }
  for (std::int64_t i = first; i < end.n; i += all) {
    const Real sum = end.sums ? load_one_of<Real>(end.sums_format, end.sums, i) : Real(0), old = end.add ? load_one_of<Real>(end.to_format, end.to, i) : Real(0);
    store_one_of(end.to_format, end.to, i, sum + bias_of<Real>(end, i) + old);
  }
}

/// Memory of a context for as long as it lives; none until it is asked for.
class cudnn_memory {
 public:
  explicit cudnn_memory(cuda_context& context) : context_(context) {}
  cudnn_memory(const cudnn_memory&) = delete;
  cudnn_memory& operator=(const cudnn_memory&) = delete;
  ~cudnn_memory() { context_.release(memory_, bytes_); }
  void* make(std::size_t bytes) { return memory_ = context_.allocate(bytes), bytes_ = bytes, memory_; }
  void* make(format_id format, std::int64_t n) { return make(static_cast<std::size_t>(n) * static_cast<std::size_t>(size_of(format))); }

 private:
  cuda_context& context_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Source  cuDNN, "cudnnConvolutionForward", the table of supported configurations: all three arrays have one format, 16-bit numbers are summed
///         in float, and alpha and beta are floats but for doubles. So 16-bit operands whose sums are wanted unrounded go as floats, multiplied
///         as TF32: that holds every number of f16 and bf16, and loses nothing
class cudnn_call {
 public:
  cudnn_call(cuda_context& context, const convolution_call& call)
      : context_(context), call_(call), sums_(call.memory == format_id::f64 ? format_id::f64 : format_id::f32), spreads_bias_(call.bias.data && !call.add && holds(call.to_format, bias_read())),
        is_direct_(is_aligned(call.to) && (call.to_format == call.memory || call.to_format == sums_) && (!call.bias.data || spreads_bias_)), format_(is_direct_ ? call.to_format : sums_) {}

  /// False, and nothing was done, where cuDNN does not do it.
  bool run() {
    const convolution& c = call_.layout;
    if (c.is_empty() || !c.is_symmetric() || call_.sums != sums_ || !fits_cudnn(c)) return false;
    const relaxed_capture during;  // kernels are loaded when they are first launched, which is no part of a graph
    if (try_once()) return true;
    if (!adds_onto()) return false;
    is_direct_ = false, format_ = sums_;  // there may be a kernel that does not add to what stands there
    return try_once();
  }

 private:
  /// The same in the one format.
  bool try_once() {
    const convolution& c = call_.layout;
    cudnn_plan& plan = context_.cache<cudnn_plans>().find({c, call_.result, format_, math(), adds_onto()});
    if (plan.algorithm < 0) return false;
    const std::int64_t x = c.batch * c.groups * c.channels * c.in_size(), w = c.groups * c.features * c.channels * c.window_size(), y = c.batch * c.groups * c.features * c.out_size();
    const bool to_y = call_.result == convolution_result::y, to_x = call_.result == convolution_result::x;
    const std::int64_t n = to_y ? y : to_x ? x : w, places = to_y ? c.out_size() : to_x ? c.in_size() : w, channels = c.groups * (to_y ? c.features : c.channels);
    cudnn_memory memory_first(context_), memory_second(context_), memory_sums(context_), memory_work(context_);
    const void* const first = cast(memory_first, call_.first, to_y ? x : y);
    const void* const second = cast(memory_second, call_.second, to_y || to_x ? w : x);
    void* const to = is_direct_ ? call_.to : memory_sums.make(sums_, n);
    void* const work = plan.workspace ? memory_work.make(plan.workspace) : nullptr;
    cudnn_end end = {nullptr, call_.to, call_.bias, sums_, call_.to_format, false, channels, places, n};
    if (is_direct_ && call_.bias.data) finish(end);  // the sums are added to it in float, before the one rounding
    const cudnnStatus_t status = convolve(plan, first, second, to, work);
    if (is_unsupported(status)) return plan.algorithm = -1, false;  // a bias that was spread is written over
    require_cudnn(status, to_y ? "cudnnConvolutionForward" : to_x ? "cudnnConvolutionBackwardData" : "cudnnConvolutionBackwardFilter", cudnn_name{plan.question});
    if (!is_direct_) end.sums = to, end.add = call_.add, finish(end);
    return true;
  }

  static bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }
  /// Whether every number of a format is one of another.
  static bool holds(format_id to, format_id from) { return to == from || to == format_id::f64 || (to == format_id::f32 && from != format_id::f64) || (to == format_id::f16 && size_of(from) == 1); }
  /// Whether cuDNN adds to what stands in the result, be it a bias that was spread there.
  bool adds_onto() const { return is_direct_ && (call_.add || call_.bias.data); }
  format_id bias_read() const { return call_.bias.rounded == format_id::none ? call_.bias.given : call_.bias.rounded; }
  /// Floats as TF32 on request, or where nothing is lost.
  cudnnMathType_t math() const {
    if (size_of(format_) == 2) return CUDNN_TENSOR_OP_MATH;
    return format_ == format_id::f32 && call_.memory == format_id::f32 && !call_.is_tf32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
  }

  /// The operand in the format that is multiplied: in place, or cast.
  const void* cast(cudnn_memory& own, product_source x, std::int64_t n) const {
    if (x.rounded == format_id::none && x.given != call_.memory && format_ != call_.memory) x.rounded = call_.memory;  // which its memory would have done
    if (x.given == format_ && x.rounded == format_id::none && is_aligned(x.data)) return x.data;
    void* const to = own.make(format_, n);
    const bool wide = is_wide(x.given, x.data);
    const int grid = grid_for(context_, ((wide ? (n + 7) / 8 : n) + block_threads - 1) / block_threads);
    if (x.given == format_id::f64 || format_ == format_id::f64) launch(context_, "cast_operand", grid, block_threads, cast_operand<double>, x, to, format_, n, wide);
    else launch(context_, "cast_operand", grid, block_threads, cast_operand<float>, x, to, format_, n, wide);
    return to;
  }
  void finish(const cudnn_end& end) const {
    const bool wide = end.places % 8 == 0 && is_wide(end.to_format, end.to) && (!end.sums || is_wide(end.sums_format, end.sums));
    const int grid = grid_for(context_, ((wide ? end.n / 8 : end.n) + block_threads - 1) / block_threads);
    if (sums_ == format_id::f64) launch(context_, "end_cudnn", grid, block_threads, end_cudnn<double>, end, wide);
    else launch(context_, "end_cudnn", grid, block_threads, end_cudnn<float>, end, wide);
  }
  cudnnStatus_t convolve(const cudnn_plan& plan, const void* first, const void* second, void* to, void* work) const {
    const cudnnHandle_t handle = context_.cache<cudnn_state>().handle();
    const double one = 1, two = adds_onto() ? 1 : 0;
    const float one_float = 1, two_float = adds_onto() ? 1 : 0;
    const bool is_double = sums_ == format_id::f64;
    const void* const alpha = is_double ? static_cast<const void*>(&one) : &one_float;
    const void* const beta = is_double ? static_cast<const void*>(&two) : &two_float;
    switch (call_.result) {
      case convolution_result::y:
        return cudnnConvolutionForward(handle, alpha, plan.x, first, plan.w, second, plan.window, static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm), work, plan.workspace, beta, plan.y, to);
      case convolution_result::x:
        return cudnnConvolutionBackwardData(handle, alpha, plan.w, second, plan.y, first, plan.window, static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), work, plan.workspace, beta, plan.x, to);
      default:
        return cudnnConvolutionBackwardFilter(handle, alpha, plan.x, second, plan.y, first, plan.window, static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), work, plan.workspace, beta, plan.w, to);
    }
  }

  cuda_context& context_;
  const convolution_call& call_;
  const format_id sums_;     // float, or double
  const bool spreads_bias_;  // into the result, to be added to
  bool is_direct_;           // cuDNN writes the result itself
  format_id format_;         // of all three arrays
};

inline bool run_cudnn(cuda_context& context, const convolution_call& call) { return cudnn_call(context, call).run(); }

}}}  // namespace amphora::detail
