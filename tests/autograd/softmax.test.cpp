#include <amphora/autograd/softmax.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

template <class X>
auto softmax_of(const std::string& op, const amp::tape<test_context>& tape, const X& x, const golden::test_case& c) {
  if (op == "logsumexp") return amp::logsumexp<policy>(tape, x, golden::axes_of(c));
  const int axis = c.option("dim");
  return op == "softmax" ? amp::softmax<policy>(tape, x, axis) : op == "softmin" ? amp::softmin<policy>(tape, x, axis) : amp::log_softmax<policy>(tape, x, axis);
}

}  // namespace

TEST_CASE("softmax, log_softmax, softmin and logsumexp of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"softmax", "log_softmax", "softmin", "logsumexp"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return softmax_of(c.data.at("op"), tape, x, c); }, "input");
  CHECK(second == 3 * 14 + 12);
}

TEST_CASE("gradients of softmax and its kin of variables have the bits of the explicit ones, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  auto x = tape.leaf(check::random<amp::float16>(context, {3, 50, 4}, 1));
  const auto g = check::random<float>(context, {3, 50, 4}, 2), line = check::random<float>(context, {3, 4}, 3);
  const auto same = [&](const auto& y, const auto& upstream, const auto& gradient) {
    static_assert(std::is_same_v<typename std::decay_t<decltype(y)>::value_type, float>);
    x.clear_gradient();
    amp::backward(context, y, upstream.view());
    CHECK(values(context, x.gradient()) == values(context, gradient));
  };
  same(amp::softmax<policy>(tape, x, 1), g, amp::softmax_backward<policy>(context, g, x.value(), 1));
  same(amp::log_softmax<policy>(tape, x), g, amp::log_softmax_backward<policy>(context, g, x.value()));
  same(amp::softmin<policy>(tape, x, 0), g, amp::softmin_backward<policy>(context, g, x.value(), 0));
  same(amp::logsumexp<policy>(tape, x, amp::axes{1}), line, amp::logsumexp_backward<policy>(context, line, x.value(), amp::axes{1}));
}

TEST_CASE("second derivatives of softmax and its kin hold along every axis, and are written in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = check::random<double>(context, {3, 5, 2}, 1), g = check::random<double>(context, {3, 5, 2}, 2), v = check::random<double>(context, {3, 5, 2}, 3);
  for (int axis = 0; axis < 3; ++axis) {
    const auto by_itself = [&](const auto& function, const auto& gradient) {
      check::second_slopes(context, check::filled<double>(context, {}, 1), check::copied(context, x.view()), check::copied(context, g.view()), v,
                           [&](const auto& t, const auto&, const auto& b) { return function(t, b); }, [&](const auto& seed, const auto&, const auto& b) { return gradient(seed, b); });
    };
    by_itself([&](const auto& t, const auto& b) { return amp::softmax<policy>(t, b, axis); }, [&](const auto& s, const auto& b) { return amp::softmax_backward<policy>(context, s, b, axis); });
    by_itself([&](const auto& t, const auto& b) { return amp::log_softmax<policy>(t, b, axis); },
              [&](const auto& s, const auto& b) { return amp::log_softmax_backward<policy>(context, s, b, axis); });
    by_itself([&](const auto& t, const auto& b) { return amp::softmin<policy>(t, b, axis); }, [&](const auto& s, const auto& b) { return amp::softmin_backward<policy>(context, s, b, axis); });
  }
  const auto low = tape.leaf(check::random<amp::float16>(context, {4, 9}, 4));
  const auto [first] = amp::grad(context, amp::softmax<policy>(tape, low), tape.constant(check::random<float>(context, {4, 9}, 5)), amp::graph::create, low);
  const auto [second] = amp::grad(context, first, tape.constant(check::filled(context, {4, 9}, amp::float16(0.5f))), amp::graph::free, low);
  static_assert(std::is_same_v<std::decay_t<decltype(second)>::value_type, amp::float16>);
  for (double slope : values(context, second)) CHECK(std::fabs(slope) <= amp::f32::unit_roundoff);  // a softmax sums to 1 whatever its logits are
}
