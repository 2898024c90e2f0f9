// Calls through two policies that pick the same formats.
#include <amphora/cuda/map.cuh>
#include <amphora/cuda/memory.cuh>
#include <amphora/op/op.hpp>
#include <amphora/ops/add.hpp>
#include <amphora/ops/cast.hpp>
#include <amphora/ops/gelu.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/policy/policy.hpp>

namespace amp = amphora;

struct first : amp::o1<amp::f16> {};
struct second : amp::policy<amp::compute<amp::f16>, amp::in<amp::op::reduction, amp::compute<amp::f32>>> {};

template <class Policy>
void forward(amp::cuda_context& context, amp::view<const amp::float16> a, amp::view<const amp::float16> b, amp::view<float> y) {
  const auto sum = amp::add<Policy>(context, a, b);
  const auto value = amp::gelu<Policy>(context, sum);
  amp::cast(context, amp::into(y), value);
}
template void forward<first>(amp::cuda_context&, amp::view<const amp::float16>, amp::view<const amp::float16>, amp::view<float>);
template void forward<second>(amp::cuda_context&, amp::view<const amp::float16>, amp::view<const amp::float16>, amp::view<float>);
