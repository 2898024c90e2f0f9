# Every header of the library, by folder. No globs: a header that is not listed here is not installed and not tested alone.
set(AMPHORA_HEADERS
  include/amphora/amphora.hpp
  include/amphora/error.hpp
  include/amphora/version.hpp
  include/amphora/detail/bit_cast.hpp
  include/amphora/detail/config.hpp
  include/amphora/detail/philox.hpp
  include/amphora/detail/rounded.hpp
  include/amphora/detail/setting.hpp
  include/amphora/detail/rows.hpp
  include/amphora/detail/text.hpp
  include/amphora/detail/moments.hpp
  include/amphora/detail/weight_decay.hpp
  # format
  include/amphora/format/convert.hpp
  include/amphora/format/format.hpp
  include/amphora/format/format_id.hpp
  include/amphora/format/format_of.hpp
  include/amphora/format/real.hpp
  include/amphora/format/rounding.hpp
  include/amphora/format/storage.hpp
  # op
  include/amphora/op/contraction.hpp
  include/amphora/op/interpolation.hpp
  include/amphora/op/loss.hpp
  include/amphora/op/normalization.hpp
  include/amphora/op/op.hpp
  include/amphora/op/promoting.hpp
  include/amphora/op/reduction.hpp
  include/amphora/op/role.hpp
  include/amphora/op/transcendental.hpp
  include/amphora/op/transparent.hpp
  include/amphora/op/tree.hpp
  # policy
  include/amphora/policy/call.hpp
  include/amphora/policy/compute.hpp
  include/amphora/policy/lookup.hpp
  include/amphora/policy/loss_scale.hpp
  include/amphora/policy/opt_level.hpp
  include/amphora/policy/override.hpp
  include/amphora/policy/plan.hpp
  include/amphora/policy/policy.hpp
  include/amphora/policy/rules.hpp
  include/amphora/policy/scale_kind.hpp
  include/amphora/policy/setting.hpp
  include/amphora/policy/weights.hpp
  include/amphora/policy/widest.hpp
  # tensor
  include/amphora/tensor/parameter_view.hpp
  include/amphora/tensor/shape.hpp
  include/amphora/tensor/tensor.hpp
  include/amphora/tensor/view.hpp
  # scale
  include/amphora/scale/gradient_facts.hpp
  include/amphora/scale/kernels.hpp
  include/amphora/scale/outcome.hpp
  include/amphora/scale/scaled.hpp
  include/amphora/scale/ticket.hpp
  include/amphora/scale/unscaled.hpp
  # optimizer
  include/amphora/optimizer/adam.hpp
  include/amphora/optimizer/adamw.hpp
  include/amphora/optimizer/adadelta.hpp
  include/amphora/optimizer/adagrad.hpp
  include/amphora/optimizer/adamax.hpp
  include/amphora/optimizer/amsgrad.hpp
  include/amphora/optimizer/lamb.hpp
  include/amphora/optimizer/lars.hpp
  include/amphora/optimizer/lion.hpp
  include/amphora/optimizer/nadam.hpp
  include/amphora/optimizer/radam.hpp
  include/amphora/optimizer/rmsprop.hpp
  include/amphora/optimizer/rule.hpp
  include/amphora/optimizer/schedule.hpp
  include/amphora/optimizer/sgd.hpp
  include/amphora/optimizer/stochastic.hpp
  include/amphora/optimizer/clip.hpp
  include/amphora/optimizer/gradients.hpp
  include/amphora/optimizer/mixed_optimizer.hpp
  include/amphora/optimizer/sum_order.hpp
  # ops
  # host
  include/amphora/host/block.hpp
  include/amphora/host/block_avx2.hpp
  include/amphora/host/block_avx512.hpp
  include/amphora/host/context.hpp
  include/amphora/host/scale.hpp
  include/amphora/host/level.hpp
)
