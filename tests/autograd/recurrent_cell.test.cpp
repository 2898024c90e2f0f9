#include <amphora/autograd/gru_cell.hpp>
#include <amphora/autograd/lstm_cell.hpp>
#include <amphora/autograd/rnn_cell.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cells of plain networks and of gated units of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_rnn.json", {"rnn_tanh_cell", "rnn_relu_cell", "gru_cell"})) {
    const std::string op = c.data.at("op");
    const auto function = [&](const auto& tape, const auto&... x) {
      return op == "gru_cell" ? amp::gru_cell<policy>(tape, x...) : op == "rnn_tanh_cell" ? amp::rnn_tanh_cell<policy>(tape, x...) : amp::rnn_relu_cell<policy>(tape, x...);
    };
    if (c.has("b_ih")) second += golden::taped(context, c, function, "input", "hx", "w_ih", "w_hh", "b_ih", "b_hh");
    else second += golden::taped(context, c, function, "input", "hx", "w_ih", "w_hh");
  }
  CHECK(second == 22);
}

TEST_CASE("lstm_cell of variables has the reference's state and memory, gradients and second derivatives of both") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_rnn.json", {"lstm_cell"})) {
    const bool has_bias = c.has("b_ih");
    const amp::tape tape(context);
    const double terms = golden::product_of_largest(c);
    const auto leaf = [&](const golden::json& j) { return tape.leaf(golden::array(j).to<double>(context)); };
    const auto& in = c.data["inputs"];
    const golden::double_variable x = leaf(in["input"]), h = leaf(in["hx"]), m = leaf(in["cx"]), wi = leaf(in["w_ih"]), wh = leaf(in["w_hh"]), none;
    const golden::double_variable bi = has_bias ? leaf(in["b_ih"]) : none, bh = has_bias ? leaf(in["b_hh"]) : none;
    const auto [hidden, memory] = has_bias ? amp::lstm_cell<policy>(tape, x, h, m, wi, wh, bi, bh) : amp::lstm_cell<policy>(tape, x, h, m, wi, wh);
    golden::compare_taped(context, c.name() + " hx", hidden, golden::array(c.data["outputs"]["hx"]), terms);
    golden::compare_taped(context, c.name() + " cx", memory, golden::array(c.data["outputs"]["cx"]), terms);
    const golden::double_variable gh = leaf(c.data["grad_outputs"]["hx"]), gc = leaf(c.data["grad_outputs"]["cx"]);
    const auto all = [&](const auto& gradients, const golden::json& want, const std::string& what, std::initializer_list<const char*> names) {
      std::size_t i = 0;
      for (const char* name : names) {
        if (want.contains(name)) golden::compare_taped(context, c.name() + what + name, gradients[i], golden::array(want.at(name)), terms);
        ++i;
      }
    };
    const auto array_of = [](const auto&... g) { return std::vector<golden::double_variable>{g...}; };
    const auto by = [&](const auto& values, const auto& seeds, amp::graph after, const auto&... more) {
      return has_bias ? std::apply(array_of, amp::grad(context, values, seeds, after, x, h, m, wi, wh, bi, bh, more...)) : std::apply(array_of, amp::grad(context, values, seeds, after, x, h, m, wi, wh, x, x, more...));
    };
    const auto written = by(std::tie(hidden, memory), std::tie(gh, gc), amp::graph::keep), first = by(std::tie(hidden, memory), std::tie(gh, gc), amp::graph::create);
    all(written, c.data["grads"], " ", {"input", "hx", "cx", "w_ih", "w_hh", "b_ih", "b_hh"});
    all(first, c.data["grads"], " to be differentiated, ", {"input", "hx", "cx", "w_ih", "w_hh", "b_ih", "b_hh"});
    const auto v = tape.constant(golden::array(c.data["second"]["v"]).to<double>(context));
    const auto again = by(std::tie(first[0]), std::tie(v), amp::graph::free, gh, gc);
    all(again, c.data["second"]["grads"], " second, ", {"input", "hx", "cx", "w_ih", "w_hh", "b_ih", "b_hh", "grad_outputs.hx", "grad_outputs.cx"});
    ++second;
  }
  CHECK(second == 7);
}

TEST_CASE("the gradients of cells of variables have the bits of their explicit backward, in the operands' formats and in memory of the caller's") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {5, 7}, 1));
  const auto h = tape.leaf(check::random<amp::float16>(context, {5, 6}, 2));
  const auto wi = check::random<amp::float16>(context, {18, 7}, 3), wh = check::random<amp::float16>(context, {18, 6}, 4);
  auto sink = check::filled<float>(context, {18, 7}, 9);
  const auto w = tape.leaf(wi.view(), sink.view());
  const auto b = tape.leaf(check::random<float>(context, {18}, 5));
  const auto g = check::random<amp::float16>(context, {5, 6}, 6);
  amp::backward(context, amp::gru_cell<policy>(tape, x, h, w, tape.constant(wh), b), g.view());
  const auto of = amp::gru_cell_backward<policy>(context, g, x.value(), h.value(), wi, wh, b.value());
  CHECK(values(context, x.gradient()) == values(context, of.x));
  CHECK(values(context, h.gradient()) == values(context, of.hx));
  amp::tensor<float, test_context> direct(context, {18, 7}), bias(context, {18});
  const amp::no_gradient none;
  amp::gru_cell_backward<policy>(context, g, x.value(), h.value(), wi, wh, b.value(), amp::no_bias{}, none, none, amp::into(direct), none, amp::into(bias), none);
  CHECK(values(context, sink) == values(context, direct));
  CHECK(values(context, b.gradient()) == values(context, bias));
}

TEST_CASE("steps of an LSTM follow each other on a tape, and the last state alone has gradients: those of the steps made one by one") {
  test_context context;
  const amp::tape tape(context);
  const auto x0 = check::random<double>(context, {2, 3}, 1), x1 = check::random<double>(context, {2, 3}, 2), h0 = check::random<double>(context, {2, 4}, 3), c0 = check::random<double>(context, {2, 4}, 4);
  const auto wi = tape.leaf(check::random<double>(context, {16, 3}, 5)), wh = tape.leaf(check::random<double>(context, {16, 4}, 6));
  const auto one = amp::lstm_cell<policy>(tape, tape.constant(x0), tape.constant(h0), tape.constant(c0), wi, wh);
  const auto two = amp::lstm_cell<policy>(tape, tape.constant(x1), one.hx, one.cx, wi, wh);
  const auto g = check::random<double>(context, {2, 4}, 7), zero = check::filled<double>(context, {2, 4}, 0);
  amp::backward(context, two.hx, g.view());
  const auto last = amp::lstm_cell_backward<policy>(context, g, zero, x1, one.hx.value(), one.cx.value(), wi.value(), wh.value());
  const auto before = amp::lstm_cell_backward<policy>(context, last.hx, last.cx, x0, h0, c0, wi.value(), wh.value());
  const auto sum = values(context, wh.gradient()), a = values(context, last.w_hh), b = values(context, before.w_hh);
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::fabs(sum[i] - (a[i] + b[i])) <= 1e-14);
}
