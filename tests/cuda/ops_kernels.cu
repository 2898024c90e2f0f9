// A handful of the ops' kernels, compiled for what ptxas says of them: no spills, no stack frames.
#include <amphora/cuda/context.cuh>
#include <amphora/cuda/cross_entropy.cuh>
#include <amphora/cuda/dropout.cuh>
#include <amphora/cuda/index.cuh>
#include <amphora/cuda/map.cuh>
#include <amphora/cuda/masked_softmax.cuh>
#include <amphora/cuda/memory.cuh>
#include <amphora/cuda/movement.cuh>
#include <amphora/cuda/parameter.cuh>
#include <amphora/cuda/pick.cuh>
#include <amphora/cuda/reduce.cuh>
#include <amphora/cuda/scale.cuh>
#include <amphora/cuda/softmax.cuh>
#include <amphora/ops/add.hpp>
#include <amphora/ops/cast.hpp>
#include <amphora/ops/cross_entropy.hpp>
#include <amphora/ops/dropout.hpp>
#include <amphora/ops/embedding.hpp>
#include <amphora/ops/gather.hpp>
#include <amphora/ops/gelu.hpp>
#include <amphora/ops/movement.hpp>
#include <amphora/ops/pad.hpp>
#include <amphora/ops/softmax.hpp>
#include <amphora/ops/sum.hpp>
#include <amphora/policy/policy.hpp>

namespace amp = amphora;

void elementwise(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<float> wide, amp::view<double> widest) {
  using policy = amp::policy<>;
  amp::add<policy>(context, amp::into(y), y, x);
  amp::add<policy>(context, amp::into(widest), widest, widest);
  amp::gelu<policy>(context, amp::into(y), x, amp::gelu_form::tanh);
  amp::gelu_backward<policy>(context, amp::into(y), y, x);
  amp::cast(context, amp::into(y), wide);
  amp::cast(context, amp::into(y), widest);
  amp::fill(context, wide, 1.0f);
  amp::detail::parameter_kernels<amp::cuda_device>::load(context, amp::gradient_pointer(wide.data()), nullptr, 0, 0);
}

void sums(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<double> widest) {
  amp::sum<amp::policy<>>(context, amp::into(y), x);
  amp::sum<amp::policy<>>(context, amp::into(widest), widest);
}

void lines(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<double> widest) {
  amp::softmax<amp::policy<>>(context, amp::into(y), x);
  amp::softmax<amp::policy<>>(context, amp::into(widest), widest);
  amp::softmax_backward<amp::policy<>>(context, amp::into(y), y, x);
  amp::dropout<amp::policy<>>(context, amp::into(y), x, amp::dropout_settings{});
  amp::gelu<amp::policy<>>(context, amp::into(widest), widest);
}

void losses(amp::cuda_context& context, amp::view<float> loss, amp::view<float> gradient, amp::view<float> logits, amp::view<std::int64_t> targets) {
  amp::cross_entropy<amp::policy<>>(context, amp::into(loss), logits, targets);
  amp::cross_entropy_backward<amp::policy<>>(context, amp::into(gradient), loss, logits, targets, {-100, 0.1}, logits);
}
void doubles(amp::cuda_context& context, amp::view<double> loss, amp::view<double> gradient, amp::view<double> logits, amp::view<std::int32_t> targets) {
  amp::cross_entropy<amp::policy<>>(context, amp::into(loss), logits, targets);
  amp::cross_entropy_backward<amp::policy<>>(context, amp::into(gradient), loss, logits, targets);
  amp::softmax_backward<amp::policy<>>(context, amp::into(gradient), gradient, logits);
  amp::gelu_backward<amp::policy<>>(context, amp::into(gradient), gradient, logits);
}

void indexing(amp::cuda_context& context, amp::view<amp::float16> y, amp::view<amp::float16> x, amp::view<std::int64_t> index) {
  using policy = amp::policy<>;
  amp::transpose<policy>(context, amp::into(y), x);
  amp::pad<policy>(context, amp::into(y), x, {{1, 1}, amp::pad_mode::reflect});
  amp::pad_backward<policy>(context, amp::into(y), x, {{1, 1}, amp::pad_mode::reflect});
  amp::embedding<policy>(context, amp::into(y), index, x);
  amp::embedding_backward<policy>(context, amp::into(y), x, index);
  amp::gather<policy>(context, amp::into(y), x, 0, index);
  amp::gather_backward<policy>(context, amp::into(y), x, 0, index);
}

template <class Weight, class Score>
void attention_of(amp::cuda_context& context, Weight* weights, Score* scores) {
  using kernels = amp::detail::masked_softmax_kernels<amp::cuda_device>;
  const amp::detail::source<amp::format_of_t<Score>> x{scores};
  const amp::detail::target<amp::format_of_t<Weight>> y{weights, false};
  kernels::forward(context, {}, y, x), kernels::backward(context, {}, y, x, x), kernels::bend(context, {}, y, x, x, x);
}
void attention(amp::cuda_context& context, amp::float16* half, float* single, double* widest) { attention_of(context, half, single), attention_of(context, widest, widest); }
