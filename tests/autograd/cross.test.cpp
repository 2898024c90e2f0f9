#include <amphora/autograd/cross.hpp>

#include <autograd/indexing_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cross of variables has the reference's values, gradients and second derivatives, broadcast or not") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("widening.json", {"cross"})) {
    const int axis = c.option("dim");
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::cross<policy>(tape, a, b, axis); }, "input", "other");
  }
  CHECK(second == 6);
  check::second_slopes(context, check::random<double>(context, {2, 3, 1}, 1), check::random<double>(context, {3, 4}, 2), check::random<double>(context, {2, 3, 4}, 3), check::random<double>(context, {3, 4}, 4),
                       [](const auto& tape, const auto& a, const auto& b) { return amp::cross<policy>(tape, a, b, 1); },
                       [&](const auto& g, const auto& a, const auto& b) { return amp::cross_backward<policy>(context, g, a, b, 1).second; });
}
