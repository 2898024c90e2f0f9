#include <amphora/autograd/movement.hpp>

#include <autograd/indexing_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// An op that is linear in x: its gradient is the explicit one, and the gradients of ⟨that, v⟩ are the slopes that this has.
template <class Function, class Gradient>
void linear_in(test_context& context, const amp::shape& s, const Function& function, const Gradient& gradient) {
  const amp::tape<test_context> tape(context);
  const auto x = tape.leaf(check::random<double>(context, s, 1));
  const auto y = function(tape, x);
  const auto g = check::random<double>(context, y.shape(), 2), v = check::random<double>(context, s, 3);
  const auto seed = tape.leaf(check::copied(context, g.view()));
  const auto [gx] = amp::grad(context, y, seed, amp::graph::create, x);
  CHECK(check::equal_bits(context, check::copied(context, gx.value()), gradient(g)));
  const auto [by_x, by_g] = amp::grad(context, gx, tape.leaf(check::copied(context, v.view())), amp::graph::create, x, seed);
  CHECK(!by_x);
  auto varied = check::copied(context, g.view());
  check::slopes(context, [&] { return check::dot(context, v, gradient(varied)); }, varied, check::copied(context, by_g.value()));
  const auto third = tape.leaf(check::random<double>(context, y.shape(), 4));  // and so on
  const auto w = tape.leaf(check::copied(context, v.view()));
  const auto [again] = amp::grad(context, gx, w, amp::graph::create, seed);
  const auto [back] = amp::grad(context, again, third, amp::graph::free, w);
  CHECK(check::equal_bits(context, check::copied(context, back.value()), gradient(check::random<double>(context, y.shape(), 4))));
}

}  // namespace

TEST_CASE("permute, transpose and slice of variables have the explicit gradients, and derivatives of any order") {
  test_context context;
  const amp::shape s{3, 4, 5};
  const auto like = check::random<double>(context, s, 1);
  linear_in(context, s, [](const auto& tape, const auto& x) { return amp::permute<policy>(tape, x, {2, 0, 1}); }, [&](const auto& g) { return amp::permute_backward<policy>(context, g, like, {2, 0, 1}); });
  linear_in(context, s, [](const auto& tape, const auto& x) { return amp::transpose<policy>(tape, x); }, [&](const auto& g) { return amp::transpose_backward<policy>(context, g, like); });
  linear_in(context, s, [](const auto& tape, const auto& x) { return amp::slice<policy>(tape, x, 1, 1, 4, 2); }, [&](const auto& g) { return amp::slice_backward<policy>(context, g, like, 1, 1, 4, 2); });
  linear_in(context, s, [](const auto& tape, const auto& x) { return amp::slice<policy>(tape, x, 0, 0, 3); }, [&](const auto& g) { return amp::slice_backward<policy>(context, g, like, 0, 0, 3); });
}

TEST_CASE("pad of variables has the reference's values, gradients and second derivatives, in all modes of any order") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("transparent_indexing.json", {"pad"})) {
    amp::pad_settings settings{};
    for (std::int64_t each : c.option("pad")) settings.amount[settings.count++] = each;
    const std::string mode = c.option("mode");
    settings.mode = mode == "reflect" ? amp::pad_mode::reflect : mode == "replicate" ? amp::pad_mode::replicate : mode == "circular" ? amp::pad_mode::circular : amp::pad_mode::constant;
    if (settings.mode == amp::pad_mode::constant) settings.value = golden::number(c.option("value"));
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::pad<policy>(tape, x, settings); }, "input");
  }
  CHECK(second == 40);
  const amp::shape s{2, 5, 4};
  const auto like = check::random<double>(context, s, 1);
  for (const amp::pad_mode mode : {amp::pad_mode::constant, amp::pad_mode::reflect, amp::pad_mode::replicate, amp::pad_mode::circular}) {
    const amp::pad_settings settings{{2, 1, -1, 3}, mode, 0.0};
    linear_in(context, s, [&](const auto& tape, const auto& x) { return amp::pad<policy>(tape, x, settings); }, [&](const auto& g) { return amp::pad_backward<policy>(context, g, like, settings); });
  }
}
