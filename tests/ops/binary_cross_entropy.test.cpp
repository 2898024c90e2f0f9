#include <amphora/ops/binary_cross_entropy.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

static_assert(amp::is_allowed_v<amp::o1<amp::f16>, amp::op::binary_cross_entropy, amp::f32, amp::f32>, "a float from its inputs on");
static_assert(!amp::is_allowed_v<amp::o1<amp::f16>, amp::op::binary_cross_entropy, amp::f16, amp::f32> && !amp::is_allowed_v<amp::o0<>, amp::op::binary_cross_entropy, amp::bf16, amp::f32>);
static_assert(std::is_same_v<decltype(amp::binary_cross_entropy<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>);

namespace {

/// Calls go(weights, positive) with those arrays that a case has.
template <class T, class Go> void with_weights(test_context& context, const golden::test_case& c, const Go& go) {
  const auto array = [&](const char* name) { return c.input(name).template to<T>(context); };
  if (c.has("weight") && c.has("pos_weight")) go(array("weight"), array("pos_weight"));
  else if (c.has("weight")) go(array("weight"), amp::no_weights{});
  else if (c.has("pos_weight")) go(amp::no_weights{}, array("pos_weight"));
  else go(amp::no_weights{}, amp::no_weights{});
}

template <class Setting> int run_logits() {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("binary_cross_entropy_with_logits")) {
    ++run;
    const amp::reduction r = golden::reduction_of(c);
    const auto x = c.input("input").to<T>(context), t = c.input("target").to<T>(context);
    const double size = 16 * (1 + c.input("input").largest()), n = static_cast<double>(c.input("input").values.size());
    with_weights<T>(context, c, [&](const auto& w, const auto& p) {
      const auto y = amp::binary_cross_entropy_with_logits<P>(context, x, t, r, w, p);
      golden::compare(context, c.name(), y, c.output(), Setting::roundoff, n * size, n);
      const auto [gx, gt] = amp::binary_cross_entropy_with_logits_backward<P>(context, golden::upstream<std::remove_const_t<decltype(y)>>(context, c), x, t, r, w, p);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), Setting::roundoff, 16 * c.grad_output().largest(), n);
      golden::compare(context, c.name() + " t", gt, c.gradient("target"), Setting::roundoff, size * c.grad_output().largest(), n);
    });
  }
  return run;
}
template <class Setting> int run_probabilities() {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("binary_cross_entropy")) {
    ++run;
    const amp::reduction r = golden::reduction_of(c);
    const auto x = c.input("input").to<T>(context), t = c.input("target").to<T>(context);
    const double n = static_cast<double>(c.input("input").values.size());
    with_weights<T>(context, c, [&](const auto& w, const auto&) {
      const auto y = amp::binary_cross_entropy<P>(context, x, t, r, w);
      golden::compare(context, c.name(), y, c.output(), Setting::roundoff, n * 200, n);
      const auto [gx, gt] = amp::binary_cross_entropy_backward<P>(context, golden::upstream<std::remove_const_t<decltype(y)>>(context, c), x, t, r, w);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), Setting::roundoff, c.gradient("input").largest(), n);
      golden::compare(context, c.name() + " t", gt, c.gradient("target"), Setting::roundoff, 16 * c.grad_output().largest(), n);
    });
  }
  return run;
}

}  // namespace

TEST_CASE("binary cross entropy of logits and its gradients agree with the reference in every format, and are finite where mathematics is") {
  CHECK(run_logits<golden::setting<amp::o0<>, amp::f64>>() == 15);
  CHECK(run_logits<golden::setting<amp::o1<amp::f16>, amp::f32>>() == 15);
  CHECK(run_logits<golden::setting<amp::o1<amp::f16>, amp::f16>>() == 15);
  CHECK(run_logits<golden::setting<amp::o2<amp::bf16>, amp::bf16>>() == 15);
}

TEST_CASE("binary cross entropy of probabilities and its gradients agree with the reference, in f32 and f64 alone") {
  CHECK(run_probabilities<golden::setting<amp::o0<>, amp::f64>>() == 9);
  CHECK(run_probabilities<golden::setting<amp::o1<amp::f16>, amp::f32>>() == 9);
}
