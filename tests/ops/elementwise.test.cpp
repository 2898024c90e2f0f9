#include <amphora/ops/elementwise.hpp>

#include <amphora/host/map.hpp>
#include <amphora/op/op.hpp>
#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using check::tensor;

namespace user {  // arithmetic from outside
struct half_plus_place {
  template <class Real> Real operator()(std::int64_t i, Real x) const { return x / 2 + static_cast<Real>(i); }
};
struct product {
  template <class Real> Real operator()(std::int64_t, Real g, Real x) const { return g * x; }
};
}  // namespace user

TEST_CASE("a functor over float is applied to every element, whatever its format, and knows its place") {
  amp::host_context context;
  const auto x = check::random<amp::bfloat16>(context, {3, 1500}, 1);
  const auto y = amp::detail::unary<amp::policy<amp::output<amp::f32>>, amp::op::relu>("test", context, user::half_plus_place{}, x);
  for (int i = 0; i < 4500; ++i) CHECK(y.data()[i] == static_cast<float>(x.data()[i]) / 2 + static_cast<float>(i));
}

TEST_CASE("gradients of one operand take its shape, or fail before anything is written") {
  amp::host_context context;
  const auto x = check::random<float>(context, {70}, 1), g = check::random<float>(context, {70}, 2);
  const auto gx = amp::detail::unary_gradient<amp::o0<>, amp::op::relu>("test", context, user::product{}, g, x);
  for (int i = 0; i < 70; ++i) CHECK(gx.data()[i] == g.data()[i] * x.data()[i]);
  tensor<float> wrong(context, {7, 10});
  wrong.data()[0] = 5;
  CHECK_THROWS_WITH_AS((amp::detail::unary_gradient_into<amp::o0<>, amp::op::relu>("test", context, user::product{}, amp::into(wrong), g, x)),
                       doctest::Contains("[7, 10] where [70] is due"), amp::error);
  CHECK(wrong.data()[0] == 5);
}
