#include <amphora/ops/operand.hpp>

#include <device_ops.hpp>
#include <doctest/doctest.h>

namespace amp = amphora;
template <class T> using tensor = amp::tensor<T, test_context>;

static_assert(std::is_same_v<decltype(amp::into(std::declval<amp::view<float>>())), amp::into<float>>);
static_assert(std::is_same_v<decltype(amp::into(std::declval<tensor<amp::float16>&>())), amp::into<amp::float16>>);
static_assert(std::is_same_v<decltype(amp::add_to(std::declval<tensor<double>&>())), amp::add_to<double>>);
static_assert(amp::detail::is_operand_v<tensor<float>> && amp::detail::is_operand_v<amp::view<const std::int64_t>> && !amp::detail::is_operand_v<int>);
static_assert(amp::detail::is_gradient_choice_v<amp::no_gradient> && amp::detail::is_gradient_target_v<amp::add_to<float>> && !amp::detail::is_gradient_choice_v<float>);
static_assert(std::is_same_v<amp::detail::arithmetic_t<amp::f16, amp::bf16>, float> && std::is_same_v<amp::detail::arithmetic_t<amp::f16, amp::f64>, double>);
static_assert(std::is_same_v<amp::detail::arithmetic_format_t<amp::f64>, amp::f64> && std::is_same_v<amp::detail::arithmetic_format_t<amp::bf16>, amp::f32>);

TEST_CASE("views and tensors are read alike, without a copy") {
  test_context context;
  tensor<float> x(context, {2, 3});
  const amp::view<float> v = x;
  CHECK(amp::detail::operand(x).data() == x.data());
  CHECK(amp::detail::operand(v).data() == x.data());
  CHECK(amp::detail::operand(v).shape() == amp::shape{2, 3});
  static_assert(std::is_same_v<decltype(amp::detail::operand(v)), amp::view<const float>>);
}

TEST_CASE("a target says whether it is added to") {
  float memory[6] = {};
  const amp::view<float> v(memory, {6});
  CHECK(!amp::detail::gradient_target(amp::into(v)).add);
  CHECK(amp::detail::gradient_target(amp::add_to(v)).add);
  CHECK(amp::detail::gradient_target(amp::add_to(v)).data == memory);
}

TEST_CASE("a wrong shape is named together with the right one") {
  CHECK_NOTHROW(amp::detail::require_shape("op", "an output", amp::shape{2}, amp::shape{2}));
  CHECK_THROWS_WITH_AS(amp::detail::require_shape("op", "an output", amp::shape{2}, amp::shape{3, 1}),
                       "amphora [shape]: op has an output of shape [2] where [3, 1] is due", amp::error);
}
