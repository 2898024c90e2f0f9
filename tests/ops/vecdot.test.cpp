#include <amphora/ops/vecdot.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
template <class P> using vecdot_t = decltype(amp::vecdot<P>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>()));

static_assert(std::is_same_v<vecdot_t<amp::o1<amp::f16>>, golden::tensor<amp::float16>>, "a contraction");

TEST_CASE("the gradients of vecdot are the slopes of its values, along any axis, of shapes that broadcast") {
  test_context context;
  for (int axis : {-1, 0, 1}) {
    auto a = check::random<double>(context, {2, 3, 4}, 1), b = check::random<double>(context, {3, 1}, 2);
    const auto g = check::random<double>(context, amp::vecdot<amp::o0<>>(context, a, b, axis).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::vecdot<amp::o0<>>(context, a, b, axis)); };
    const auto of = amp::vecdot_backward<amp::o0<>>(context, g, a, b, axis);
    check::slopes(context, value, a, of.first), check::slopes(context, value, b, of.second);
  }
}

TEST_CASE("vecdot has no axis beyond the broadcast shape's") {
  test_context context;
  const golden::tensor<float> a(context, {2, 3});
  CHECK_THROWS_WITH_AS(amp::vecdot<amp::o0<>>(context, a, a, 2), doctest::Contains("vecdot has no axis 2 in [2, 3]"), amp::error);
}
