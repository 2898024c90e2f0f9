#include <amphora/optimizer/adam.hpp>             // adam
#include <amphora/optimizer/adamw.hpp>            // adamw
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/sgd.hpp>              // sgd
#include <amphora/optimizer/unscale.hpp>          // unscale
#include <amphora/scale/fixed.hpp>                // fixed
#include <amphora/scale/scaled_loss.hpp>          // scaled_loss
#include <amphora/scale/scaler.hpp>               // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace step_user {

/// A rule of somebody else's: signs alone, no state.
struct sign_descent {
  float learning_rate = 0.5f;
  static constexpr int states = 0;
  struct now { amp::real size; };
  AMPHORA_HD now at(float lr, std::int64_t) const { return {lr}; }
  AMPHORA_HD void operator()(amp::real g, amp::real& w, amp::real*, const now& n) const { w = w - n.size * (g < 0 ? amp::real(-1) : g > 0 ? amp::real(1) : amp::real(0)); }
};
/// One with a number of its own: how many steps were taken, kept beside the library's count.
struct counting {
  float learning_rate = 1;
  static constexpr int states = 1;
  struct scalars { double taken = 0; };
  struct now { amp::real size; };
  AMPHORA_HD now at(float, std::int64_t, scalars& own) const { return {static_cast<float>(own.taken += 1)}; }
  AMPHORA_HD void operator()(amp::real g, amp::real& w, amp::real* s, const now& n) const { s[0] = n.size, w = w - g; }
};

/// What another rank's flag, joined on the device, does to the facts of this one.
struct raise_flag {
  amp::gradient_facts* facts;
  AMPHORA_HD void operator()() const { facts->found_non_finite |= 1; }
};

/// The learning rate, half of it, then none.
struct first_two {
  AMPHORA_HD float operator()(std::int64_t taken, float base) const { return taken == 0 ? base : taken == 1 ? base / 2 : 0; }
};

}  // namespace step_user

namespace {

const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

std::string slug_of(const std::exception& e) {
  const auto* ours = dynamic_cast<const amp::error*>(&e);
  return ours ? ours->rule() : "";
}
template <class F> std::string slug(F f) {
  try {
    f();
  } catch (const std::exception& e) {
    return slug_of(e);
  }
  return "";
}
template <class T> std::vector<unsigned char> bytes(const std::vector<T>& x) {
  std::vector<unsigned char> result(x.size() * sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), x.data(), result.size());
  return result;
}

/// One tensor with a master, f16 weights and gradients.
struct one {
  device_array<float> master;
  device_array<amp::float16> model, gradient;
  one(test_context& context, const std::vector<float>& start)
      : master(context, start), model(context, std::vector<amp::float16>(start.begin(), start.end())), gradient(context, start.size()) {}
  amp::parameter_view view() { return {master.data(), model.data(), gradient.data(), nullptr, static_cast<std::int64_t>(master.size())}; }
};
template <class T> std::vector<float> floats(const device_array<T>& x) {
  std::vector<float> result;
  for (const T& number : x.get()) result.push_back(static_cast<float>(number));
  return result;
}
/// Array `which` of the optimizer's state for its parameter 0.
template <class Optimizer> std::vector<float> state_of(test_context& context, const Optimizer& optimizer, int which, std::int64_t n) {
  return amp::wait_read(context, amp::view<const float>{optimizer.state(0, which), amp::shape{n}});
}

}  // namespace

TEST_CASE("B28: a skipped step leaks into nothing") {
  test_context context;
  SUBCASE("adam") {
    one p(context, {1});
    amp::mixed_optimizer optimizer{context, amp::adam{0.1f}, {p.view()}};
    p.gradient[0] = amp::float16(infinite);
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::skipped);
    CHECK(optimizer.wait_step_count(context, 0) == 0);
    p.gradient[0] = amp::float16(1.0f);
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
    CHECK(p.master[0] == doctest::Approx(0.900000001).epsilon(1e-7));
    CHECK(optimizer.wait_step_count(context, 0) == 1);
    CHECK(optimizer.wait_skipped(context) == 1);
    CHECK(optimizer.wait_taken(context) == 1);
  }
  SUBCASE("sgd with momentum") {
    one p(context, {1});
    amp::sgd rule{0.1f};
    rule.momentum = 0.9;
    amp::mixed_optimizer optimizer{context, rule, {p.view()}};
    p.gradient[0] = amp::float16(infinite);
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::skipped);
    CHECK(read_device(context, optimizer.state(0, 0)) == 0);
    p.gradient[0] = amp::float16(1.0f);
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
    CHECK(p.master[0] == doctest::Approx(0.9).epsilon(1e-7));
  }
  SUBCASE("no sign of zero, no NaN of weight decay, no bit") {
    one p(context, {1, -0.0f, 0.0f, 3});
    amp::adamw rule{0.1f};
    rule.weight_decay = 0.5;
    amp::mixed_optimizer optimizer{context, rule, {p.view()}};
    p.gradient.set({amp::float16(1.0f), amp::float16(2.0f), amp::float16(-0.0f), amp::float16(1.0f)});
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
    p.master[1] = -0.0f, p.model[1] = amp::float16(-0.0f);
    const auto master = bytes(p.master.get()), model = bytes(p.model.get());
    const std::vector<float> state = state_of(context, optimizer, 0, 32);
    p.gradient[3] = amp::float16(not_a_number);
    CHECK(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1}).wait_result(context) == amp::step_result::skipped);
    CHECK(bytes(p.master.get()) == master);
    CHECK(bytes(p.model.get()) == model);
    CHECK(bytes(state_of(context, optimizer, 0, 32)) == bytes(state));
  }
}

TEST_CASE("B13, B14: a non-finite value anywhere is found, and nothing is half done") {
  for (float bad : {infinite, -infinite, not_a_number})
    for (std::size_t where : {0u, 1u, 2u, 3u, 70u, 4200u}) {
      test_context context;
      one a(context, {1, 2}), b(context, {3}), c(context, std::vector<float>(5000, 1.0f));
      device_array<float> f(context, 300, 1.0f), gf(context, 300, 0.5f);
      device_array<amp::bfloat16> gb(context, 5000, amp::bfloat16(0.25f));
      amp::parameter_view last = c.view();
      last.gradient = amp::gradient_pointer(gb.data());
      amp::mixed_optimizer optimizer{context, amp::adamw{}, {a.view(), b.view(), {f.data(), nullptr, gf.data(), nullptr, 300}, last}};
      if (where < 2) a.gradient[where] = amp::float16(bad);
      else if (where == 2) b.gradient[0] = amp::float16(bad);
      else if (where < 300) gf[where] = bad;
      else gb[where] = amp::bfloat16(bad);
      auto outcome = optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1});
      const auto record = outcome.wait_record(context);
      CHECK(record.result == amp::step_result::skipped);
      CHECK(record.found_non_finite != 0);
      CHECK(a.master.get() == std::vector<float>{1, 2});
      CHECK(c.master.get() == std::vector<float>(5000, 1.0f));
      CHECK(f.get() == std::vector<float>(300, 1.0f));
      CHECK(optimizer.wait_facts(context).non_finite == 1);
    }
}

TEST_CASE("what is finite before unscaling and not after it is found") {
  test_context context;
  device_array<float> w(context, {1, 1}), g(context, {3.0e38f, 1});
  amp::mixed_optimizer optimizer{context, amp::adamw{}, {{w.data(), nullptr, g.data(), nullptr, 2}}};
  amp::scaler<test_context, amp::fixed> scaler(context, amp::fixed{0.0625f});
  const device_array<float> loss(context, {1});
  {
    auto scaled = scaler.scale(context, loss.view());
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket()));
    CHECK(outcome.wait_result(context) == amp::step_result::skipped);
    scaler.update(context, outcome);
  }
  CHECK(w[0] == 1);
}

TEST_CASE("no gradient at all is an outcome of its own, and an absent one leaves its tensor's count alone") {
  test_context context;
  one a(context, {1}), b(context, {1});
  amp::mixed_optimizer optimizer{context, amp::adamw{}, {a.view(), b.view()}};
  a.gradient[0] = amp::float16(1.0f), b.gradient[0] = amp::float16(1.0f);
  const amp::gradient_view none[2];
  CHECK(optimizer.step(context, amp::gradient_list(none)).wait_result(context) == amp::step_result::nothing);
  CHECK(optimizer.wait_taken(context) == 0);
  CHECK(optimizer.wait_skipped(context) == 0);
  const amp::gradient_view only_a[2] = {{a.gradient.data(), 1}, {}};
  CHECK(optimizer.step(context, amp::gradient_list(only_a)).wait_result(context) == amp::step_result::stepped);
  CHECK(a.master[0] < 1);
  CHECK(b.master[0] == 1);
  CHECK(optimizer.wait_step_count(context, 0) == 1);
  CHECK(optimizer.wait_step_count(context, 1) == 0);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(optimizer.wait_step_count(context, 0) == 2);
  CHECK(optimizer.wait_step_count(context, 1) == 1);
  CHECK(b.master[0] == doctest::Approx(1 - 1e-3 - 1e-5).epsilon(1e-6));  // the bias correction of its own first step
}

TEST_CASE("scaled, unscaled and plain gradients give one result, and the clip is PyTorch's") {
  std::vector<float> results[3];
  for (int way = 0; way < 3; ++way) {
    test_context context;
    one p(context, {1, 1});
    amp::mixed_optimizer optimizer{context, amp::sgd{1}, {p.view()}};
    amp::scaler<test_context, amp::fixed> scaler(context, amp::fixed{1024});
    const device_array<float> loss(context, {1});
    auto scaled = scaler.scale(context, loss.view());
    const float scale = way == 2 ? 1.0f : 1024.0f;
    p.gradient.set({amp::float16(3 * scale), amp::float16(4 * scale)});
    const amp::clip_global_norm clip{1};
    if (way == 0) {
      CHECK(optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket()), clip).wait_result(context) == amp::step_result::stepped);
    } else if (way == 1) {
      auto unscaled = amp::unscale(context, amp::scaled(optimizer.gradients(), scaled.ticket()));
      CHECK(optimizer.step(context, unscaled, clip).wait_result(context) == amp::step_result::stepped);
    } else {
      CHECK(optimizer.step(context, optimizer.gradients(), clip).wait_result(context) == amp::step_result::stepped);
    }
    results[way] = p.master.get();
    CHECK(read_device(context, optimizer.norm()) == doctest::Approx(5).epsilon(1e-7));
  }
  CHECK(results[0][0] == doctest::Approx(1 - 0.6).epsilon(1e-6));
  CHECK(results[0][1] == doctest::Approx(1 - 0.8).epsilon(1e-6));
  CHECK(results[1] == results[0]);
  for (std::size_t i : {0u, 1u}) CHECK(std::fabs(results[2][i] - results[0][i]) <= 0x1p-23f);  // 1/1024 is exact, the epsilon is not scaled: at most a rounding
}

TEST_CASE("B25: a norm is clipped after the scale is taken out") {
  test_context context;
  one p(context, {0, 0});
  amp::mixed_optimizer optimizer{context, amp::sgd{1}, {p.view()}};
  amp::scaler<test_context, amp::fixed> scaler(context, amp::fixed{1024});
  const device_array<float> loss(context, {1});
  auto scaled = scaler.scale(context, loss.view());
  p.gradient.set({amp::float16(3072.0f), amp::float16(4096.0f)});
  auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket()), amp::clip_global_norm{1});
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  CHECK(-p.master[0] == doctest::Approx(0.6).epsilon(1e-6));
  CHECK(-p.master[1] == doctest::Approx(0.8).epsilon(1e-6));
  CHECK(read_device(context, optimizer.norm()) == doctest::Approx(5));
}

TEST_CASE("B30: weights loaded into the model alone reach the masters when the views are read again") {
  test_context context;
  one p(context, {0.9f});
  amp::adamw rule{0.1f};
  rule.weight_decay = 0;
  amp::mixed_optimizer optimizer{context, rule, {p.view()}};
  p.gradient[0] = amp::float16(1.0f);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  const float moment = read_device(context, optimizer.state(0, 0));
  p.model[0] = amp::float16(5.0f);
  optimizer.refresh_masters(context);
  CHECK(p.master[0] == 5);
  CHECK(read_device(context, optimizer.state(0, 0)) == moment);
  CHECK(optimizer.wait_step_count(context, 0) == 1);
}

TEST_CASE("B32: small updates are kept by a float master and, on average, by stochastic rounding") {
  test_context context;
  amp::adamw rule{1e-4f};
  constexpr int steps = 10000;
  device_array<float> master(context, {1});
  device_array<amp::bfloat16> model(context, {amp::bfloat16(1.0f)}), alone(context, {amp::bfloat16(1.0f)}), gradient(context, {amp::bfloat16(0.0f)});
  const std::int64_t many = 4096;
  device_array<amp::bfloat16> rounded(context, many, amp::bfloat16(1.0f)), zeros(context, many, amp::bfloat16(0.0f));
  amp::mixed_optimizer optimizer{context, rule, {{master.data(), model.data(), gradient.data(), nullptr, 1},
                                                 amp::parameter_view::without_master(alone.data(), zeros.data(), nullptr, 1)}};
  for (int step = 0; step < steps; ++step) CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  const double exact = std::pow(1 - 1e-6, steps);
  CHECK(std::fabs(master[0] - exact) < 3e-4);
  CHECK(floats(model)[0] == 0.98828125f);
  CHECK(floats(alone)[0] == 1);  // what is lost without a master
  amp::mixed_optimizer stochastic{context, rule, {amp::parameter_view::without_master(rounded.data(), zeros.data(), nullptr, many, true)}};
  constexpr int fewer = 200;
  for (int step = 0; step < fewer; ++step) CHECK(stochastic.step(context, stochastic.gradients()).wait_result(context) == amp::step_result::stepped);
  double mean = 0;
  for (float x : floats(rounded)) mean += x / many;
  // each step moves a weight by 2^-8 with probability p = 1e-6 · 2^8; five standard deviations of the mean of 4096
  const double p = 1e-6 * 256, deviation = std::sqrt(fewer * p / many) / 256;
  CHECK(std::fabs(mean - std::pow(1 - 1e-6, fewer)) < 5 * deviation);
  CHECK(mean < 1);
}

TEST_CASE("groups have settings and learning rates of their own in one step") {
  test_context context;
  one a(context, {1}), b(context, {1});
  amp::parameter_view second = b.view();
  second.group = 1;
  amp::sgd slow{0.5f}, decayed{0.25f};
  decayed.weight_decay = 1;
  amp::mixed_optimizer optimizer{context, std::vector<amp::sgd>{slow, decayed}, {a.view(), second}};
  a.gradient[0] = amp::float16(1.0f), b.gradient[0] = amp::float16(1.0f);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(a.master[0] == 0.5f);
  CHECK(b.master[0] == 0.5f);  // 1 - 0.25 · (1 + 1)
  optimizer.set_learning_rate(context, 0);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(a.master[0] == 0.5f);
  optimizer.set_learning_rate(context, 1, 1.0f);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(a.master[0] == 0.5f);
  CHECK(b.master[0] == -1);
  CHECK(optimizer.rule(1).learning_rate == 1);
  CHECK(slug([&] { optimizer.set_learning_rate(context, -1.0f); }) == "setting");
  CHECK(slug([&] { optimizer.rule(2); }) == "setting");
}

TEST_CASE("a tied weight's copies are all written, each rounded once from the master") {
  test_context context;
  device_array<float> master(context, 100, 1.0f), copy(context, 100);
  device_array<amp::float16> model(context, 100), gradient(context, 100, amp::float16(1.0f));
  device_array<amp::bfloat16> other(context, 100);
  amp::parameter_view view{master.data(), model.data(), gradient.data(), nullptr, 100};
  view.add_copy(other.data()).add_copy(copy.data());
  amp::mixed_optimizer optimizer{context, amp::sgd{0.3001f}, {view}};
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  for (std::size_t i : {0u, 63u, 64u, 99u}) {
    CHECK(copy.get()[i] == master.get()[i]);
    CHECK(floats(model)[i] == static_cast<float>(amp::float16(float(master[i]))));
    CHECK(floats(other)[i] == static_cast<float>(amp::bfloat16(float(master[i]))));
  }
  CHECK(master[0] < 0.7f);
}

TEST_CASE("a flat arena of gradients is cut in the parameters' order") {
  test_context context;
  device_array<float> w(context, 5, 0.0f);
  std::vector<amp::bfloat16> numbers;
  for (float x : {1, 2, 3, 4, 5}) numbers.emplace_back(x);
  device_array<amp::bfloat16> flat(context, numbers);
  amp::mixed_optimizer optimizer{context, amp::sgd{1}, {{w.data(), nullptr, nullptr, nullptr, 2}, {w.data() + 2, nullptr, nullptr, nullptr, 3}}};
  CHECK(optimizer.step(context, amp::gradient_list(flat.view())).wait_result(context) == amp::step_result::stepped);
  CHECK(w.get() == std::vector<float>{-1, -2, -3, -4, -5});
}

TEST_CASE("a user's rule needs nothing but its update, and may keep numbers that move on taken steps only") {
  test_context context;
  one p(context, {1, 1});
  p.gradient.set({amp::float16(7.0f), amp::float16(-0.5f)});
  amp::mixed_optimizer optimizer{context, step_user::sign_descent{}, {p.view()}};
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(p.master.get() == std::vector<float>{0.5f, 1.5f});
  amp::mixed_optimizer counted{context, step_user::counting{}, {p.view()}};
  CHECK(counted.step(context, counted.gradients()).wait_result(context) == amp::step_result::stepped);
  p.gradient[0] = amp::float16(infinite);
  CHECK(counted.step(context, counted.gradients()).wait_result(context) == amp::step_result::skipped);
  CHECK(counted.wait_scalars(context, 0).taken == 1);
  CHECK(state_of(context, counted, 0, 2) == std::vector<float>{1, 1});
}

TEST_CASE("a schedule sees taken steps only") {
  test_context context;
  one p(context, {1});
  amp::mixed_optimizer optimizer{context, amp::sgd{0.5f}, {p.view()}, step_user::first_two{}};
  const auto step = [&](float g) {
    p.gradient[0] = amp::float16(g);
    return optimizer.step(context, optimizer.gradients()).wait_result(context);
  };
  CHECK(step(infinite) == amp::step_result::skipped);
  CHECK(step(1) == amp::step_result::stepped);
  CHECK(p.master[0] == 0.5f);
  CHECK(step(not_a_number) == amp::step_result::skipped);
  CHECK(step(1) == amp::step_result::stepped);
  CHECK(p.master[0] == 0.25f);
}

TEST_CASE("non-finite gradients are saturated or set to zero where that is chosen, and counted") {
  for (auto choice : {amp::on_overflow::saturate, amp::on_overflow::zero}) {
    test_context context;
    one p(context, {0, 0, 0, 0});
    amp::mixed_optimizer optimizer{context, amp::sgd{1}, {p.view()}};
    optimizer.set_on_overflow(choice);
    p.gradient.set({amp::float16(infinite), amp::float16(-infinite), amp::float16(not_a_number), amp::float16(2.0f)});
    const auto record = optimizer.step(context, optimizer.gradients()).wait_record(context);
    CHECK(record.result == amp::step_result::stepped);
    CHECK(record.changed == 3);
    CHECK(record.found_non_finite != 0);
    const float large = choice == amp::on_overflow::saturate ? 65504.0f : 0.0f;
    CHECK(p.master.get() == std::vector<float>{-large, large, 0, -2});
  }
}

TEST_CASE("check, decide and update are a step in three calls, with room between them") {
  test_context context;
  one p(context, {1}), q(context, {1});
  amp::mixed_optimizer whole{context, amp::adamw{}, {p.view()}}, parts{context, amp::adamw{}, {q.view()}};
  p.gradient[0] = amp::float16(2.0f), q.gradient[0] = amp::float16(2.0f);
  CHECK(whole.step(context, whole.gradients(), amp::clip_global_norm{1}).wait_result(context) == amp::step_result::stepped);
  parts.check(context, parts.gradients());
  parts.decide(context, amp::clip_global_norm{1});
  CHECK(parts.update(context).wait_result(context) == amp::step_result::stepped);
  CHECK(p.master.get() == q.master.get());
  // another rank saw an infinity
  parts.check(context, parts.gradients());
  amp::scale_kernels<test_device>::run(context, step_user::raise_flag{parts.facts()});
  parts.decide(context, amp::clip_global_norm{1});
  CHECK(parts.update(context).wait_result(context) == amp::step_result::skipped);
  CHECK(p.master.get() == q.master.get());
  CHECK(slug([&] { parts.decide(context); }) == "pending-gradients");
  CHECK(slug([&] { static_cast<void>(parts.update(context)); }) == "pending-gradients");
}

TEST_CASE("a handle is used once, and a bad clip or list is refused before anything changes") {
  test_context context;
  one p(context, {1});
  p.gradient[0] = amp::float16(1.0f);
  amp::mixed_optimizer optimizer{context, amp::adamw{}, {p.view()}};
  auto handle = amp::scaled(optimizer.gradients(), amp::ticket());
  CHECK(optimizer.step(context, std::move(handle)).wait_result(context) == amp::step_result::stepped);
  const float after = p.master[0];
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, std::move(handle))); }) == "used-twice");
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{not_a_number})); }) == "setting");
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{-1})); }) == "setting");
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, amp::gradient_list())); }) == "shape");
  const amp::gradient_view longer[1] = {{p.gradient.data(), 2}};
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, amp::gradient_list(longer))); }) == "shape");
  CHECK(p.master[0] == after);
  CHECK(optimizer.wait_taken(context) == 1);
}

TEST_CASE("gradients that are refused leave their handle usable, and nothing changed") {
  test_context context;
  one p(context, {1, 1}), q(context, {1});
  const device_array<double> wide(context, {1});
  p.gradient.set({amp::float16(1.0f), amp::float16(1.0f)}), q.gradient[0] = amp::float16(1.0f);
  amp::mixed_optimizer optimizer{context, amp::sgd{0.5f}, {p.view(), q.view()}};
  amp::scaler<test_context, amp::fixed> scaler(context, amp::fixed{2});
  const device_array<float> loss(context, {1});
  auto scaled = scaler.scale(context, loss.view());
  const amp::gradient_view both[2] = {{p.gradient.data(), 2}, {q.gradient.data(), 1}};
  amp::gradient_view given[2] = {both[0], both[1]};
  auto handle = amp::scaled(amp::gradient_list(given), scaled.ticket());
  const auto refused = [&](const amp::gradient_view& second, const char* because) {
    given[1] = second;
    CHECK(slug([&] { static_cast<void>(optimizer.step(context, std::move(handle))); }) == because);
    CHECK(slug([&] { optimizer.check(context, std::move(handle)); }) == because);
    CHECK(handle.live());
  };
  refused({q.gradient.data(), 2}, "shape");
  refused({p.gradient.data() + 1, 1}, "same-buffer");
  refused({wide.data(), 1}, "unknown-format");
  given[1] = both[1];
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, std::move(handle), amp::clip_value{-1})); }) == "setting");
  CHECK(p.master.get() == std::vector<float>{1, 1});
  CHECK(optimizer.wait_taken(context) == 0);
  CHECK(slug([&] { optimizer.decide(context); }) == "pending-gradients");
  auto outcome = optimizer.step(context, std::move(handle));
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  CHECK(p.master.get() == std::vector<float>{0.75f, 0.75f});
  CHECK(q.master[0] == 0.75f);
  CHECK(!handle.live());
  scaler.update(context, outcome);
}

TEST_CASE("a refused step between check and update leaves what was checked to be updated") {
  test_context context;
  one p(context, {1}), q(context, {1});
  p.gradient[0] = amp::float16(1.0f), q.gradient[0] = amp::float16(1.0f);
  amp::mixed_optimizer optimizer{context, amp::sgd{0.5f}, {p.view(), q.view()}};
  const device_array<float> others(context, {100, 100, 100});
  const amp::gradient_view bad[2] = {{others.data(), 1}, {others.data() + 1, 2}};
  optimizer.check(context, optimizer.gradients());
  optimizer.decide(context);
  CHECK(slug([&] { static_cast<void>(optimizer.step(context, amp::gradient_list(bad))); }) == "shape");
  CHECK(optimizer.update(context).wait_result(context) == amp::step_result::stepped);
  CHECK(p.master[0] == 0.5f);
  CHECK(q.master[0] == 0.5f);
}

TEST_CASE("a step, another check and other parameters end what was checked and decided") {
  test_context context;
  one p(context, {1});
  p.gradient[0] = amp::float16(1.0f);
  amp::mixed_optimizer optimizer{context, amp::sgd{0.5f}, {p.view()}};
  const auto update = [&] { return slug([&] { static_cast<void>(optimizer.update(context)); }); };
  const auto check = [&] { optimizer.check(context, optimizer.gradients()); };
  check(), optimizer.decide(context);
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(update() == "pending-gradients");
  check(), optimizer.decide(context), check();
  CHECK(update() == "pending-gradients");
  check(), optimizer.decide(context), optimizer.set_parameters({p.view()});
  CHECK(update() == "pending-gradients");
  CHECK(p.master[0] == 0.5f);
}

TEST_CASE("other addresses are taken over, other sizes refused, and the state stays") {
  test_context context;
  one p(context, {1, 2}), q(context, {3, 4});
  amp::mixed_optimizer optimizer{context, amp::adamw{}, {p.view()}};
  for (one* x : {&p, &q}) x->gradient.set({amp::float16(1.0f), amp::float16(1.0f)});
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  optimizer.set_parameters({q.view()});
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  CHECK(q.master[0] < 3);
  CHECK(optimizer.wait_step_count(context, 0) == 2);
  one r(context, {1});
  CHECK(slug([&] { optimizer.set_parameters({r.view()}); }) == "shape");
  CHECK(slug([&] { optimizer.set_parameters({}); }) == "shape");
}

TEST_CASE("what is saved restores a run bit by bit") {
  test_context context;
  one p(context, {1, -2, 0.5f}), q(context, {1, -2, 0.5f});
  amp::mixed_optimizer first{context, amp::adamw{0.01f}, {p.view()}}, second{context, amp::adamw{0.01f}, {q.view()}};
  const auto gradient = [](one& x, int step) {
    std::vector<amp::float16> g;
    for (int i = 0; i < 3; ++i) g.emplace_back(static_cast<float>((step * 7 + i * 3) % 5) - 2);
    x.gradient.set(g);
  };
  for (int step = 0; step < 3; ++step) {
    gradient(p, step);
    CHECK(first.step(context, first.gradients()).wait_result(context) == amp::step_result::stepped);
  }
  q.master.set(p.master.get()), q.model.set(p.model.get());
  for (int k : {0, 1}) amp::write(context, state_of(context, first, k, 3), amp::view{second.state(0, k), amp::shape{3}});
  second.load_step_count(context, 0, first.wait_step_count(context, 0), first.wait_scalars(context, 0));
  second.load_counters(context, first.wait_taken(context), first.wait_skipped(context));
  for (int step = 3; step < 6; ++step) {
    gradient(p, step), gradient(q, step);
    CHECK(first.step(context, first.gradients()).wait_result(context) == amp::step_result::stepped);
    CHECK(second.step(context, second.gradients()).wait_result(context) == amp::step_result::stepped);
  }
  CHECK(bytes(p.master.get()) == bytes(q.master.get()));
  CHECK(second.wait_taken(context) == 6);
}

TEST_CASE("the workspace is known before there is an optimizer") {
  test_context context;
  one p(context, std::vector<float>(5000, 1.0f));
  const std::vector<amp::parameter_view> list{p.view()};
  const auto bytes = amp::mixed_optimizer<amp::adamw, test_context>::workspace_bytes(list);
  amp::mixed_optimizer optimizer{context, amp::adamw{}, list};
  CHECK(optimizer.workspace_bytes() == bytes);
  CHECK(bytes >= 2 * 5000 * 4);
  CHECK(bytes < 2 * 5000 * 4 + (tests_cuda ? 8192 : 1024));  // arrays of CUDA memory begin at multiples of 512
}

TEST_CASE("subnormal moments are kept, or flushed where that is chosen") {
  for (auto choice : {amp::subnormals::keep, amp::subnormals::flush}) {
    test_context context;
    one p(context, std::vector<float>(300, 1.0f));
    amp::mixed_optimizer optimizer{context, amp::adam{}, {p.view()}};
    optimizer.set_subnormals(choice);
    p.gradient.set(std::vector<amp::float16>(300, amp::float16(0x1p-24f)));
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
    for (int k : {0, 1}) amp::write(context, std::vector<float>{0x1p-126f}, amp::view{optimizer.state(0, k) + 280, amp::shape{1}});
    p.gradient.set(std::vector<amp::float16>(300, amp::float16(0.0f)));
    CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
    bool subnormal = false;
    for (int k : {0, 1}) {
      const float moment = read_device(context, optimizer.state(0, k) + 280);
      std::uint32_t bits;
      std::memcpy(&bits, &moment, sizeof bits);
      subnormal = subnormal || ((bits & 0x7f800000u) == 0 && bits != 0);
    }
    CHECK(subnormal == (choice == amp::subnormals::keep));
    CHECK(read_device(context, optimizer.state(0, 0)) > 0x1p-30f);
  }
}
