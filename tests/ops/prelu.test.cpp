#include <amphora/ops/prelu.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::prelu<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>())), golden::tensor<amp::float16>>, "the compute format");

TEST_CASE("prelu agrees with the reference in every format, with one weight and with one for each channel") {
  CHECK(golden::run_many("prelu.json", "prelu", 4, 0, {}, [](auto p, auto& context, const auto&, const auto& x, const auto& w) { return amp::prelu<decltype(p)>(context, x, w); },
                         [](auto p, auto& context, const auto&, const auto& g, const auto& x, const auto& w) { return amp::prelu_backward<decltype(p)>(context, g, x, w); }, "input", "weight") >= 80);
}

TEST_CASE("gradients of prelu are the slopes of its value") {
  test_context context;
  auto x = check::random<double>(context, {3, 4, 2}, 1), w = check::random<double>(context, {4}, 2);
  const auto g = check::random<double>(context, {3, 4, 2}, 3);
  const auto value = [&] { return check::dot(context, g, amp::prelu<amp::o0<>>(context, x, w)); };
  const auto of = amp::prelu_backward<amp::o0<>>(context, g, x, w);
  check::slopes(context, value, x, of.first), check::slopes(context, value, w, of.second);
}

TEST_CASE("under a policy of f16 prelu has the bits of a call on operands that were cast by hand") {
  test_context context;
  const auto x = check::random<float>(context, {5, 7, 31}, 1), w = check::random<float>(context, {7}, 2);
  const auto halves = [&](const golden::tensor<float>& from) {
    std::vector<amp::float16> result;
    for (float v : amp::wait_read(context, from)) result.push_back(amp::convert<amp::f16>(v));
    return check::given(context, from.shape(), result);
  };
  const auto low_x = halves(x), low_w = halves(w);
  const auto y = amp::prelu<amp::o1<amp::f16>>(context, x, w), by_hand = amp::prelu<amp::policy<>>(context, low_x, low_w);
  CHECK(check::equal_bits(context, y, by_hand));
  const auto g = check::random<amp::float16>(context, {5, 7, 31}, 3);
  const auto of = amp::prelu_backward<amp::o1<amp::f16>>(context, g, x, w);
  golden::tensor<float> gx(context, x.shape()), gw(context, w.shape());
  amp::prelu_backward<amp::policy<>>(context, g, low_x, low_w, amp::into(gx), amp::into(gw));
  CHECK(check::equal_bits(context, of.first, gx));
  CHECK(check::equal_bits(context, of.second, gw));
}

TEST_CASE("weights that fit neither all nor a channel are refused, and a gradient of another shape is not written") {
  test_context context;
  const auto x = check::random<float>(context, {3, 4}, 1), w = check::random<float>(context, {3}, 2), fits = check::random<float>(context, {4}, 2);
  CHECK_THROWS_WITH_AS(amp::prelu<amp::o0<>>(context, x, w), doctest::Contains("weights of shape [3] where one weight, or one for each place along axis 1 of [3, 4], is due"), amp::error);
  auto wrong = check::filled<float>(context, {2, 2}, 8);
  CHECK_THROWS_WITH_AS((amp::prelu_backward<amp::o0<>>(context, x, x, fits, amp::no_gradient{}, amp::into(wrong))), doctest::Contains("[2, 2] where [4] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(4, 8));
}
