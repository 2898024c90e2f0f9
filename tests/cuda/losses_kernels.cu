// A handful of the losses' kernels, compiled for what ptxas says of them: no spills, no stack frames.
#include <amphora/cuda/class_margin_loss.cuh>
#include <amphora/cuda/cross_entropy.cuh>
#include <amphora/cuda/map.cuh>
#include <amphora/cuda/map_reduce.cuh>
#include <amphora/cuda/nll_loss.cuh>
#include <amphora/cuda/reduce.cuh>
#include <amphora/cuda/softmax.cuh>
#include <amphora/ops/binary_cross_entropy.hpp>
#include <amphora/ops/class_margin_loss.hpp>
#include <amphora/ops/cosine_embedding_loss.hpp>
#include <amphora/ops/l1_loss.hpp>
#include <amphora/ops/likelihood_loss.hpp>
#include <amphora/ops/nll_loss.hpp>
#include <amphora/ops/soft_cross_entropy.hpp>
#include <amphora/ops/triplet_margin_loss.hpp>
#include <amphora/policy/opt_level.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

void elements(amp::cuda_context& context, amp::view<float> loss, amp::view<amp::float16> gradient, amp::view<amp::float16> x, amp::view<float> t) {
  amp::huber_loss<policy>(context, amp::into(loss), x, t);
  amp::binary_cross_entropy_with_logits<policy>(context, amp::into(loss), x, t, amp::reduction::mean, t, t);
  amp::binary_cross_entropy_with_logits_backward<policy>(context, loss, x, t, amp::into(gradient), amp::no_gradient{}, amp::reduction::mean, t, t);
}
void doubles(amp::cuda_context& context, amp::view<double> loss, amp::view<double> x) {
  amp::gaussian_nll_loss<policy>(context, amp::into(loss), x, x, x);
  amp::gaussian_nll_loss_backward<policy>(context, loss, x, x, x, amp::no_gradient{}, amp::no_gradient{}, amp::into(x));
}
void rows(amp::cuda_context& context, amp::view<float> loss, amp::view<amp::float16> gradient, amp::view<amp::float16> x) {
  amp::triplet_margin_loss_backward<policy>(context, loss, x, x, x, amp::into(gradient), amp::no_gradient{}, amp::no_gradient{});
  amp::cosine_embedding_loss_backward<policy>(context, loss, x, x, loss, amp::into(gradient), amp::no_gradient{});
}
void classes(amp::cuda_context& context, amp::view<float> loss, amp::view<amp::float16> gradient, amp::view<amp::float16> x, amp::view<std::int64_t> targets) {
  amp::nll_loss<policy>(context, amp::into(loss), x, targets);
  amp::nll_loss_backward<policy>(context, amp::into(gradient), loss, x, targets);
  amp::multi_margin_loss<policy>(context, amp::into(loss), x, targets);
  amp::multilabel_margin_loss_backward<policy>(context, amp::into(gradient), loss, x, targets);
  amp::cross_entropy<policy>(context, amp::into(loss), x, x);
}
void second_derivatives(amp::cuda_context& context, const amp::detail::class_margin_call& call, amp::view<float> loss, amp::view<amp::float16> gradient, amp::view<const amp::float16> x, amp::view<const float> weights) {
  using namespace amp::detail;
  class_margin_kernels<amp::cuda_device>::forward(context, call, write(loss), read(x), read(weights), read(x));
  class_margin_kernels<amp::cuda_device>::backward(context, call, write(gradient), read(weights), read(x), read(weights), read(x));
}
