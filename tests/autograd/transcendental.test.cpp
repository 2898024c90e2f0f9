#include <amphora/autograd/transcendental.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("exponentials and logarithms of variables have the reference's values, gradients and second derivatives") {
  CHECK(golden::taped_cases(golden::transcendental_file, "exp", [](const auto& tape, const auto& x, const auto&) { return amp::exp<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "expm1", [](const auto& tape, const auto& x, const auto&) { return amp::expm1<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "log", [](const auto& tape, const auto& x, const auto&) { return amp::log<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "log2", [](const auto& tape, const auto& x, const auto&) { return amp::log2<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "log10", [](const auto& tape, const auto& x, const auto&) { return amp::log10<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "log1p", [](const auto& tape, const auto& x, const auto&) { return amp::log1p<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "softplus", [](const auto& tape, const auto& x, const auto& c) {
    return amp::softplus<policy>(tape, x, c.option("beta").template get<double>(), c.option("threshold").template get<double>());
  }) == 7);
}

TEST_CASE("gradients of sensitive ops of variables have the bits of the explicit ones, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 50}, 1));
  const auto g = check::random<float>(context, {3, 50}, 2);
  const auto same = [&](const auto& y, const auto& gradient) {
    static_assert(std::is_same_v<typename std::decay_t<decltype(y)>::value_type, float>);
    auto input = x;
    input.clear_gradient();
    amp::backward(context, y, g.view());
    CHECK(values(context, input.gradient()) == values(context, gradient));
  };
  same(amp::exp<policy>(tape, x), amp::exp_backward<policy>(context, g, x.value()));
  same(amp::softplus<policy>(tape, x, 2, 1), amp::softplus_backward<policy>(context, g, x.value(), 2, 1));
  same(amp::tan<policy>(tape, x), amp::tan_backward<policy>(context, g, x.value()));
  same(amp::pow<policy>(tape, x, 2), amp::pow_backward<policy>(context, g, x.value(), 2));
  same(amp::pow<policy>(tape, 2, x), amp::pow_backward<policy>(context, g, 2, x.value()));
}
