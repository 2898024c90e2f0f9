// The kernels of normalizations and poolings, compiled for what ptxas says of them: no spills, no stack frames.
#include <amphora/cuda/context.cuh>
#include <amphora/cuda/map.cuh>
#include <amphora/cuda/memory.cuh>
#include <amphora/cuda/normalization.cuh>
#include <amphora/cuda/pooling.cuh>
#include <amphora/cuda/reduce.cuh>
#include <amphora/ops/avg_pool.hpp>
#include <amphora/ops/batch_norm.hpp>
#include <amphora/ops/group_norm.hpp>
#include <amphora/ops/layer_norm.hpp>
#include <amphora/ops/max_pool.hpp>
#include <amphora/policy/policy.hpp>

#include <cstdint>

namespace amp = amphora;

template <class T> void all(amp::cuda_context& context, amp::view<T> y, amp::view<T> x, amp::view<T> w, amp::view<float> running, amp::view<std::int64_t> indices) {
  using policy = amp::policy<>;
  const amp::no_gradient none;
  amp::layer_norm<policy>(context, amp::into(y), x, w, w);
  amp::layer_norm_backward<policy>(context, y, x, w, amp::into(y), amp::add_to(w));
  amp::group_norm<policy>(context, amp::into(y), x, 2, w, w);
  amp::group_norm_backward<policy>(context, y, x, 2, w, amp::into(y), none, none);
  amp::batch_norm<policy>(context, amp::into(y), x, amp::running_statistics(running, running), w, w);
  amp::batch_norm_backward<policy>(context, y, x, amp::no_running{}, w, amp::into(y), none, none);
  amp::max_pool2d<policy>(context, amp::into(y), x, 2);
  amp::max_pool2d_backward<policy>(context, amp::into(x), y, indices, 2);
  amp::detail::pooling_kernels<amp::cuda_device>::take(context, {}, amp::detail::write(y), amp::detail::read(amp::detail::operand(x)), indices.data());
  amp::avg_pool2d<policy>(context, amp::into(y), x, 2);
  amp::avg_pool2d_backward<policy>(context, amp::into(x), y, 2);
}

void halves(amp::cuda_context& context, amp::view<amp::float16> x, amp::view<float> running, amp::view<std::int64_t> indices) { all(context, x, x, x, running, indices); }
void doubles(amp::cuda_context& context, amp::view<double> x, amp::view<float> running, amp::view<std::int64_t> indices) { all(context, x, x, x, running, indices); }
