#include <amphora/ops/conv.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using options = amp::convolution_options;

static_assert(std::is_same_v<decltype(amp::conv2d<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("convolutions and their gradients agree with the reference in every format") {
  const auto run = [](const char* op, const auto& value, const auto& gradients) { return golden::run_convolutions(op, value, gradients); };
  CHECK(run("conv1d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv1d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv1d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 17);
  CHECK(run("conv2d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv2d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv2d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 20);
  CHECK(run("conv3d", [](auto p, auto& context, const auto& o, const auto& x, const auto& w, const auto& b) { return amp::conv3d<decltype(p)>(context, x, w, b, o); },
            [](auto p, auto& context, const auto& o, const auto& g, const auto& x, const auto& w) { return amp::conv3d_backward<decltype(p)>(context, g, x, w, o); }) == 7 * 5);
}

namespace {

template <class T> auto in_memory(test_context& context, const golden::tensor<T>& numbers, const amp::shape& shape) {
  golden::tensor<T> result(context, shape);
  amp::write(context, amp::wait_read(context, numbers), result);
  return result;
}
amp::shape shape_of(std::int64_t a, std::int64_t b, const std::int64_t (&extents)[3]) { return {a, b, extents[0], extents[1], extents[2]}; }

/// conv3d of that layout and its gradients against their terms, in T.
template <class T> void sums_are_right(const amp::shape& x, const amp::shape& w, const options& how) {
  using policy = amp::policy<>;
  test_context context;
  const auto c = amp::detail::convolution_sizes::of("a test", 3, x, w, how).layout;
  golden::agrees_with_terms<T>(context, c, [&](amp::detail::convolution_result result, const auto& a, const auto& b) {
    const amp::shape y = shape_of(c.batch, c.groups * c.features, c.out);
    if (result == amp::detail::convolution_result::y) return amp::conv3d<policy>(context, in_memory(context, a, x), in_memory(context, b, w), amp::no_bias{}, how);
    golden::tensor<T> to(context, result == amp::detail::convolution_result::x ? x : w), none(context, result == amp::detail::convolution_result::x ? x : w);
    if (result == amp::detail::convolution_result::x)
      amp::conv3d_backward<policy>(context, in_memory(context, a, y), to, in_memory(context, b, w), amp::into(to), amp::no_gradient{}, amp::no_gradient{}, how);
    else
      amp::conv3d_backward<policy>(context, in_memory(context, a, y), in_memory(context, b, x), to, amp::no_gradient{}, amp::into(to), amp::no_gradient{}, how);
    return to;
  });
}

}  // namespace

TEST_CASE_TEMPLATE("sums over more than a tile of channels, features and places are right", T, float, amp::float16, amp::bfloat16) {
  sums_are_right<T>({1, 30, 1, 2, 5}, {260, 30, 1, 3, 3}, options{}.padding({0, 1, 1}));   // a window of 270 numbers, 260 features
  sums_are_right<T>({2, 30, 1, 5, 31}, {3, 30, 1, 3, 3}, options{}.padding({0, 1, 1}));    // 310 places
  sums_are_right<T>({3, 6, 1, 21, 19}, {4, 3, 1, 4, 2}, options{}.stride({1, 3, 2}).padding({0, 2, 1}).groups(2));
  sums_are_right<T>({1, 4, 7, 9, 11}, {8, 1, 2, 3, 3}, options{}.stride({2, 4, 3}).dilation({2, 2, 3}).padding({1, 3, 4}).groups(4));  // strides and dilations with common factors and without
  sums_are_right<T>({1, 2, 1, 3, 301}, {3, 2, 1, 2, 3}, options{}.stride({1, 1, 2}).padding({0, 0, 1}));  // results far apart, in long lines
  sums_are_right<T>({2, 300, 1, 3, 5}, {3, 300, 1, 1, 1}, {});
}
TEST_CASE("windows that touch each number once, or none of some, and steps past the end") {
  sums_are_right<float>({2, 3, 1, 16, 20}, {5, 3, 1, 4, 4}, options{}.stride({1, 4, 4}));               // patches side by side
  sums_are_right<float>({1, 2, 1, 13, 17}, {3, 2, 1, 2, 2}, options{}.stride({1, 5, 40}));              // most numbers have no gradient
  sums_are_right<float>({1, 2, 1, 3, 3}, {3, 2, 1, 1, 3}, options{}.padding({0, 4, 6}).dilation({1, 1, 6}));
}

TEST_CASE("gradients of convolutions are the slopes of their value") {
  test_context context;
  using policy = amp::o0<>;
  const auto one = [&](const amp::shape& shape_x, const amp::shape& shape_w, const options& how) {
    auto x = check::random<double>(context, shape_x, 1), w = check::random<double>(context, shape_w, 2), b = check::random<double>(context, {shape_w[0]}, 3);
    const auto g = check::random<double>(context, amp::conv2d<policy>(context, x, w, b, how).shape(), 4);
    const auto value = [&] { return check::dot(context, g, amp::conv2d<policy>(context, x, w, b, how)); };
    const auto gradients = amp::conv2d_backward<policy>(context, g, x, w, how);
    check::slopes(context, value, x, gradients.x), check::slopes(context, value, w, gradients.w), check::slopes(context, value, b, gradients.b);
  };
  one({2, 4, 5, 4}, {4, 2, 3, 2}, options{}.stride({2, 1}).padding({1, 2}).dilation({1, 2}).groups(2));
  one({3, 5, 5}, {2, 3, 2, 3}, options{}.padding(amp::window_padding::same));
}

TEST_CASE("under a policy of f16 convolutions have the bits of a call on operands that were cast by hand") {
  test_context context;
  using policy = amp::o1<amp::f16>;
  const auto how = options{}.stride(2).padding(1);
  const auto x = check::random<float>(context, {3, 5, 9, 8}, 1), w = check::random<float>(context, {7, 5, 3, 3}, 2), b = check::random<float>(context, {7}, 3);
  const auto low_x = amp::cast<amp::f16>(context, x), low_w = amp::cast<amp::f16>(context, w), low_b = amp::cast<amp::f16>(context, b);
  CHECK(check::equal_bits(context, amp::conv2d<policy>(context, x, w, b, how), amp::conv2d<amp::policy<>>(context, low_x, low_w, low_b, how)));
  const auto g = check::random<amp::float16>(context, {3, 7, 5, 4}, 4);
  const auto of = amp::conv2d_backward<policy>(context, g, x, w, how);
  golden::tensor<float> gx(context, x.shape()), gw(context, w.shape()), gb(context, {7});
  amp::conv2d_backward<amp::policy<>>(context, g, low_x, low_w, amp::into(gx), amp::into(gw), amp::into(gb), how);
  CHECK(check::equal_bits(context, of.x, gx));
  CHECK(check::equal_bits(context, of.w, gw));
  CHECK(check::equal_bits(context, of.b, gb));
}

TEST_CASE("gradients are written, or added to what stands in 16-bit memory with one rounding, or left out") {
  test_context context;
  using policy = amp::policy<>;
  const auto how = options{}.padding(1).stride(2);
  const auto x = check::random<amp::float16>(context, {2, 3, 7, 6}, 1), w = check::random<amp::float16>(context, {4, 3, 3, 3}, 2), g = check::random<amp::float16>(context, {2, 4, 4, 3}, 3);
  golden::tensor<float> exact_x(context, x.shape()), exact_w(context, w.shape()), exact_b(context, {4});
  amp::conv2d_backward<policy>(context, g, x, w, amp::into(exact_x), amp::into(exact_w), amp::into(exact_b), how);
  auto gx = check::filled<amp::float16>(context, x.shape(), amp::float16(3.0f)), gw = check::filled<amp::float16>(context, w.shape(), amp::float16(3.0f)), gb = check::filled<amp::float16>(context, {4}, amp::float16(3.0f));
  amp::conv2d_backward<policy>(context, g, x, w, amp::add_to(gx), amp::no_gradient{}, amp::add_to(gb), how);
  CHECK(static_cast<float>(amp::wait_read(context, gw)[0]) == 3);
  amp::conv2d_backward<policy>(context, g, x, w, amp::no_gradient{}, amp::add_to(gw), amp::no_gradient{}, how);
  const auto added_once = [&](const auto& sum, const auto& exact) {
    const auto low = amp::wait_read(context, sum);
    const auto high = amp::wait_read(context, exact);
    int wrong = 0;
    for (std::size_t i = 0; i < high.size(); ++i) wrong += low[i].bits() != amp::convert<amp::f16>(high[i] + 3).bits();
    CHECK(wrong == 0);
  };
  added_once(gx, exact_x), added_once(gw, exact_w), added_once(gb, exact_b);
}

TEST_CASE("with no images the gradients of weights and bias are zeros, with no channels the value is the bias") {
  test_context context;
  const auto x = check::random<float>(context, {0, 2, 4, 4}, 1), w = check::random<float>(context, {3, 2, 3, 3}, 2), g = check::random<float>(context, {0, 3, 2, 2}, 3);
  const auto of = amp::conv2d_backward<amp::o0<>>(context, g, x, w);
  CHECK(amp::wait_read(context, of.w) == std::vector<float>(54, 0));
  CHECK(amp::wait_read(context, of.b) == std::vector<float>(3, 0));
  const auto b = check::given<float>(context, {2}, {5, 7});
  const golden::tensor<float> nothing(context, {1, 0, 2, 2}), window(context, {2, 0, 1, 1});
  CHECK(amp::wait_read(context, amp::conv2d<amp::o0<>>(context, nothing, window, b)) == std::vector<float>{5, 5, 5, 5, 7, 7, 7, 7});
}

TEST_CASE("nothing is allocated once a step has run") {
  test_context context;
  using policy = amp::o1<amp::f16>;
  const auto x = check::random<float>(context, {4, 3, 8, 8}, 1), w = check::random<float>(context, {5, 3, 3, 3}, 2), b = check::random<float>(context, {5}, 3);
  const auto step = [&] {
    const auto y = amp::conv2d<policy>(context, x, w, b, options{}.stride(2));
    const auto gradients = amp::conv2d_backward<policy>(context, y, x, w, options{}.stride(2));
  };
  step();
  const auto before = context.allocations();
  step();
  CHECK(context.allocations() == before);
}

TEST_CASE("shapes that do not match are an error that says what is due, and nothing is written") {
  test_context context;
  using policy = amp::o0<>;
  const golden::tensor<float> x(context, {2, 3, 5, 5}), w(context, {4, 3, 3, 3}), b(context, {3}), narrow(context, {4, 2, 3, 3}), flat(context, {5, 5});
  auto y = check::filled<float>(context, {2, 4, 3, 3}, 7);
  CHECK_THROWS_WITH_AS(amp::conv2d<policy>(context, amp::into(y), x, w, b), doctest::Contains("conv2d has a bias of shape [3] where [4] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::conv2d<policy>(context, amp::into(y), x, w, amp::no_bias{}, options{}.padding(1)), doctest::Contains("[2, 4, 3, 3] where [2, 4, 5, 5] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::conv2d<policy>(context, x, narrow), doctest::Contains("x of shape [2, 3, 5, 5] with w of shape [4, 2, 3, 3] in 1 groups"), amp::error);
  CHECK_THROWS_AS(amp::conv2d<policy>(context, flat, w), amp::error);
  CHECK_THROWS_AS(amp::conv3d<policy>(context, x, w), amp::error);
  auto gw = check::filled<float>(context, {4, 3, 3, 3}, 7);
  CHECK_THROWS_WITH_AS((amp::conv2d_backward<policy>(context, y, x, w, amp::into(gw), amp::into(gw), amp::no_gradient{})), doctest::Contains("a gradient of x of shape [4, 3, 3, 3] where [2, 3, 5, 5] is due"), amp::error);
  CHECK(amp::wait_read(context, y) == std::vector<float>(72, 7));
  CHECK(amp::wait_read(context, gw) == std::vector<float>(108, 7));
}
