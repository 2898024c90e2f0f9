// Which algorithm cuDNN takes for a convolution: asked once for its sizes and formats, and kept for every later step.
#pragma once
#include <amphora/cuda/context.cuh>           // cuda_context
#include <amphora/cuda/cudnn_descriptor.cuh>  // cudnn_tensor, cudnn_sizes, describe
#include <amphora/cuda/cudnn_handle.cuh>      // cudnn_state, require_cudnn, is_unsupported
#include <amphora/detail/text.hpp>            // text
#include <amphora/format/format_id.hpp>       // format_id, name_of
#include <amphora/ops/convolution.hpp>        // convolution, convolution_result

#include <cudnn.h>  // cudnnGetConvolutionForwardAlgorithm_v7

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <cstring>      // memcmp
#include <type_traits>  // has_unique_object_representations_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What an algorithm is chosen for: the format is that of all three arrays, `onto` whether the result is added to what stands there.
struct cudnn_question {
  convolution layout;
  std::int64_t result, format, math, onto;

  cudnn_question(const convolution& c, convolution_result to, format_id formats, cudnnMathType_t math_type, bool adds)
      : layout(c), result(static_cast<std::int64_t>(to)), format(static_cast<std::int64_t>(formats)), math(math_type), onto(adds) {}
  bool operator==(const cudnn_question& other) const { return std::memcmp(this, &other, sizeof other) == 0; }
  std::uint64_t hash() const {
    std::uint64_t words[sizeof(cudnn_question) / 8], result_hash = 0;
    std::memcpy(words, this, sizeof words);
    for (const std::uint64_t word : words) result_hash = (result_hash ^ word) * 0x9e3779b97f4a7c15u, result_hash ^= result_hash >> 29;
    return result_hash;
  }
};
static_assert(std::has_unique_object_representations_v<cudnn_question>);

/// A convolution for a message: ` of x [8, 4, 1, 9, 9], w [6, 4, 1, 3, 3] and y [8, 6, 1, 7, 7] in f16`.
struct cudnn_name {
  const cudnn_question& question;
  void describe(text& to) const {
    const convolution& c = question.layout;
    const auto array = [&](const char* name, std::int64_t first, std::int64_t second, const std::int64_t* places) {
      to.append(name), to.append(" ["), to.append(first), to.append(", "), to.append(second);
      for (int i = 0; i < convolution::axes; ++i) to.append(", "), to.append(places[i]);
      to.append("]");
    };
    array(" of x", c.batch, c.groups * c.channels, c.in), array(", w", c.groups * c.features, c.channels, c.window), array(" and y", c.batch, c.groups * c.features, c.out);
    to.append(" in "), to.append(name_of(static_cast<format_id>(question.format)));
  }
};

/// The answer, with the descriptors of every call.
struct cudnn_plan {
  const cudnn_question question;
  cudnn_tensor x, y;
  cudnn_filter w;
  cudnn_window window;
  int algorithm = -1;  ///< none: cuDNN has no kernel for it that will do
  std::size_t workspace = 0;
  cudnn_plan* next = nullptr;  // of the same part of the table

  cudnn_plan(const cudnn_question& asked, cudnnHandle_t handle, std::size_t most_workspace) : question(asked) {
    const cudnn_sizes sizes(asked.layout);
    const auto format = static_cast<format_id>(asked.format);
    detail::describe(x, format, sizes.x, 2 + sizes.axes), detail::describe(w, format, sizes.w, 2 + sizes.axes), detail::describe(y, format, sizes.y, 2 + sizes.axes);
    detail::describe(window, format, sizes, static_cast<cudnnMathType_t>(asked.math));
    if (asked.result == static_cast<std::int64_t>(convolution_result::y))
      choose<cudnnConvolutionFwdAlgoPerf_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT>(most_workspace,
          [&](auto* to, int most, int* count) { return cudnnGetConvolutionForwardAlgorithm_v7(handle, x, w, window, y, most, count, to); },
          [&](auto wanted, std::size_t* bytes) { return cudnnGetConvolutionForwardWorkspaceSize(handle, x, w, window, y, wanted, bytes); });
    else if (asked.result == static_cast<std::int64_t>(convolution_result::x))
      choose<cudnnConvolutionBwdDataAlgoPerf_t, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT>(most_workspace,
          [&](auto* to, int most, int* count) { return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, w, y, window, x, most, count, to); },
          [&](auto wanted, std::size_t* bytes) { return cudnnGetConvolutionBackwardDataWorkspaceSize(handle, w, y, window, x, wanted, bytes); });
    else
      choose<cudnnConvolutionBwdFilterAlgoPerf_t, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT>(most_workspace,
          [&](auto* to, int most, int* count) { return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x, y, window, w, most, count, to); },
          [&](auto wanted, std::size_t* bytes) { return cudnnGetConvolutionBackwardFilterWorkspaceSize(handle, x, y, window, w, wanted, bytes); });
  }

 private:
  /// What multiplies the numbers as they are. Winograd's and Fourier's ways add larger ones that cancel: a result that is small beside its
  /// neighbours loses its digits, and one infinity spreads.
  static bool is_plain(cudnnConvolutionFwdAlgo_t a) {
    return a == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM || a == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM || a == CUDNN_CONVOLUTION_FWD_ALGO_GEMM || a == CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
  }
  static bool is_plain(cudnnConvolutionBwdDataAlgo_t a) { return a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 || a == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1; }
  static bool is_plain(cudnnConvolutionBwdFilterAlgo_t a) {
    return a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 || a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 || a == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
  }
  /// The fastest by cuDNN's heuristics, without running anything, of those that are plain and add in the same order each time. The mathematics
  /// comes with the algorithm, except that floats that must be multiplied as floats stay so.
  template <class Perf, int Most, class Ask, class Measure>
  void choose(std::size_t most_workspace, const Ask& ask, const Measure& measure) {
    Perf found[Most];
    int count = 0;
    cudnnStatus_t failed = ask(found, Most, &count);
    if (failed != CUDNN_STATUS_SUCCESS) count = 0;
    for (int i = 0; i < count && algorithm < 0; ++i) {
      const Perf& one = found[i];
      if (one.status != CUDNN_STATUS_SUCCESS) failed = one.status;
      if (one.status != CUDNN_STATUS_SUCCESS || one.determinism != CUDNN_DETERMINISTIC || !is_plain(one.algo) || one.mathType == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION) continue;
      if (question.math != CUDNN_FMA_MATH) require_cudnn(cudnnSetConvolutionMathType(window, one.mathType), "cudnnSetConvolutionMathType");
      std::size_t bytes = 0;
      const cudnnStatus_t measured = measure(one.algo, &bytes);
      if (measured != CUDNN_STATUS_SUCCESS) failed = measured;
      else if (bytes <= most_workspace) algorithm = one.algo, workspace = bytes;
    }
    if (algorithm < 0 && !is_unsupported(failed)) require_cudnn(failed, "choosing an algorithm of cuDNN", cudnn_name{question});
  }
};

/// The plans of a context.
class cudnn_plans {
 public:
  explicit cudnn_plans(cuda_context& context) : state_(context.cache<cudnn_state>()) {}
  cudnn_plans(const cudnn_plans&) = delete;
  cudnn_plans& operator=(const cudnn_plans&) = delete;
  ~cudnn_plans() { clear(); }
  void clear() {
    for (cudnn_plan*& part : parts_)
      while (cudnn_plan* const one = part) part = one->next, delete one;
  }
  cudnn_plan& find(const cudnn_question& question) {
    cudnn_plan*& part = parts_[question.hash() % parts];
    for (cudnn_plan* one = part; one; one = one->next)
      if (one->question == question) return *one;
    cudnn_plan* const made = new cudnn_plan(question, state_.handle(), state_.most_workspace);
    made->next = part;
    return *(part = made);
  }

 private:
  static constexpr int parts = 256;
  cudnn_state& state_;
  cudnn_plan* parts_[parts] = {};
};

}}}  // namespace amphora::detail
