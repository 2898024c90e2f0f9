#include <amphora/autograd/scope.hpp>

#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using mixed = amp::o1<amp::f16>;

TEST_CASE("a scope over a context has the products by name, with the bits of the calls; over a tape it records them") {
  test_context context;
  const amp::tape tape(context);
  const auto a = check::random<float>(context, {4, 6}, 1), b = check::random<float>(context, {6, 6}, 2), row = check::random<float>(context, {6}, 3), wide = check::random<float>(context, {24, 6}, 4),
             w = check::random<float>(context, {2, 6, 6}, 5), batch = check::random<float>(context, {3, 4, 6}, 6), batches = check::random<float>(context, {3, 6, 6}, 7), column = check::random<float>(context, {4}, 8);
  const auto leaf = [&](const auto& x) { return tape.leaf(amp::cast<amp::f32>(context, x)); };
  const auto x = leaf(a), y = leaf(b), r = leaf(row), gates = leaf(wide), z = leaf(w), p = leaf(batch), q = leaf(batches), c = leaf(column);
  const amp::scope<mixed, test_context> direct(context);
  const amp::scope<mixed, const amp::tape<test_context>> taped(tape);
  const auto same = [&](const auto& value, const auto& recorded) {
    CHECK(values(context, value) == values(context, recorded));
    CHECK(recorded.needs_gradient());
  };
  same(direct.mm(a, b), taped.mm(x, y)), same(direct.bmm(batch, batches), taped.bmm(p, q)), same(direct.mv(a, row), taped.mv(x, r)), same(direct.dot(row, row), taped.dot(r, r));
  same(direct.vdot(row, row), taped.vdot(r, r)), same(direct.vecdot(a, row), taped.vecdot(x, r));
  same(direct.addmm(row, a, b, 0.5, 2), taped.addmm(r, x, y, 0.5, 2)), same(direct.addmv(column, a, row), taped.addmv(c, x, r)), same(direct.addr(a, column, row), taped.addr(x, c, r));
  same(direct.addbmm(a, batch, batches), taped.addbmm(x, p, q)), same(direct.baddbmm(a, batch, batches), taped.baddbmm(x, p, q));
  same(direct.einsum("ij,jk->ki", a, b), taped.einsum("ij,jk->ki", x, y)), same(direct.tensordot(a, b, 1), taped.tensordot(x, y, 1));
  same(direct.multi_dot(a, b, b), taped.multi_dot(x, y, y)), same(direct.chain_matmul(a, b, b), taped.chain_matmul(x, y, y)), same(direct.bilinear(a, a, w), taped.bilinear(x, x, z));
  same(direct.scaled_dot_product_attention(a, b, b, amp::no_mask{}, amp::attention_settings{true}), taped.scaled_dot_product_attention(x, y, y, amp::no_mask{}, amp::attention_settings{true}));
  same(direct.rnn_tanh_cell(a, a, b, b), taped.rnn_tanh_cell(x, x, y, y)), same(direct.rnn_relu_cell(a, a, b, b), taped.rnn_relu_cell(x, x, y, y));
  const auto state = direct.lstm_cell(a, a, a, wide, wide);
  const auto recorded = taped.lstm_cell(x, x, x, gates, gates);
  same(state.hx, recorded.hx), same(state.cx, recorded.cx);
  const amp::view<const float> eighteen(wide.data(), {18, 6});
  same(direct.gru_cell(a, a, eighteen, eighteen), taped.gru_cell(x, x, tape.leaf(amp::cast<amp::f32>(context, eighteen)), tape.constant(eighteen)));
}
