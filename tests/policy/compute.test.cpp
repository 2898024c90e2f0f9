#include <amphora/policy/compute.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0, o1, o2

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::tf32;

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;
template <class Expected, class Policy, class Op, class... In> constexpr bool computes = same<amp::compute_t<Policy, Op, In...>, Expected>;
template <class Expected, class Policy, class Op, class... In> constexpr bool stores = same<amp::output_t<Policy, Op, In...>, Expected>;
template <class Expected, class Policy, class Op, class... In> constexpr bool sums = same<amp::accumulate_t<Policy, Op, In...>, Expected>;

// answers, before and after the inputs are known
static_assert(computes<amp::as_given, amp::o1<f16>, op::gelu> && computes<bf16, amp::o1<f16>, op::gelu, bf16> && computes<amp::widest, amp::o1<f16>, op::add>);
static_assert(computes<f32, amp::o1<f16>, op::add, f16, bf16> && computes<f16, amp::o1<f16>, op::cat, f16, f16, f16> && computes<f16, amp::o1<f16>, op::linear, f32, f16>);
static_assert(stores<amp::widest, amp::o1<f16>, op::add> && stores<f32, amp::o1<f16>, op::add, f16, f32> && stores<f32, amp::o1<f16>, op::softmax, f16>);

// f64 and integers are never cast
static_assert(computes<f64, amp::o1<f16>, op::linear, f64, f64> && computes<f64, amp::o1<f16>, op::softmax, f64> && stores<f64, amp::o2<f16>, op::relu, f64>);
static_assert(computes<f64, amp::o1<f16>, op::add, f16, f64> && sums<f64, amp::o1<f16>, op::sum, f64>);
static_assert(computes<f16, amp::o1<f16>, op::embedding, amp::not_a_format, f16>);
static_assert(computes<f32, amp::o1<f16>, op::cross_entropy, f16, amp::not_a_format> && computes<amp::as_given, amp::o1<f16>, op::gelu, int>);

// outputs of their own
using half_out = amp::policy<amp::compute<f32>, amp::output<f16>>;
static_assert(stores<f16, half_out, op::softmax, f32> && stores<f64, half_out, op::softmax, f64>);
static_assert(stores<f16, amp::policy<amp::compute<f32>, amp::output<amp::as_given>>, op::softmax, f16>);
static_assert(stores<f32, amp::policy<amp::compute<f16>, amp::output<amp::widest>>, op::linear, f16, f32>);
static_assert(computes<tf32, amp::policy<amp::compute<tf32>>, op::linear, f32, f32> && stores<f32, amp::policy<amp::compute<tf32>>, op::linear, f32, f32>);

// sums: at least the operands' format, at least f32 where the op is sensitive
using narrow_sums = amp::policy<amp::compute<f16>, amp::accumulate<f16, amp::narrow>>;
static_assert(sums<f32, amp::o1<f16>, op::linear> && sums<f32, amp::o2<bf16>, op::linear, bf16, bf16> && sums<f32, amp::policy<amp::compute<tf32>>, op::linear>);
static_assert(sums<f16, narrow_sums, op::linear> && sums<f32, narrow_sums, op::sum> && sums<f64, narrow_sums, op::linear, f64, f64> && sums<f64, narrow_sums, op::sum, f64>);
static_assert(sums<f64, amp::policy<amp::compute<f64>>, op::linear> && sums<f64, amp::policy<amp::accumulate<f64>>, op::linear, f16, f16>);

static_assert(amp::wide_accumulator_v<amp::o1<f16>, op::linear> && amp::wide_accumulator_v<narrow_sums, op::sum> && !amp::wide_accumulator_v<narrow_sums, op::linear>);
static_assert(!amp::wide_accumulator_v<int, op::linear> && !amp::wide_accumulator_v<amp::o0<>, int> && !amp::wide_accumulator_v<void, void>);
