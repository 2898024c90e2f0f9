#include <amphora/autograd/normalization.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// Runs function(tape, x, w or word, b or word) on the case's variables.
template <class Function, class None> int taped(test_context& context, const golden::test_case& c, const Function& f, const None& none) {
  const amp::no_bias bare;
  if (c.has("weight") && c.has("bias")) return golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& w, const auto& b) { return f(tape, x, w, b); }, "input", "weight", "bias");
  if (c.has("weight")) return golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& w) { return f(tape, x, w, bare); }, "input", "weight");
  return golden::taped(context, c, [&](const auto& tape, const auto& x) { return f(tape, x, none, bare); }, "input");
}

}  // namespace

TEST_CASE("layer_norm, rms_norm and group_norm of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_normalization.json", {"layer_norm", "rms_norm", "group_norm"})) {
    const double eps = c.option("eps").is_null() ? amp::machine_epsilon : golden::number(c.option("eps"));
    if (c.data.at("op") == "group_norm") {
      const std::int64_t groups = c.option("num_groups");
      second += taped(context, c, [&](const auto& tape, const auto& x, const auto& w, const auto& b) { return amp::group_norm<policy>(tape, x, groups, w, b, eps); }, amp::no_weight{});
      continue;
    }
    const std::vector<std::int64_t> extents = c.option("normalized_shape");
    const amp::shape over(extents.data(), static_cast<int>(extents.size()));
    const bool centered = c.data.at("op") == "layer_norm";
    second += taped(context, c, [&](const auto& tape, const auto& x, const auto& w, const auto& b) {
      return centered ? amp::layer_norm<policy>(tape, x, w, b, eps) : amp::rms_norm<policy>(tape, x, w, eps);
    }, over);
  }
  CHECK(second == 13 + 11 + 10);
}

TEST_CASE("batch_norm and instance_norm of variables have the reference's value, gradients and second derivatives, in training and in evaluation") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_normalization.json", {"batch_norm", "instance_norm"})) {
    const bool batch = c.data.at("op") == "batch_norm";
    amp::batch_norm_settings settings;
    settings.training = c.option(batch ? "training" : "use_input_stats"), settings.eps = c.option("eps");
    const auto with = [&](const auto& running) {
      second += taped(context, c, [&](const auto& tape, const auto& x, const auto& w, const auto& b) {
        return batch ? amp::batch_norm<policy>(tape, x, running, w, b, settings) : amp::instance_norm<policy>(tape, x, running, w, b, settings);
      }, amp::no_weight{});
    };
    if (c.has("running_mean")) {
      auto mean = c.input("running_mean").to<double>(context), variance = c.input("running_var").to<double>(context);
      with(amp::running_statistics(mean, variance));
    } else {
      with(amp::no_running{});
    }
  }
  CHECK(second > 20);
}

TEST_CASE("the gradients of normalizations of variables have the bits of the explicit ones, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {6, 4, 5}, 1));
  const auto w = tape.leaf(check::random<float>(context, {4}, 2)), b = tape.leaf(check::random<float>(context, {4}, 3)), wide = tape.leaf(check::random<float>(context, {5}, 4));
  const auto g = check::random<float>(context, {6, 4, 5}, 5);
  const auto same = [&](const auto& y, const auto& direct, const auto& weight) {
    amp::backward(context, y, g.view());
    CHECK(values(context, x.gradient()) == values(context, direct.x));
    CHECK(values(context, weight.gradient()) == values(context, direct.w));
    x.shared()->gradient.reset(), weight.shared()->gradient.reset();
  };
  same(amp::layer_norm<policy>(tape, x, wide), amp::layer_norm_backward<policy>(context, g, x.value(), wide.value()), wide);
  same(amp::batch_norm<policy>(tape, x, amp::no_running{}, w, b), amp::batch_norm_backward<policy>(context, g, x.value(), amp::no_running{}, w.value()), w);
  same(amp::group_norm<policy>(tape, x, 2, w, b), amp::group_norm_backward<policy>(context, g, x.value(), 2, w.value()), w);
}

TEST_CASE("the gradients of a weight's gradient are its slopes") {
  test_context context;
  const auto bias = check::random<double>(context, {3}, 9);
  check::second_slopes(context, check::random<double>(context, {4, 3}, 1), check::random<double>(context, {3}, 2), check::random<double>(context, {4, 3}, 3), check::random<double>(context, {3}, 4),
                       [&](const auto& tape, const auto& x, const auto& w) { return amp::layer_norm<policy>(tape, x, w, tape.constant(bias), 0.5); },
                       [&](const auto& g, const auto& x, const auto& w) { return amp::layer_norm_backward<policy>(context, g, x, w, 0.5).w; });
  amp::batch_norm_settings settings;
  settings.eps = 0.5;
  check::second_slopes(context, check::random<double>(context, {4, 3}, 1), check::random<double>(context, {3}, 2), check::random<double>(context, {4, 3}, 3), check::random<double>(context, {3}, 4),
                       [&](const auto& tape, const auto& x, const auto& w) { return amp::batch_norm<policy>(tape, x, amp::no_running{}, w, amp::no_bias{}, settings); },
                       [&](const auto& g, const auto& x, const auto& w) { return amp::batch_norm_backward<policy>(context, g, x, amp::no_running{}, w, settings).w; });
}

TEST_CASE("a running statistic that moves after an evaluation does not move its gradient") {
  test_context context;
  const amp::tape tape(context);
  auto mean = check::filled(context, {2}, 0.5f), variance = check::filled(context, {2}, 4.0f);
  const auto x = tape.leaf(check::random<float>(context, {3, 2}, 1));
  const auto y = amp::batch_norm<policy>(tape, x, amp::running_statistics(mean, variance), amp::no_weight{}, amp::no_bias{}, {false, 0.1, false, 0.0});
  amp::fill(context, variance, 1.0f);
  amp::backward(context, y, check::filled(context, {3, 2}, 1.0f).view());
  CHECK(values(context, x.gradient()) == std::vector<double>(6, 0.5));
}
