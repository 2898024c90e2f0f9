#include <amphora/ops/conv_transpose.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using options = amp::convolution_options;

TEST_CASE("transposed convolutions and their gradients agree with the reference in every format") {
  const auto run = [](const char* op, const auto& value, const auto& gradients) { return golden::run_convolutions(op, value, gradients); };
  CHECK(run("conv_transpose1d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose1d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv_transpose1d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 8);
  CHECK(run("conv_transpose2d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose2d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv_transpose2d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 9);
  CHECK(run("conv_transpose3d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose3d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv_transpose3d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 3);
}

TEST_CASE("gradients of a transposed convolution are the slopes of its value") {
  test_context context;
  using policy = amp::o0<>;
  const auto how = options{}.stride({2, 1}).padding({1, 0}).dilation({1, 3}).output_padding({1, 2}).groups(2);
  auto x = check::random<double>(context, {2, 4, 3, 4}, 1), w = check::random<double>(context, {4, 3, 2, 2}, 2), b = check::random<double>(context, {6}, 3);
  const auto g = check::random<double>(context, amp::conv_transpose2d<policy>(context, x, w, b, how).shape(), 4);
  const auto value = [&] { return check::dot(context, g, amp::conv_transpose2d<policy>(context, x, w, b, how)); };
  const auto gradients = amp::conv_transpose2d_backward<policy>(context, g, x, w, how);
  check::slopes(context, value, x, gradients.x), check::slopes(context, value, w, gradients.w), check::slopes(context, value, b, gradients.b);
}

TEST_CASE_TEMPLATE("a transposed convolution has the bits of the gradient of a convolution's input, and its gradient those of the convolution", T, float, amp::bfloat16) {
  test_context context;
  using policy = amp::policy<>;
  const auto how = options{}.stride(2).padding(1);
  const auto x = check::random<T>(context, {2, 3, 9, 7}, 1), w = check::random<T>(context, {5, 3, 3, 3}, 2), y = check::random<T>(context, {2, 5, 5, 4}, 3);
  const auto of = amp::conv2d_backward<policy>(context, y, x, w, how), back = amp::conv_transpose2d_backward<policy>(context, x, y, w, how);
  CHECK(check::equal_bits(context, amp::conv_transpose2d<policy>(context, y, w, amp::no_bias{}, how), of.x));
  CHECK(check::equal_bits(context, back.x, amp::conv2d<policy>(context, x, w, amp::no_bias{}, how)));
  CHECK(check::equal_bits(context, back.w, of.w));
}

TEST_CASE("options that no transposed convolution has are an error, and nothing is written") {
  test_context context;
  using policy = amp::o0<>;
  const golden::tensor<float> x(context, {2, 3, 4, 4}), w(context, {3, 2, 3, 3}), wide(context, {4, 2, 3, 3});
  auto y = check::filled<float>(context, {2, 2, 6, 6}, 7);
  const auto run = [&](const options& how) { amp::conv_transpose2d<policy>(context, amp::into(y), x, w, amp::no_bias{}, how); };
  CHECK_THROWS_WITH_AS(run(options{}.padding(amp::window_padding::same)), doctest::Contains("no padding by name"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.stride(2).output_padding(2)), doctest::Contains("an output padding of 2; it is below the stride, 2, or the dilation, 1"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.padding(3)), doctest::Contains("4 along axis -2 of [2, 3, 4, 4] become 0"), amp::error);
  CHECK_THROWS_WITH_AS(amp::conv_transpose2d<policy>(context, x, wide), doctest::Contains("w is [in, out / groups"), amp::error);
  CHECK(amp::wait_read(context, y) == std::vector<float>(144, 7));
}
