// What the CUDA device keeps of an optimizer's list: the tables of its parameters and gradients.
#pragma once
#include <amphora/cuda/context.cuh>           // cuda_context, cuda_device
#include <amphora/cuda/gradient_table.cuh>    // gradient_table, taken_of
#include <amphora/cuda/scale.cuh>             // scale_kernels
#include <amphora/detail/config.hpp>          // this_build
#include <amphora/error.hpp>                  // fail
#include <amphora/optimizer/kernels.hpp>      // step_tables, step_job
#include <amphora/optimizer/step_table.hpp>   // step_tensor
#include <amphora/optimizer/sum_order.hpp>    // chunks_of
#include <amphora/tensor/parameter_view.hpp>  // parameter_view
#include <amphora/tensor/tensor.hpp>          // tensor

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // exchange
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What the blocks of a step tell each other. Zero between steps.
struct step_control {
  unsigned long long non_finite;
  unsigned arrived;
  double norm, largest;  ///< of clipping by another norm than the Euclidean
};

/// The tables of an optimizer's list. What a capture has used stays as it is, since replays read it.
template <class Build = this_build>
struct device_step_tables {
  device_step_tables(cuda_context& context, const std::vector<parameter_view>& parameters)
      : most_chunks_(chunks(parameters)), tensors_(context, {count(parameters)}), gradients_(context, count(parameters), most_chunks_), control_(context, {1}) {
    const step_control zero = {};
    scale_kernels<cuda_device>::write<Build>(context, &zero, control_.data(), sizeof zero);
  }
  static std::int64_t bytes(const std::vector<parameter_view>& parameters) {
    return taken(count(parameters) * std::int64_t(sizeof(step_tensor))) + gradient_table<Build>::bytes(count(parameters), chunks(parameters)) + taken(sizeof(step_control));
  }
  static constexpr std::int64_t taken(std::int64_t bytes) { return taken_of(bytes); }

  /// Errors  capture  the list changed, and the stream is being captured
  template <class Rule, class Schedule>
  void refresh(cuda_context& context, const step_job<Rule, Schedule>& job) {
    const bool tensors = job.parameter_changes != sent_parameters_, gradients = tensors || job.gradient_changes != sent_gradients_, capturing = context.is_capturing();
    if (gradients) {
      if (capturing)
        fail("capture", "step: the list of parameters or gradients is another than in the last step, and a capture cannot send it to the device; run one step with these gradients before the capture begins");
      if (std::exchange(in_capture_, false)) keep_for_replays(context);
      const std::int64_t count = job.decision.count;
      if (tensors || resend_) scale_kernels<cuda_device>::write<Build>(context, job.decision.tensors, tensors_.data(), static_cast<std::size_t>(count) * sizeof(step_tensor));
      gradients_.send(context, job.decision.gradients);
      sent_parameters_ = job.parameter_changes, sent_gradients_ = job.gradient_changes, resend_ = false;
    }
    in_capture_ = in_capture_ || capturing;
  }
  const step_tensor* tensors() const { return tensors_.data(); }
  const gradient_table<Build>& gradients() const { return gradients_; }
  step_control* control() { return control_.data(); }

 private:
  static std::int64_t count(const std::vector<parameter_view>& parameters) { return static_cast<std::int64_t>(parameters.size()); }
  static std::int64_t chunks(const std::vector<parameter_view>& parameters) {
    std::int64_t result = 0;
    for (const parameter_view& p : parameters) result += chunks_of(p.n);
    return result;
  }
  void keep_for_replays(cuda_context& context) {
    const std::int64_t count = tensors_.size();
    kept_tensors_.push_back(std::exchange(tensors_, tensor<step_tensor, cuda_context>(context, {count})));
    kept_gradients_.push_back(std::exchange(gradients_, gradient_table<Build>(context, count, most_chunks_)));
    resend_ = true;
  }

  std::int64_t most_chunks_;
  tensor<step_tensor, cuda_context> tensors_;
  gradient_table<Build> gradients_;
  tensor<step_control, cuda_context> control_;
  std::vector<tensor<step_tensor, cuda_context>> kept_tensors_;
  std::vector<gradient_table<Build>> kept_gradients_;
  std::int64_t sent_parameters_ = -1, sent_gradients_ = -1;
  bool in_capture_ = false, resend_ = false;
};

template <>
struct step_tables<cuda_context> : device_step_tables<> {
  using device_step_tables<>::device_step_tables;
};

}}}  // namespace amphora::detail
