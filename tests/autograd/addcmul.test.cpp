#include <amphora/autograd/arithmetic.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

template <class Function>
int second_of_three(const char* op, const Function& function) {
  test_context context;
  int result = 0;
  for (const auto& c : golden::cases(golden::widening_file, {op})) {
    const double value = c.option("value");
    if (value == 0) continue;  // ours then reads nothing of the product
    result += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& a, const auto& b) { return function(tape, x, a, b, value); }, "input", "tensor1", "tensor2");
  }
  return result;
}

}  // namespace

TEST_CASE("atan2, addcmul and addcdiv of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int angles = 0;
  for (const auto& c : golden::cases(golden::widening_file, {"atan2"})) angles += golden::taped(context, c, [](const auto& tape, const auto& a, const auto& b) { return amp::atan2<policy>(tape, a, b); }, "input", "other");
  CHECK(angles == 8);
  CHECK(second_of_three("addcmul", [](const auto& tape, const auto& x, const auto& a, const auto& b, double value) { return amp::addcmul<policy>(tape, x, a, b, value); }) == 10);
  CHECK(second_of_three("addcdiv", [](const auto& tape, const auto& x, const auto& a, const auto& b, double value) { return amp::addcdiv<policy>(tape, x, a, b, value); }) == 10);
}

TEST_CASE("gradients of the last operand can be differentiated too, broadcast or not") {
  test_context context;
  for (const amp::shape& of_b : {amp::shape{3, 4}, amp::shape{4}, amp::shape{3, 1}}) {
    const auto second = [&](const auto& function, const auto& gradient) {
      check::second_slopes(context, check::random<double>(context, {3, 4}, 1), check::random_from(context, of_b, 2, 1), check::random<double>(context, {3, 4}, 3),
                           check::random<double>(context, of_b, 4), function, gradient);
    };
    second([](const auto& tape, const auto& a, const auto& b) { return amp::atan2<policy>(tape, a, b); },
           [&](const auto& g, const auto& a, const auto& b) { return amp::atan2_backward<policy>(context, g, a, b).second; });
    second([](const auto& tape, const auto& a, const auto& b) { return amp::addcmul<policy>(tape, b, a, b, 0.5); },  // twice the same operand
           [&](const auto& g, const auto& a, const auto& b) {
             auto result = amp::addcmul_backward<policy>(context, g, b, a, b, 0.5);
             amp::sub_backward<policy>(context, g, a, b, amp::no_gradient{}, amp::add_to(result.third), -1);
             return std::move(result.third);
           });
    second([](const auto& tape, const auto& a, const auto& b) { return amp::addcdiv<policy>(tape, a, a, b, 0.5); },
           [&](const auto& g, const auto& a, const auto& b) { return amp::addcdiv_backward<policy>(context, g, a, a, b, 0.5).third; });
  }
}
