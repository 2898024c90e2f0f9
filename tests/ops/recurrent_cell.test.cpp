#include <amphora/ops/gru_cell.hpp>
#include <amphora/ops/lstm_cell.hpp>
#include <amphora/ops/rnn_cell.hpp>

#include <amphora/ops/cast.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace {

/// How large what is added on the way of a cell can be: up to a gate, and back from it.
struct bounds {
  double forward, back, n;
  explicit bounds(const golden::test_case& c) {
    const double x = c.input("input").largest(), h = c.input("hx").largest(), wi = c.input("w_ih").largest(), wh = c.input("w_hh").largest(), in = static_cast<double>(c.input("input").shape[1]);
    const double hidden = static_cast<double>(c.input("hx").shape[1]), memory = c.has("cx") ? c.input("cx").largest() : 0, bias = c.has("b_ih") ? c.input("b_ih").largest() + c.input("b_hh").largest() : 0;
    forward = (1 + memory + h) * (1 + in * x * wi + hidden * h * wh + bias);
    double g = 0;
    for (const auto& entry : c.data.at("grad_outputs").items()) g += golden::array(entry.value()).largest();
    back = 4 * (hidden + static_cast<double>(c.input("input").shape[0])) * g * forward * (1 + x + h + wi + wh);
    n = in + hidden;
  }
};
template <class Gradients> void compare_gradients(test_context& context, const golden::test_case& c, const Gradients& g, double roundoff, double cast, const bounds& b) {
  const auto one = [&](const auto& got, const char* name) { golden::compare(context, c.name() + " " + name, got, c.gradient(name), roundoff, b.back, b.n, cast * b.back); };
  one(g.x, "input"), one(g.hx, "hx"), one(g.w_ih, "w_ih"), one(g.w_hh, "w_hh");
  if (c.has("b_ih")) one(g.b_ih, "b_ih"), one(g.b_hh, "b_hh");
}
/// Calls f(setting, x, hx, w_ih, w_hh, biases…) in the formats where the arithmetic differs.
template <class Function> int in_settings(test_context& context, const golden::test_case& c, const Function& f) {
  int run = 0;
  const auto in = [&](auto s) {
    using T = typename decltype(s)::input;
    for (const auto& entry : c.data.at("inputs").items())
      if (!golden::array(entry.value()).is_exact_in<T>()) return;
    ++run;
    const auto of = [&](const char* name) { return c.input(name).to<T>(context); };
    if (c.has("b_ih")) f(s, of("input"), of("hx"), of("w_ih"), of("w_hh"), of("b_ih"), of("b_hh"));
    else f(s, of("input"), of("hx"), of("w_ih"), of("w_hh"));
  };
  in(golden::setting<amp::o0<>, amp::f64>{}), in(golden::setting<amp::o0<>, amp::f32>{}), in(golden::setting<amp::o1<amp::f16>, amp::f16>{});
  return run;
}
template <class Setting> constexpr double cast_of() { return amp::compute_t<typename Setting::policy, amp::op::gru_cell, amp::format_of_t<typename Setting::input>>::unit_roundoff * 1.01; }

}  // namespace

TEST_CASE("cells of plain recurrent networks and of gated units agree with the reference, and so do their gradients") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_rnn.json", {"rnn_tanh_cell", "rnn_relu_cell", "gru_cell"})) {
    const std::string op = c.data.at("op");
    const bounds b(c);
    run += in_settings(context, c, [&](auto s, const auto&... x) {
      using setting = decltype(s);
      using P = typename setting::policy;
      const auto y = op == "gru_cell" ? amp::gru_cell<P>(context, x...) : op == "rnn_tanh_cell" ? amp::rnn_tanh_cell<P>(context, x...) : amp::rnn_relu_cell<P>(context, x...);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, b.forward, b.n);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto of = op == "gru_cell" ? amp::gru_cell_backward<P>(context, g, x...) : op == "rnn_tanh_cell" ? amp::rnn_tanh_cell_backward<P>(context, g, x...) : amp::rnn_relu_cell_backward<P>(context, g, x...);
      compare_gradients(context, c, of, setting::roundoff, cast_of<setting>(), b);
    });
  }
  CHECK(run >= 60);
}

TEST_CASE("lstm_cell agrees with the reference in state and memory, and so do its gradients") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_rnn.json", {"lstm_cell"})) {
    const bounds b(c);
    run += in_settings(context, c, [&](auto s, const auto& x, const auto& h, const auto&... rest) {
      using setting = decltype(s);
      using P = typename setting::policy;
      using T = typename setting::input;
      const auto cx = c.input("cx").template to<T>(context);
      const auto [hidden, memory] = amp::lstm_cell<P>(context, x, h, cx, rest...);
      golden::compare(context, c.name() + " hx", hidden, golden::array(c.data["outputs"]["hx"]), setting::roundoff, b.forward, b.n);
      golden::compare(context, c.name() + " cx", memory, golden::array(c.data["outputs"]["cx"]), setting::roundoff, b.forward, b.n);
      const auto gh = golden::array(c.data["grad_outputs"]["hx"]).template to<T>(context), gc = golden::array(c.data["grad_outputs"]["cx"]).template to<T>(context);
      const auto of = amp::lstm_cell_backward<P>(context, gh, gc, x, h, cx, rest...);
      compare_gradients(context, c, of, setting::roundoff, cast_of<setting>(), b);
      golden::compare(context, c.name() + " cx", of.cx, c.gradient("cx"), setting::roundoff, b.back, b.n);
    });
  }
  CHECK(run >= 18);
}

TEST_CASE("cells have the bits of calls on operands that were cast by hand; gradients go where they are wanted, and add") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto x = check::random<float>(context, {5, 7}, 1), h = check::random<float>(context, {5, 11}, 2), wi = check::random<float>(context, {33, 7}, 3), wh = check::random<float>(context, {33, 11}, 4),
             b = check::random<float>(context, {33}, 5);
  const auto low = [&](const auto& t) { return amp::cast<amp::f16>(context, t); };
  CHECK(check::equal_bits(context, amp::gru_cell<mixed>(context, x, h, wi, wh, b, b), amp::gru_cell<amp::policy<>>(context, low(x), low(h), low(wi), low(wh), low(b), low(b))));
  const auto g = check::random<amp::float16>(context, {5, 11}, 6);
  auto of = amp::gru_cell_backward<mixed>(context, g, x, h, wi, wh, b, b);
  const auto by_hand = amp::gru_cell_backward<amp::policy<>>(context, g, low(x), low(h), low(wi), low(wh), low(b), low(b));
  CHECK(check::equal_bits(context, low(of.hx), by_hand.hx));
  CHECK(check::equal_bits(context, low(of.w_hh), by_hand.w_hh));
  CHECK(check::equal_bits(context, low(of.b_ih), by_hand.b_ih));
  const auto once = amp::wait_read(context, of.hx);
  const amp::no_gradient none;
  amp::gru_cell_backward<mixed>(context, g, x, h, wi, wh, b, b, none, amp::add_to(of.hx), none, none, none, none);
  const auto twice = amp::wait_read(context, of.hx);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
}

TEST_CASE("sizes of a cell that do not fit are refused, and nothing is written") {
  test_context context;
  const golden::tensor<float> x(context, {2, 3}), h(context, {2, 4}), wi(context, {12, 3}), wh(context, {12, 4}), b(context, {4});
  CHECK_THROWS_WITH_AS(amp::lstm_cell<amp::o0<>>(context, x, h, h, wi, wh), doctest::Contains("they are [batch, in], [batch, hidden], [4 hidden, in] and [4 hidden, hidden]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::rnn_tanh_cell<amp::o0<>>(context, x, h, wi, wh), doctest::Contains("weights of shapes [12, 3] and [12, 4]"), amp::error);
  auto wrong = check::filled<float>(context, {2, 4}, 7);
  CHECK_THROWS_WITH_AS(amp::gru_cell<amp::o0<>>(context, amp::into(wrong), x, h, wi, wh, b, b), doctest::Contains("a bias of shape [4] where [12] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(8, 7));
}
