#include <amphora/ops/cast.hpp>

#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE_TEMPLATE("cast rounds each number once, also from double", Format, amp::f16, amp::bf16, amp::f32, amp::f64) {
  test_context context;
  auto numbers = check::random_numbers<double>(3000, 1);
  numbers[0] = 1.00048828125000011;  // just above the middle of two f16 numbers: rounded to float first it would be a tie
  numbers[1] = 1.0039062500000002;   // the same for bf16
  const auto x = check::given(context, {3, 1000}, numbers);
  const auto y = amp::cast<Format>(context, x);
  static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, check::tensor<amp::storage_t<Format>>>);
  REQUIRE(y.shape() == x.shape());
  const auto got = amp::wait_read(context, y);
  for (std::size_t i = 0; i < 3000; ++i) CHECK(static_cast<double>(got[i]) == static_cast<double>(amp::convert<Format>(numbers[i])));
}

TEST_CASE("cast to an 8-bit format saturates, from float and from double") {
  test_context context;
  const std::vector<double> numbers = {500, -1e300, 17.0000001};
  const auto x = check::given(context, {3}, numbers);
  const auto y = amp::wait_read(context, amp::cast<amp::e4m3>(context, x));
  for (std::size_t i = 0; i < 3; ++i) CHECK(y[i].bits() == amp::convert<amp::e4m3, amp::saturating>(numbers[i]).bits());
  const auto z = amp::wait_read(context, amp::cast<amp::e4m3>(context, amp::cast<amp::f32>(context, x)));
  CHECK(static_cast<float>(z[0]) == 448);
}

TEST_CASE("the gradient of a cast comes back in the format that was cast") {
  test_context context;
  const auto x = check::random<float>(context, {70}, 1);
  const auto g = check::random<amp::float16>(context, {70}, 2);
  const auto gx = amp::cast_backward(context, g, x);
  static_assert(std::is_same_v<std::remove_const_t<decltype(gx)>, check::tensor<float>>);
  const auto given = amp::wait_read(context, g);
  const auto back = amp::wait_read(context, gx);
  for (std::size_t i = 0; i < 70; ++i) CHECK(back[i] == static_cast<float>(given[i]));
  check::tensor<float> sum(context, {70});
  amp::fill(context, sum, 1.0f);
  amp::cast_backward(context, amp::add_to(sum), g);
  const auto added = amp::wait_read(context, sum);
  for (std::size_t i = 0; i < 70; ++i) CHECK(added[i] == 1 + static_cast<float>(given[i]));
  CHECK_THROWS_AS(amp::cast_backward(context, g, check::random<float>(context, {71}, 1)), amp::error);
}

TEST_CASE("B57: a cast is made where it is written, so a weight that changed in place is never read stale") {
  test_context context;
  check::tensor<float> w(context, {1});
  const auto cast_of = [&](float value) {
    amp::write(context, {value}, w);
    return static_cast<float>(amp::wait_read(context, amp::cast<amp::f16>(context, w))[0]);
  };
  CHECK(cast_of(1) == 1);
  CHECK(cast_of(2) == 2);
  const float* at = w.data();
  w = check::tensor<float>();  // freed …
  std::vector<check::tensor<float>> others;
  for (w = check::tensor<float>(context, {1}); w.data() != at && others.size() < 8; w = check::tensor<float>(context, {1})) others.push_back(std::move(w));
  REQUIRE(w.data() == at);  // … and given out again at the same place
  CHECK(cast_of(3) == 3);
}

TEST_CASE("copy and fill move numbers and integers as they are") {
  test_context context;
  check::tensor<std::int64_t> a(context, {2, 3}), b(context, {2, 3});
  amp::fill(context, a, std::int64_t(-5));
  amp::fill(context, b, std::int64_t(1));
  amp::copy(context, a, b);
  CHECK(amp::wait_read(context, b) == std::vector<std::int64_t>(6, -5));
  check::tensor<std::int64_t> c(context, {3, 2});
  CHECK_THROWS_WITH_AS(amp::copy(context, a, c), doctest::Contains("[3, 2] where [2, 3] is due"), amp::error);
}
