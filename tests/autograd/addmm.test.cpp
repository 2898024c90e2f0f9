#include <amphora/autograd/addmm.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("the gradients of addmv, addr, addbmm and baddbmm of variables have the bits of the explicit ones, in the formats of the operands") {
  test_context context;
  const amp::tape tape(context);
  const auto same = [&](const auto& call, const auto& explicitly, const amp::shape& of_x, const amp::shape& of_a, const amp::shape& of_b, const amp::shape& of_y) {
    const auto x = tape.leaf(check::random<float>(context, of_x, 1)), a = tape.leaf(check::random<float>(context, of_a, 2));
    const auto b = tape.leaf(check::random<amp::float16>(context, of_b, 3));
    const auto g = check::random<amp::float16>(context, of_y, 4);
    amp::backward(context, call(x, a, b), g.view());
    const auto direct = explicitly(g, x.value(), a.value(), b.value());
    CHECK(values(context, x.gradient()) == values(context, direct.first));
    CHECK(values(context, a.gradient()) == values(context, direct.second));
    CHECK(values(context, b.gradient()) == values(context, direct.third));
  };
  same([&](const auto&... x) { return amp::addmv<policy>(tape, x..., 0.5, 2); }, [&](const auto&... x) { return amp::addmv_backward<policy>(context, x..., 0.5, 2); }, {3}, {3, 7}, {7}, {3});
  same([&](const auto&... x) { return amp::addr<policy>(tape, x..., 0.5, 2); }, [&](const auto&... x) { return amp::addr_backward<policy>(context, x..., 0.5, 2); }, {5}, {3}, {5}, {3, 5});
  same([&](const auto&... x) { return amp::addbmm<policy>(tape, x..., 0.5, 2); }, [&](const auto&... x) { return amp::addbmm_backward<policy>(context, x..., 0.5, 2); }, {3, 1}, {2, 3, 7}, {2, 7, 5}, {3, 5});
  same([&](const auto&... x) { return amp::baddbmm<policy>(tape, x..., 0.5, 2); }, [&](const auto&... x) { return amp::baddbmm_backward<policy>(context, x..., 0.5, 2); }, {2, 1, 5}, {2, 3, 7}, {2, 7, 5}, {2, 3, 5});
}

TEST_CASE("a shape that does not fit is named with the call, before anything is recorded") {
  test_context context;
  const amp::tape tape(context);
  const auto leaf = [&](const amp::shape& s) { return tape.leaf(check::random<float>(context, s, 1)); };
  CHECK_THROWS_WITH_AS(amp::addmm<policy>(tape, leaf({4}), leaf({3, 7}), leaf({7, 5})), doctest::Contains("addmm"), amp::error);
  CHECK_THROWS_WITH_AS(amp::addmv<policy>(tape, leaf({3}), leaf({3, 7}), leaf({6})), doctest::Contains("addmv"), amp::error);
  CHECK_THROWS_WITH_AS(amp::baddbmm<policy>(tape, leaf({2, 3, 5}), leaf({2, 3, 7}), leaf({3, 7, 5})), doctest::Contains("baddbmm"), amp::error);
}
