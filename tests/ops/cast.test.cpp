#include <amphora/ops/cast.hpp>

#include <amphora/host/map.hpp>
#include <amphora/host/memory.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using check::tensor;

TEST_CASE_TEMPLATE("cast rounds each number once, also from double", Format, amp::f16, amp::bf16, amp::f32, amp::f64) {
  amp::host_context context;
  auto x = check::random<double>(context, {3, 1000}, 1);
  x.data()[0] = 1.00048828125000011;  // just above the middle of two f16 numbers: rounded to float first it would be a tie
  x.data()[1] = 1.0039062500000002;   // the same for bf16
  const auto y = amp::cast<Format>(context, x);
  static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, tensor<amp::storage_t<Format>>>);
  REQUIRE(y.shape() == x.shape());
  for (int i = 0; i < 3000; ++i) CHECK(static_cast<double>(y.data()[i]) == static_cast<double>(amp::convert<Format>(x.data()[i])));
}

TEST_CASE("cast to an 8-bit format saturates, from float and from double") {
  amp::host_context context;
  tensor<double> x(context, {3});
  x.data()[0] = 500, x.data()[1] = -1e300, x.data()[2] = 17.0000001;
  const auto y = amp::cast<amp::e4m3>(context, x);
  for (int i = 0; i < 3; ++i) CHECK(y.data()[i].bits() == amp::convert<amp::e4m3, amp::saturating>(x.data()[i]).bits());
  const auto z = amp::cast<amp::e4m3>(context, amp::cast<amp::f32>(context, x));
  CHECK(static_cast<float>(z.data()[0]) == 448);
}

TEST_CASE("the gradient of a cast comes back in the format that was cast") {
  amp::host_context context;
  const auto x = check::random<float>(context, {70}, 1);
  const auto g = check::random<amp::float16>(context, {70}, 2);
  const auto gx = amp::cast_backward(context, g, x);
  static_assert(std::is_same_v<std::remove_const_t<decltype(gx)>, tensor<float>>);
  for (int i = 0; i < 70; ++i) CHECK(gx.data()[i] == static_cast<float>(g.data()[i]));
  tensor<float> sum(context, {70});
  amp::fill(context, sum, 1.0f);
  amp::cast_backward(context, amp::add_to(sum), g);
  for (int i = 0; i < 70; ++i) CHECK(sum.data()[i] == 1 + static_cast<float>(g.data()[i]));
  CHECK_THROWS_AS(amp::cast_backward(context, g, check::random<float>(context, {71}, 1)), amp::error);
}

TEST_CASE("B57: a cast is made where it is written, so a weight that changed in place is never read stale") {
  amp::host_context context;
  tensor<float> w(context, {1});
  w.data()[0] = 1;
  CHECK(static_cast<float>(amp::cast<amp::f16>(context, w).data()[0]) == 1);
  w.data()[0] += 1;
  CHECK(static_cast<float>(amp::cast<amp::f16>(context, w).data()[0]) == 2);
  const float* at = w.data();
  w = tensor<float>();             // freed …
  w = tensor<float>(context, {1});  // … and given out again at the same place
  REQUIRE(w.data() == at);
  w.data()[0] = 3;
  CHECK(static_cast<float>(amp::cast<amp::f16>(context, w).data()[0]) == 3);
}

TEST_CASE("copy and fill move numbers and integers as they are") {
  amp::host_context context;
  tensor<std::int64_t> a(context, {2, 3}), b(context, {2, 3});
  amp::fill(context, a, std::int64_t(-5));
  amp::fill(context, b, std::int64_t(1));
  amp::copy(context, a, b);
  for (int i = 0; i < 6; ++i) CHECK(b.data()[i] == -5);
  tensor<std::int64_t> c(context, {3, 2});
  CHECK_THROWS_WITH_AS(amp::copy(context, a, c), doctest::Contains("[3, 2] where [2, 3] is due"), amp::error);
}
