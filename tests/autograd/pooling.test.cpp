#include <amphora/autograd/pooling.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/pool_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("pooling of variables has the reference's value, gradient and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("transparent_pooling.json", {"max_pool1d", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d"})) {
    const std::string name = c.data.at("op");
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) {
      if (name == "adaptive_avg_pool2d") return amp::adaptive_avg_pool2d<policy>(tape, x, golden::windows_of(c));
      const auto size = golden::per_axis_of(c.option("kernel_size"));
      if (name == "avg_pool2d") return amp::avg_pool2d<policy>(tape, x, size, golden::avg_pool_options_of(c));
      return name == "max_pool1d" ? amp::max_pool1d<policy>(tape, x, size, golden::max_pool_options_of(c)) : amp::max_pool2d<policy>(tape, x, size, golden::max_pool_options_of(c));
    }, "input");
  }
  CHECK(second == 72);  // PyTorch has none where a NaN was pooled
}

TEST_CASE("the gradients of pooling of variables have the bits of the explicit ones, over one and three axes too") {
  test_context context;
  const amp::tape tape(context);
  const auto line = tape.leaf(check::random<amp::float16>(context, {2, 3, 9}, 1)), block = tape.leaf(check::random<amp::float16>(context, {2, 4, 6, 5}, 2));
  const auto same = [&](const auto& x, const auto& y, const auto& gradient) {
    const auto g = check::random<amp::float16>(context, y.shape(), 3);
    x.shared()->gradient.reset();
    amp::backward(context, y, g.view());
    CHECK(values(context, x.gradient()) == values(context, gradient(g)));
  };
  same(line, amp::max_pool1d<policy>(tape, line, 3), [&](const auto& g) { return amp::max_pool1d_backward<policy>(context, g, line.value(), 3); });
  same(line, amp::avg_pool1d<policy>(tape, line, 3), [&](const auto& g) { return amp::avg_pool1d_backward<policy>(context, g, line.value(), 3); });
  same(line, amp::adaptive_avg_pool1d<policy>(tape, line, 4), [&](const auto& g) { return amp::adaptive_avg_pool1d_backward<policy>(context, g, line.value(), 4); });
  same(block, amp::max_pool3d<policy>(tape, block, 2), [&](const auto& g) { return amp::max_pool3d_backward<policy>(context, g, block.value(), 2); });
  same(block, amp::avg_pool3d<policy>(tape, block, 2), [&](const auto& g) { return amp::avg_pool3d_backward<policy>(context, g, block.value(), 2); });
  same(block, amp::adaptive_avg_pool3d<policy>(tape, block, 3), [&](const auto& g) { return amp::adaptive_avg_pool3d_backward<policy>(context, g, block.value(), 3); });
}

TEST_CASE("third derivatives of pooling go on: the gradient of a gradient's gradient is the value of what was given") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {1, 6}, 1)), g = tape.leaf(check::random<double>(context, {1, 3}, 2)), v = tape.leaf(check::random<double>(context, {1, 6}, 3));
  const auto u = check::random<double>(context, {1, 3}, 4);
  const auto third = [&](const auto& y) {
    const auto [first] = amp::grad(context, y, g, amp::graph::create, x);
    const auto [second] = amp::grad(context, first, v, amp::graph::create, g);  // the pooling of v
    const auto [last] = amp::grad(context, second, tape.constant(u.view()), amp::graph::free, v);
    return values(context, last);
  };
  CHECK(third(amp::avg_pool1d<policy>(tape, x, 2)) == values(context, amp::avg_pool1d_backward<policy>(context, u, x.value(), 2)));
  CHECK(third(amp::max_pool1d<policy>(tape, x, 2)) == values(context, amp::max_pool1d_backward<policy>(context, u, x.value(), 2)));
}
