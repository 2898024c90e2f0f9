// The type layer and the arithmetic that kernels call, in a CUDA unit, beside CUDA's own number types, whose operators and
// conversions may be switched off.
#include <amphora/format/convert.hpp>
#include <amphora/format/format_id.hpp>
#include <amphora/format/format_of.hpp>
#include <amphora/format/storage.hpp>
#include <amphora/op/op.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/rule.hpp>
#include <amphora/optimizer/schedule.hpp>
#include <amphora/policy/compute.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/policy/plan.hpp>
#include <amphora/policy/policy.hpp>
#include <amphora/scale/growth.hpp>
#include <amphora/scale/rule.hpp>
#include <amphora/tensor/view.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <type_traits>

namespace amp = amphora;

static_assert(std::is_same_v<amp::format_of_t<__half>, amp::f16> && std::is_same_v<amp::format_of_t<__nv_bfloat16>, amp::bf16>);
static_assert(std::is_same_v<amp::format_of_t<__nv_fp8_e4m3>, amp::e4m3> && std::is_same_v<amp::format_of_t<__nv_fp8_e5m2>, amp::e5m2>);
static_assert(sizeof(__half) == sizeof(amp::float16) && sizeof(__nv_bfloat16) == sizeof(amp::bfloat16));
static_assert(std::is_same_v<amp::view<__half>::format, amp::f16>);

struct mixed : amp::policy<amp::compute<amp::f16>, amp::in<amp::op::reduction, amp::compute<amp::f32>>> {};
static_assert(std::is_same_v<amp::compute_t<mixed, amp::op::softmax>, amp::f32>);
static_assert(std::is_same_v<amp::compute_t<amp::o1<amp::bf16>, amp::op::linear>, amp::bf16>);

// A kernel is a template over formats and functors; host and device share the arithmetic.
template <class Storage, class Rule>
__global__ void update(float* master, Storage* weight, const Storage* gradient, float* state, long long n, float lr, Rule rule, const float* inverse) {
  typename amp::rule_traits<Rule>::scalars own{};
  const auto now = amp::rule_traits<Rule>::at(rule, amp::warmup_cosine{}(7, lr), 8, own);
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<long long>(gridDim.x) * blockDim.x) {
    amp::real w = master[i], s[amp::rule_traits<Rule>::states] = {state[i], state[n + i]};
    rule(amp::real(static_cast<float>(gradient[i])) * amp::real(*inverse), w, s, now);
    master[i] = w.x, state[i] = s[0].x, state[n + i] = s[1].x;
    weight[i] = Storage(w.x);
  }
}
template __global__ void update(float*, amp::float16*, const amp::float16*, float*, long long, float, amp::adamw, const float*);
template __global__ void update(float*, amp::bfloat16*, const amp::bfloat16*, float*, long long, float, amp::adamw, const float*);

__global__ void move_scale(amp::growth rule, amp::scale_state* state, const unsigned* found) { *state = amp::next(rule, *state, *found != 0); }
