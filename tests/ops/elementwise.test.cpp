#include <amphora/ops/elementwise.hpp>

#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/op.hpp>
#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace user {  // arithmetic from outside
struct half_plus_place {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t i, Real x) const { return x / 2 + static_cast<Real>(i); }
};
struct product {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real g, Real x) const { return g * x; }
};
}  // namespace user

TEST_CASE("a functor over float is applied to every element, whatever its format, and knows its place") {
  test_context context;
  const auto x = check::random<amp::bfloat16>(context, {3, 1500}, 1);
  const auto y = amp::detail::unary<amp::policy<amp::output<amp::f32>>, amp::op::relu>("test", context, user::half_plus_place{}, x);
  const auto given = amp::wait_read(context, x);
  const auto got = amp::wait_read(context, y);
  for (std::size_t i = 0; i < 4500; ++i) CHECK(got[i] == static_cast<float>(given[i]) / 2 + static_cast<float>(i));
}

TEST_CASE("gradients of one operand take its shape, or fail before anything is written") {
  test_context context;
  const auto x = check::random<float>(context, {70}, 1), g = check::random<float>(context, {70}, 2);
  const auto gx = amp::detail::unary_gradient<amp::o0<>, amp::op::relu>("test", context, user::product{}, g, x);
  const auto got = amp::wait_read(context, gx), a = amp::wait_read(context, g), b = amp::wait_read(context, x);
  for (std::size_t i = 0; i < 70; ++i) CHECK(got[i] == a[i] * b[i]);
  auto wrong = check::filled<float>(context, {7, 10}, 5);
  CHECK_THROWS_WITH_AS((amp::detail::unary_gradient_into<amp::o0<>, amp::op::relu>("test", context, user::product{}, amp::into(wrong), g, x)),
                       doctest::Contains("[7, 10] where [70] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(70, 5));
}
