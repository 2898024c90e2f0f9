// What PyTorch's own tests pin down of its GradScaler, as far as it can be asked of a host: 4 batches of a net of two linear
// layers of size 8, the scaled run beside an unscaled one; start 128, growth 2, interval 1.
//
//  no.  behaviour                                   where
//   1   trajectory 4, 8, 2                          growth.test.cpp
//   2   a flag for one bad element of any tensor    here
//   3   transposed, sliced gradients                views are dense
//   4   f32 and f16 in one list                     here
//   5   two devices in one list                     one context, one device
//   6   "perfect storm"                             here
//   7   sparse gradients                            there are none
//   8   f16 gradients through the public call       here: they are unscaled and nothing is rounded
//   9   order of calls                              here
//  10   state round trip                            scaler.test.cpp, state_text.test.cpp
//  11   saved and restored after every iteration    scaler.test.cpp
//  12   one bad batch: 128 · 2^3 · 0.5              here
//  13   disabled                                    here, scaler.test.cpp
//  14   foreach and fused variants of 12            here: 12 for each rule
//  15   fused and separate unscaling agree          here
//  16   a skip changes no bit                       here
//  17   poisoned between unscaling and step         here
//  18   growth at the end of the range              growth.test.cpp
//  19   clipping scaled gradients by max · scale    does not compile: compile_fail/scaled-gradient.cpp
//  20   clipping after unscaling                    here
//  21   gradient penalty                            here, with its second derivative by hand
//  22   accumulation                                here, scaler.test.cpp
//  23   two models, two losses, two optimizers      here
//  24   the same on two devices                     as 5
//  25   several outputs scaled                      here; containers are the caller's loop
//  26   equality of devices                         a type
//  27   what an optimizer is handed                 a ticket: ticket.test.cpp, outcome.test.cpp
//  28   a replayed graph                            update.test.cpp, optimizer/graph_replay.test.cpp
//  29   several ranks                               no ranks yet
//  30 … 38                                          autocast: tests/ops
//  gaps of PyTorch's: scale 0 (growth.test.cpp B01), interval lowered, setters, new_scale (scaler.test.cpp), a flag of 2
//  (update.test.cpp), closures (compile_fail/closure.cpp), infinite only after unscaling (here)
#include <amphora/error.hpp>                      // error
#include <amphora/optimizer/adam.hpp>             // adam
#include <amphora/optimizer/adamw.hpp>            // adamw
#include <amphora/optimizer/amsgrad.hpp>          // amsgrad
#include <amphora/optimizer/clip_gradients.hpp>   // clip_gradients
#include <amphora/optimizer/global_norm.hpp>      // wait_all_finite
#include <amphora/optimizer/materialize.hpp>      // materialize
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/sgd.hpp>              // sgd
#include <amphora/optimizer/unscale.hpp>          // unscale
#include <amphora/scale/fixed.hpp>                // fixed
#include <amphora/scale/scaler.hpp>               // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace {

using context_type = test_context;
constexpr int size = 8, batches = 4;
const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr amp::growth quick{2, 0.5, 1, 128};

/// Two linear layers and a squared error, with the backward pass by hand: gradients of seed · loss, added to what is there.
struct net {
  device_array<float> w, g, loss;
  explicit net(context_type& context, int variant = 0) : w(context, first_weights(variant)), g(context, 2 * size * size), loss(context, 1) {}
  static std::vector<float> first_weights(int variant) {
    std::vector<float> w(2 * size * size);
    for (int i = 0; i < 2 * size * size; ++i) w[static_cast<std::size_t>(i)] = static_cast<float>((i * 7 + 3 * variant) % 11 - 5) / 16;
    return w;
  }
  amp::parameter_view layer(int which) {
    return {w.data() + which * size * size, nullptr, g.data() + which * size * size, nullptr, {size, size}};
  }
  std::vector<amp::parameter_view> layers() { return {layer(0), layer(1)}; }
  amp::view<float> out() { return amp::view(loss.data()); }
  void clear() { g.set(std::vector<float>(g.size())); }
  void run(int batch, float seed) {
    const std::vector<float> weights = w.get();
    std::vector<float> gradients = g.get();
    const float* first = weights.data();
    const float* second = first + size * size;
    float x[size], h[size] = {}, e[size] = {}, back[size] = {}, sum = 0;
    for (int i = 0; i < size; ++i) x[i] = static_cast<float>((i * 5 + batch * 3) % 7 - 3) / 4;
    for (int o = 0; o < size; ++o)
      for (int i = 0; i < size; ++i) h[o] += first[o * size + i] * x[i];
    for (int o = 0; o < size; ++o) {
      for (int i = 0; i < size; ++i) e[o] += second[o * size + i] * h[i];
      e[o] -= static_cast<float>((o + batch) % 3) / 2;
      sum += e[o] * e[o];
    }
    float* to = gradients.data();
    for (int o = 0; o < size; ++o)
      for (int i = 0; i < size; ++i) {
        to[size * size + o * size + i] += seed * 2 * e[o] * h[i];
        back[i] += seed * 2 * e[o] * second[o * size + i];
      }
    for (int o = 0; o < size; ++o)
      for (int i = 0; i < size; ++i) to[o * size + i] += back[o] * x[i];
    g.set(gradients), loss[0] = sum;
  }
};
/// An array of state that the optimizer keeps on the device.
template <class Optimizer>
std::vector<float> state_of(context_type& context, Optimizer& optimizer, int parameter, int which) {
  return amp::wait_read(context, amp::view<const float>(optimizer.state(parameter, which), {size * size}));
}
template <class Optimizer>
std::vector<float> state_of(context_type& context, Optimizer& optimizer, int states) {
  std::vector<float> all;
  for (int k = 0; k < 2; ++k)
    for (int s = 0; s < states; ++s)
      for (float x : state_of(context, optimizer, k, s)) all.push_back(x);
  return all;
}

struct as_it_is {
  template <class Optimizer, class Gradients> auto operator()(Optimizer& optimizer, context_type& context, Gradients&& gradients) const {
    return optimizer.step(context, std::move(gradients));
  }
};

/// Trains a net with a scaler; batch `bad` has one infinite gradient. Gives the net, the optimizer's state and the scale.
template <class Rule> struct result { std::vector<float> weights, state; std::int64_t taken; float scale; };
template <class Rule, class Step = as_it_is>
result<Rule> train(const Rule& rule, int bad, bool enabled = true, const Step& step = {}) {
  context_type context;
  net model(context);
  amp::mixed_optimizer<Rule, context_type> optimizer(context, rule, model.layers());
  amp::scaler scaler(context, quick, enabled);
  for (int batch = 0; batch < batches; ++batch) {
    model.clear();
    auto loss = scaler.scale(context, model.out());
    model.run(batch, read_device(context, loss.ticket().scale()));
    if (batch == bad) model.g[5] = infinite;
    const auto outcome = step(optimizer, context, amp::scaled(optimizer.gradients(), loss.ticket()));
    CHECK(outcome.wait_result(context) == (batch == bad ? amp::step_result::skipped : amp::step_result::stepped));
    scaler.update(context, outcome);
  }
  return {model.w.get(), state_of(context, optimizer, Rule::states), optimizer.wait_taken(context), scaler.wait_scale(context)};
}
/// The same without any scaling, the bad batch left out.
template <class Rule>
result<Rule> control(const Rule& rule, int bad) {
  context_type context;
  net model(context);
  amp::mixed_optimizer<Rule, context_type> optimizer(context, rule, model.layers());
  for (int batch = 0; batch < batches; ++batch) {
    if (batch == bad) continue;
    model.clear(), model.run(batch, 1);
    (void)optimizer.step(context, optimizer.gradients());
  }
  return {model.w.get(), state_of(context, optimizer, Rule::states), optimizer.wait_taken(context), 1};
}
/// Scales are powers of two here, so that nothing but the last bits may differ; PyTorch's tests allow 1e-3.
template <class Rule>
void agree(const result<Rule>& a, const result<Rule>& b) {
  REQUIRE(a.weights.size() == b.weights.size());
  for (std::size_t i = 0; i < a.weights.size(); ++i) CHECK(a.weights[i] == doctest::Approx(b.weights[i]).epsilon(1e-6));
  REQUIRE(a.state.size() == b.state.size());
  for (std::size_t i = 0; i < a.state.size(); ++i) CHECK(a.state[i] == doctest::Approx(b.state[i]).epsilon(1e-6));
  CHECK(a.taken == b.taken);
}

}  // namespace

TEST_CASE("PyTorch 2: gradients of 4 with a scale of 4 are ones; one bad element of any tensor raises the flag") {
  context_type context;
  amp::scaler scaler(context, amp::fixed{4});
  for (float bad : {0.0f, infinite, -infinite, not_a_number}) {
    device_array<float> a(context, 10, 4), b(context, 7, 4);
    if (bad != 0) b[3] = bad;
    const std::vector<amp::gradient_view> list{a.view(), b.view()};
    const auto gradients = amp::unscale(context, amp::scaled(list, scaler.ticket(context)));
    CHECK(amp::wait_all_finite(context, gradients) == (bad == 0));
    device_array<float> true_a(context, 10), true_b(context, 7);
    amp::materialize(context, gradients, {true_a.view(), true_b.view()});
    for (float x : true_a.get()) CHECK(x == 1);
  }
}

TEST_CASE("PyTorch 4, 6 and 8: f32 and f16 in one list, with a bad element in each position in turn") {
  context_type context;
  amp::scaler scaler(context, amp::fixed{4});
  for (int at = -1; at < 4; ++at) {
    device_array<float> f[2] = {{context, 5, 4.0f}, {context, 300, 4.0f}};
    device_array<amp::float16> h[2] = {{context, 5, amp::float16(4.0f)}, {context, 300, amp::float16(4.0f)}};
    if (at >= 0 && at < 2) f[at][f[at].size() - 1] = infinite;
    if (at >= 2) h[at - 2][h[at - 2].size() - 1] = amp::float16(infinite);
    const std::vector<amp::gradient_view> list{f[0].view(), f[1].view(), h[0].view(), h[1].view()};
    const auto gradients = amp::unscale(context, amp::scaled(list, scaler.ticket(context)));
    const amp::gradient_facts facts = read_device(context, gradients.facts());
    CHECK(facts.found_non_finite == (at >= 0));
    if (at < 0) CHECK(facts.norm == doctest::Approx(std::sqrt(610.0)).epsilon(1e-7));
    scaler.update(context, gradients);
    CHECK(scaler.wait_state(context).overflows == (at >= 0 ? at + 1 : 0));
  }
}

TEST_CASE("PyTorch 9: unscaling or stepping twice, or after a step, is refused; nothing at all is no step") {
  context_type context;
  net model(context);
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, model.layers());
  amp::scaler scaler(context, quick);
  auto loss = scaler.scale(context, model.out());
  model.run(0, 128);
  auto handle = amp::scaled(optimizer.gradients(), loss.ticket());
  auto gradients = amp::unscale(context, std::move(handle));
  CHECK_THROWS_WITH_AS((void)amp::unscale(context, std::move(handle)), doctest::Contains("[used-twice]: unscale"), amp::error);
  auto outcome = optimizer.step(context, gradients);
  const std::vector<float> after = model.w.get();
  CHECK_THROWS_WITH_AS((void)optimizer.step(context, gradients), doctest::Contains("[used-twice]: step"), amp::error);
  CHECK_THROWS_WITH_AS((void)optimizer.step(context, amp::scaled(optimizer.gradients(), loss.ticket())), doctest::Contains("[used-twice]: step"), amp::error);
  CHECK(model.w.get() == after);
  scaler.update(context, outcome);
  CHECK_THROWS_WITH_AS(scaler.update(context, outcome), doctest::Contains("[stale-ticket]: update"), amp::error);
  CHECK_THROWS_WITH_AS((void)optimizer.step(context, gradients), doctest::Contains("[stale-ticket]: step"), amp::error);
  CHECK(scaler.wait_scale(context) == 256);

  const std::vector<amp::gradient_view> none(2);
  auto empty = optimizer.step(context, amp::scaled(none, scaler.ticket(context)));
  CHECK(empty.wait_result(context) == amp::step_result::nothing);
  scaler.update(context, empty);
  CHECK(scaler.wait_scale(context) == 256);
  CHECK(scaler.wait_state(context).taken == 1);
  CHECK(model.w.get() == after);
}

TEST_CASE_TEMPLATE("PyTorch 12 and 14: with one bad batch a run ends as one without it, at scale 512", Rule, amp::sgd, amp::adam, amp::adamw, amp::amsgrad) {
  for (int bad = 0; bad < batches; ++bad) {
    const auto scaled = train(Rule{}, bad);
    agree(scaled, control(Rule{}, bad));
    CHECK(scaled.scale == 512);
  }
  CHECK(train(Rule{}, -1).scale == 128 * 16);
}

TEST_CASE("PyTorch 13: with a disabled scaler every step happens and the scale stays one") {
  const auto scaled = train(amp::adam{}, -1, false);
  agree(scaled, control(amp::adam{}, -1));
  CHECK(scaled.scale == 1);
}

TEST_CASE_TEMPLATE("PyTorch 15: a step that unscales by itself and one after unscaling give equal bits", Rule, amp::sgd, amp::adam, amp::adamw, amp::amsgrad) {
  const auto separate = [](auto& optimizer, context_type& context, auto&& gradients) {
    const auto unscaled = amp::unscale(context, std::move(gradients));
    return optimizer.step(context, unscaled);
  };
  for (int bad : {-1, 1}) {
    const auto fused = train(Rule{}, bad), apart = train(Rule{}, bad, true, separate);
    CHECK(fused.weights == apart.weights);
    CHECK(fused.state == apart.state);
    CHECK(fused.scale == apart.scale);
  }
}

TEST_CASE("PyTorch 16: a skipped step changes no bit of weights, moments or counts") {
  context_type context;
  net model(context);
  amp::mixed_optimizer<amp::adamw, context_type> optimizer(context, amp::adamw{}, model.layers());
  amp::scaler scaler(context, quick);
  const auto iterate = [&](bool bad) {
    model.clear();
    auto loss = scaler.scale(context, model.out());
    model.run(0, read_device(context, loss.ticket().scale()));
    if (bad) model.g[0] = not_a_number;
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), loss.ticket())));
  };
  iterate(false);
  const std::vector<float> weights = model.w.get(), state = state_of(context, optimizer, 2);
  iterate(true);
  CHECK(model.w.get() == weights);
  CHECK(state_of(context, optimizer, 2) == state);
  CHECK(optimizer.wait_step_count(context, 0) == 1);
  CHECK(scaler.wait_state(context).skipped == 1);
}

TEST_CASE("PyTorch 17: gradients poisoned between unscaling and step are not checked again") {
  context_type context;
  net model(context);
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, model.layers());
  amp::scaler scaler(context, quick);
  auto loss = scaler.scale(context, model.out());
  model.run(0, 128);
  const auto gradients = amp::unscale(context, amp::scaled(optimizer.gradients(), loss.ticket()));
  model.g.set(std::vector<float>(model.g.size(), not_a_number));
  CHECK(optimizer.step(context, gradients).wait_result(context) == amp::step_result::stepped);
  for (float w : model.w.get()) CHECK_FALSE(amp::detail::is_finite(w));
}

TEST_CASE("PyTorch 20: clipping after unscaling clips true gradients, and does not break a skip") {
  const auto clipped = [](auto& optimizer, context_type& context, auto&& gradients) {
    auto unscaled = amp::unscale(context, std::move(gradients));
    amp::clip_gradients(context, unscaled, amp::clip_global_norm{0.25f});
    return optimizer.step(context, unscaled);
  };
  const auto fused = [](auto& optimizer, context_type& context, auto&& gradients) { return optimizer.step(context, std::move(gradients), amp::clip_global_norm{0.25f}); };
  const auto scaled = train(amp::sgd{}, 2, true, clipped);
  CHECK(scaled.scale == 512);
  CHECK(scaled.weights == train(amp::sgd{}, 2, true, fused).weights);
  context_type context;  // the control, clipped without a scale
  net model(context);
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, model.layers());
  for (int batch : {0, 1, 3}) {
    model.clear(), model.run(batch, 1);
    (void)optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{0.25f});
  }
  const std::vector<float> expected = model.w.get();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(scaled.weights[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

TEST_CASE("PyTorch 21: a gradient penalty takes scaled gradients out and unscales them by hand") {
  // loss = w³, penalty = (∂loss/∂w)² = 9w⁴: the gradient of the sum is 3w² + 36w³.
  context_type context;
  device_array<float> weight(context, {0.5f}), gradient(context, {0}), loss(context, {0});
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{0.1f}, {amp::parameter_view(weight.data(), nullptr, gradient.data(), nullptr, 1)});
  amp::scaler scaler(context, quick);
  const float w = weight[0];
  loss[0] = w * w * w;
  const auto first = scaler.scale(context, amp::view(loss.data()));
  const float scaled_gradient = read_device(context, first.ticket().scale()) * 3 * w * w;
  const float unscaled_gradient = scaled_gradient * read_device(context, first.ticket().inverse());
  CHECK(unscaled_gradient == 0.75f);
  loss[0] = w * w * w + unscaled_gradient * unscaled_gradient;
  const auto whole = scaler.scale(context, amp::view(loss.data()));
  gradient[0] = read_device(context, whole.ticket().scale()) * (3 * w * w + 36 * w * w * w);
  scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), whole.ticket())));
  CHECK(weight[0] == doctest::Approx(0.5 - 0.1 * (0.75 + 4.5)).epsilon(1e-6));
}

TEST_CASE("PyTorch 22: accumulation over two batches makes two updates, and the scale of each holds for both its batches") {
  context_type context;
  net model(context), plain(context);
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, model.layers()), other(context, amp::sgd{}, plain.layers());
  amp::scaler scaler(context, quick);
  for (int batch = 0; batch < batches; batch += 2) {
    model.clear(), plain.clear();
    auto a = scaler.scale(context, model.out());
    model.run(batch, read_device(context, a.ticket().scale()));
    auto b = scaler.scale(context, model.out());
    model.run(batch + 1, read_device(context, b.ticket().scale()));
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), a.ticket(), b.ticket())));
    plain.run(batch, 1), plain.run(batch + 1, 1);
    (void)other.step(context, other.gradients());
  }
  CHECK(scaler.wait_scale(context) == 512);
  CHECK(model.w.get() == plain.w.get());
}

TEST_CASE("PyTorch 23: two models, two losses that touch both, two optimizers: only the one that overflows skips") {
  context_type context;
  net models[2] = {net(context, 0), net(context, 1)};
  amp::mixed_optimizer<amp::sgd, context_type> first(context, amp::sgd{}, models[0].layers());
  amp::mixed_optimizer<amp::adam, context_type> second(context, amp::adam{}, models[1].layers());
  amp::scaler scaler(context, quick);
  for (int batch = 0; batch < batches; ++batch) {
    for (net& model : models) model.clear();
    const float before = scaler.wait_scale(context);
    for (int loss = 0; loss < 2; ++loss) {
      auto scaled = scaler.scale(context, models[loss].out());
      for (net& model : models) model.run(batch + loss, read_device(context, scaled.ticket().scale()));
    }
    if (batch == 1) models[1].g[9] = infinite;
    const auto ticket = scaler.ticket(context);
    const auto a = first.step(context, amp::scaled(first.gradients(), ticket));
    const auto b = second.step(context, amp::scaled(second.gradients(), ticket));
    CHECK(a.wait_result(context) == amp::step_result::stepped);
    CHECK(b.wait_result(context) == (batch == 1 ? amp::step_result::skipped : amp::step_result::stepped));
    scaler.update(context, a, b);
    CHECK(scaler.wait_scale(context) == (batch == 1 ? before / 2 : before * 2));
  }
  CHECK(scaler.wait_scale(context) == 512);
  CHECK(first.wait_taken(context) == 4);
  CHECK(second.wait_taken(context) == 3);
  CHECK(scaler.wait_state(context).skipped == 1);
  CHECK(scaler.wait_state(context).taken == 3);
}

TEST_CASE("PyTorch 25: several outputs are scaled by one scale") {
  context_type context;
  amp::scaler scaler(context, amp::growth{2, 0.5, 2000, 2});
  device_array<float> outputs(context, 4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto scaled = scaler.scale(context, amp::view(outputs.data() + i));
    CHECK(read_device(context, scaled.value().data()) == 8);
    CHECK(scaled.ticket() == scaler.ticket(context));
  }
}

TEST_CASE("a gradient that is infinite only after unscaling skips, where PyTorch steps") {
  context_type context;
  device_array<float> w(context, {1}), g(context, {3e38f});
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, {amp::parameter_view(w.data(), nullptr, g.data(), nullptr, 1)});
  amp::scaler scaler(context, amp::growth{2, 0.5, 1, 0.0625f});
  const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaler.ticket(context)));
  CHECK(outcome.wait_result(context) == amp::step_result::skipped);
  scaler.update(context, outcome);
  CHECK(w[0] == 1);
}

TEST_CASE("B04: a freshly loaded scaler unscales without a loss having been scaled") {
  context_type context;
  amp::scaler saved(context, amp::growth{2, 0.5, 4, 1024}), fresh(context, amp::growth{});
  char text[amp::max_state_text];
  fresh.load(context, text, saved.wait_save(context, text, sizeof text));
  device_array<float> g(context, {1024}), true_gradient(context, {0});
  const auto gradients = amp::unscale(context, amp::scaled(g.view(), fresh.ticket(context)));
  amp::materialize(context, gradients, true_gradient.view());
  CHECK(true_gradient[0] == 1);
}

TEST_CASE("B06: unscaled twice is refused and leaves the buffer; unscaled, not stepped and updated is fine") {
  context_type context;
  amp::scaler<context_type> scaler(context);
  device_array<float> buffer(context, {65536}), result(context, {0});
  auto handle = amp::scaled(buffer.view(), scaler.ticket(context));
  {
    const auto gradients = amp::unscale(context, std::move(handle));
    amp::materialize(context, gradients, result.view());
    CHECK(result[0] == 1);
    CHECK_THROWS_WITH_AS((void)amp::unscale(context, std::move(handle)), doctest::Contains("[used-twice]"), amp::error);
    CHECK(buffer[0] == 65536);  // still the stored value: no second division
    amp::materialize(context, gradients, result.view());
    CHECK(result[0] == 1);
    scaler.update(context, gradients);  // decided against the step
  }
  CHECK(scaler.wait_state(context).skipped == 1);
  CHECK(scaler.wait_state(context).clean == 1);
  buffer[0] = 65536 * 3.0f;
  const auto gradients = amp::unscale(context, amp::scaled(buffer.view(), scaler.ticket(context)));
  amp::materialize(context, gradients, result.view());
  CHECK(result[0] == 3);
}

TEST_CASE("B08: losses with separate scalers cannot meet in one buffer, nor two generations of one") {
  context_type context;
  amp::scaler<context_type> s0(context), s1(context, amp::growth{2, 0.5, 1, 1024});
  device_array<float> loss(context, {1}), buffer(context, {0});
  auto a = s0.scale(context, amp::view(loss.data())), b = s1.scale(context, amp::view(loss.data()));
  buffer[0] = read_device(context, a.value().data()) + read_device(context, b.value().data());
  CHECK_THROWS_WITH_AS((void)amp::scaled(buffer.view(), a.ticket(), b.ticket()), doctest::Contains("[mixed-tickets]"), amp::error);
  // The second way: an update between two micro-steps.
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, {amp::parameter_view(loss.data(), nullptr, buffer.data(), nullptr, 1)});
  const auto early = optimizer.step(context, amp::scaled(optimizer.gradients(), b.ticket()));
  auto next = s1.scale(context, amp::view(loss.data()));
  CHECK_THROWS_WITH_AS(s1.update(context, early), doctest::Contains("[pending-gradients]"), amp::error);
  CHECK(next.ticket().valid());
}

namespace {
/// The learning rates 0.1, 0.01 of B10, by taken steps.
struct two_rates {
  void check() const {}
  AMPHORA_HD float operator()(std::int64_t taken, float) const { return taken == 0 ? 0.1f : 0.01f; }
};
}  // namespace

TEST_CASE("B10: a skip is an outcome of its own, and a schedule moves by taken steps, whatever the scale does") {
  for (int kind = 0; kind < 3; ++kind) {  // as it is; at the floor, where the scale does not move; with an update that grows
    context_type context;
    device_array<float> w(context, {0}), g(context, {1}), loss(context, {1});
    amp::growth rule{2, 0.5, 2000, 4};
    if (kind == 1) rule.floor = 4;
    if (kind == 2) rule.growth_interval = 1;
    amp::mixed_optimizer<amp::sgd, context_type, two_rates> optimizer(context, amp::sgd{1.0f}, {amp::parameter_view(w.data(), nullptr, g.data(), nullptr, 1)}, two_rates{});
    amp::scaler scaler(context, rule);
    amp::step_result results[2];
    for (int i = 0; i < 2; ++i) {
      auto scaled = scaler.scale(context, amp::view(loss.data()));
      g[0] = i == 0 ? infinite : read_device(context, scaled.ticket().scale());
      const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket()));
      results[i] = outcome.wait_result(context);
      scaler.update(context, outcome);
    }
    CHECK(results[0] == amp::step_result::skipped);
    CHECK(results[1] == amp::step_result::stepped);
    CHECK(optimizer.wait_taken(context) == 1);
    CHECK(w[0] == -0.1f);  // the first rate: the skip did not use it up
    CHECK(scaler.wait_state(context).taken == 1);
    CHECK(scaler.wait_state(context).skipped == 1);
  }
}

TEST_CASE("what is saturated or set to zero shows in the scaler's state") {
  context_type context;
  device_array<float> w(context, {1, 1, 1}), g(context, {infinite, not_a_number, 4}), loss(context, {1});
  amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, {amp::parameter_view(w.data(), nullptr, g.data(), nullptr, 3)});
  amp::scaler scaler(context, amp::growth{2, 0.5, 2000, 4});
  optimizer.set_on_overflow(amp::on_overflow::zero);
  auto scaled = scaler.scale(context, amp::view(loss.data()));
  const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket()));
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  scaler.update(context, outcome);
  const auto state = scaler.wait_state(context);
  CHECK(state.changed == 2);
  CHECK(state.taken == 1);
  CHECK(state.skipped == 0);
  CHECK(state.overflows == 1);
  CHECK(state.scale == 2);  // repaired or not, the scale was too large
  CHECK(w[0] == 1);
  CHECK(w[2] < 1);
}
