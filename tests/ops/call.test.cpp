#include <amphora/ops/call.hpp>

#include <amphora/op/op.hpp>
#include <amphora/policy/opt_level.hpp>
#include <device_ops.hpp>
#include <doctest/doctest.h>

namespace amp = amphora;
template <class T> using tensor = amp::tensor<T, test_context>;

static_assert(amp::is_output_v<amp::f16, amp::f16> && !amp::is_output_v<amp::f32, amp::f16> && !amp::is_output_v<int, amp::f16>);

// What an op reads: the compute format, but a sensitive op what it is given, and f64 always as it is.
using o1 = amp::o1<amp::f16>;
using o3 = amp::o3<amp::f16>;
static_assert(std::is_same_v<amp::detail::read_t<o1, amp::op::linear, amp::f32, amp::f32>, amp::f16>);
static_assert(std::is_same_v<amp::detail::read_t<o1, amp::op::linear, amp::f64, amp::f64>, amp::f64>);
static_assert(std::is_same_v<amp::detail::read_t<o3, amp::op::relu, amp::f32, amp::f32>, amp::f16>);
static_assert(std::is_same_v<amp::detail::read_t<o3, amp::op::softmax, amp::f32, amp::f32>, amp::f32>);
static_assert(std::is_same_v<amp::detail::read_t<o1, amp::op::add, amp::f16, amp::f16, amp::f32>, amp::f32>);

static_assert(std::is_same_v<amp::detail::result_t<o1, amp::op::linear, test_context, tensor<float>, tensor<float>>, tensor<amp::float16>>);
static_assert(std::is_same_v<amp::detail::result_t<o1, amp::op::softmax, test_context, tensor<amp::float16>>, tensor<float>>);
static_assert(std::is_same_v<amp::detail::gradient_of_t<amp::view<const amp::bfloat16>, test_context>, tensor<amp::bfloat16>>);
static_assert(amp::detail::require_into<o1, amp::op::linear, amp::float16, tensor<float>, tensor<float>>());

TEST_CASE("a pair of gradients has the shapes and formats of its operands") {
  test_context context;
  const tensor<amp::float16> a(context, {2, 3});
  const tensor<float> b(context, {3});
  const auto [ga, gb] = amp::detail::fresh_pair(context, a, b);
  static_assert(std::is_same_v<std::remove_const_t<decltype(ga)>, tensor<amp::float16>> && std::is_same_v<std::remove_const_t<decltype(gb)>, tensor<float>>);
  CHECK(ga.shape() == a.shape());
  CHECK(gb.shape() == b.shape());
}
