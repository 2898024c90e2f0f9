// The scaling rules of other systems, by name.
#pragma once
#include <amphora/scale/additive_growth.hpp>  // additive_growth
#include <amphora/scale/fixed.hpp>            // fixed
#include <amphora/scale/growth.hpp>           // growth

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// `auto scaler = amphora::make_scaler<mixed>(context, amphora::preset::megatron());`
///
/// Each gives that system's defaults; change a field of the result for its options. Deviations that all share: the scale
/// stays within [2^-126, 2^126] (most go on to 0 or infinity, where training is lost), and where a system aborts, `gave_up`
/// is set and the scale stays.
struct preset {
  static constexpr growth pytorch() { return {}; }
  /// Apex's amp.initialize.
  static constexpr growth apex() {
    growth rule;
    rule.ceiling = 16777216, rule.hold_at_ceiling = false;
    return rule;
  }
  /// Apex's FP16_Optimizer with dynamic_loss_scale.
  static constexpr growth apex_fp16_utils() {
    growth rule;
    rule.initial_scale = 4294967296.0f, rule.growth_interval = 1000, rule.floor = 1;
    return rule;
  }
  /// Apex's update_scale_hysteresis kernel, which takes its numbers from the caller.
  static constexpr growth apex_hysteresis(std::int32_t hysteresis, float initial_scale = 65536, std::int64_t growth_interval = 2000) {
    growth rule;
    rule.hysteresis = hysteresis, rule.refill = refill::on_clean_step, rule.initial_scale = initial_scale, rule.growth_interval = growth_interval;
    return rule;
  }
  static constexpr growth megatron() {
    growth rule;
    rule.initial_scale = 4294967296.0f, rule.growth_interval = 1000, rule.floor = 1, rule.hysteresis = 2;
    return rule;
  }
  /// DeepSpeed's ZeRO scaler with its JSON defaults, as it was before it grew one step later.
  static constexpr growth deepspeed_old() {
    growth rule;
    rule.growth_interval = 1000, rule.floor = 1, rule.hysteresis = 2, rule.give_up_at = 1;
    return rule;
  }
  static constexpr growth deepspeed() {
    growth rule = deepspeed_old();
    rule.first_growth_late = true;
    return rule;
  }
  /// With consecutive_hysteresis.
  static constexpr growth deepspeed_consecutive() {
    growth rule = deepspeed();
    rule.refill = refill::on_clean_step;
    return rule;
  }
  /// DeepSpeed's fused FP16 optimizer, which never aborts.
  static constexpr growth deepspeed_fused() {
    growth rule = deepspeed();
    rule.initial_scale = 4294967296.0f, rule.give_up_at = 0;
    return rule;
  }
  /// DeepSpeed's unfused FP16 optimizer, without a JSON file.
  static constexpr growth deepspeed_unfused() {
    growth rule = deepspeed_fused();
    rule.initial_scale = 65536, rule.floor = 0.25f;
    return rule;
  }
  /// fairseq; on its command line the interval is 2^14 / (world size · update frequency). It aborts where a backoff would reach 1e-4.
  static constexpr growth fairseq(double tolerance = 0) {
    growth rule;
    rule.initial_scale = 32768, rule.tolerance = tolerance, rule.give_up_at = 2e-4f;
    return rule;
  }
  static constexpr growth metaseq() {
    growth rule;
    rule.initial_scale = 4, rule.growth_interval = 256, rule.interval_follows = true, rule.floor = 0.03125f, rule.hold_at_floor = true;
    return rule;
  }
  /// jmp.DynamicLossScale, with the start that its documentation uses.
  static constexpr growth jmp() {
    growth rule;
    rule.initial_scale = 32768, rule.floor = 1;
    return rule;
  }
  /// flax.training.dynamic_scale: an interval of 2000 that takes 2001 steps.
  static constexpr growth flax(std::int64_t growth_interval = 2000) {
    growth rule;
    rule.growth_interval = growth_interval + 1, rule.hold_at_ceiling = false;
    return rule;
  }
  /// Keras 3.
  static constexpr growth keras() {
    growth rule;
    rule.initial_scale = 32768;
    return rule;
  }
  /// TensorFlow up to 2.15.
  static constexpr growth tensorflow() {
    growth rule;
    rule.initial_scale = 32768, rule.floor = 1;
    return rule;
  }
  /// Paddle's GradScaler in eager mode: every m-th overflow in a row lowers the scale.
  static constexpr growth paddle(std::int32_t every = 1) {
    growth rule;
    rule.hysteresis = every, rule.refill = refill::on_clean_step_or_backoff;
    return rule;
  }
  /// Paddle's AmpScaler class.
  static constexpr growth paddle_amp_scaler() {
    growth rule = paddle(1);
    rule.initial_scale = 32768, rule.growth_interval = 1000;
    return rule;
  }
  /// Paddle's update_loss_scaling kernel, as static graphs use it (decorate's newer overload). Its factors are floats.
  static constexpr growth paddle_static() {
    growth rule = paddle(1);
    rule.floor = 1;
    return rule;
  }
  /// decorate's older overload: × 0.8 on every second overflow in a row.
  static constexpr growth paddle_static_old() {
    growth rule = paddle(2);
    rule.floor = 1, rule.initial_scale = 32768, rule.growth_interval = 1000, rule.backoff_factor = 0.8f;
    return rule;
  }
  /// OneFlow, which never grows above its start.
  static constexpr growth oneflow() {
    growth rule;
    rule.floor = 1, rule.ceiling = 65536, rule.hold_at_ceiling = false;
    return rule;
  }
  /// MXNet: a new scale reaches the forward pass one step later.
  static constexpr growth mxnet() {
    growth rule;
    rule.ceiling = 16777216, rule.hold_at_ceiling = false, rule.one_step_late = true;
    return rule;
  }
  /// flashlight's host version; theirs may pass its ceiling by less than one increment.
  static constexpr additive_growth flashlight() { return {}; }
  /// tiny-cuda-nn's constant for half.
  static constexpr fixed tiny_cuda_nn() { return {128}; }
};

}}  // namespace amphora
