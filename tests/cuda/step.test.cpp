#include "step_model.hpp"

#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/sgd.hpp>

namespace amp = amphora;
using check::fill;

namespace {

/// A thousand small tensors of one kind.
std::vector<check::layout> thousand() {
  std::vector<check::layout> result;
  for (int k = 0; k < 1000; ++k) result.push_back({1 + k % 90, amp::format_id::f16, amp::format_id::f16});
  return result;
}
/// How many kernels a call runs; 0 where nobody counts.
template <class Call> std::int64_t launches_of(const Call& call) {
#if defined(AMPHORA_EMULATED_CUDA)
  const std::int64_t before = emulated::launches;
  call();
  return emulated::launches - before;
#else
  call();
  return 0;
#endif
}
std::int64_t waits() {
#if defined(AMPHORA_EMULATED_CUDA)
  return emulated::waits;
#else
  return 0;
#endif
}
#if defined(AMPHORA_EMULATED_CUDA)
constexpr bool counts = true;
#else
constexpr bool counts = false;
#endif

}  // namespace

TEST_CASE("B19 a mixed list has the host's bits on devices of any size, in any order, and nothing beside its tensors is written") {
  for (std::size_t offset : {0, 1, 4}) {
    CAPTURE(offset);
    check::plan what;
    what.offset = offset;
    const auto host = check::on_both(what, amp::adamw{}, amp::clip_global_norm{1.0f}, amp::constant{}, true);
    CHECK(host.records.back().result == amp::step_result::stepped);
  }
}
TEST_CASE("what is not finite is skipped, saturated or set to zero as on the host, and counted") {
  for (amp::on_overflow choice : {amp::on_overflow::skip, amp::on_overflow::saturate, amp::on_overflow::zero})
    for (float scale : {1024.0f, 0.125f, 0x1p-110f}) {
      CAPTURE(static_cast<int>(choice));
      CAPTURE(scale);
      check::plan what;
      what.fills = {fill::plain, fill::infinite, fill::not_a_number, fill::zeros, fill::large, fill::tiny};
      what.choice = choice, what.scale = scale;
      check::on_both(what, amp::sgd{0.1f, 0.9}, amp::clip_global_norm{1.0f});
    }
}
TEST_CASE("every clip is the host's, in one call, in parts and after unscale") {
  for (int how = 0; how < 3; ++how) {
    CAPTURE(how);
    check::plan what;
    what.fills = {fill::plain, fill::infinite, fill::tiny};
    what.in_parts = how == 1, what.unscale_first = how == 2;
    const amp::sgd rule{0.1f, 0.9};
    check::on_both(what, rule, amp::no_clip{});
    check::on_both(what, rule, amp::clip_value{0.01f});
    check::on_both(what, rule, amp::clip_global_norm{0.5f});
    check::on_both(what, rule, amp::clip_global_norm{0.5f, 1});
    check::on_both(what, rule, amp::clip_global_norm{0.01f, std::numeric_limits<double>::infinity()});
    what.choice = amp::on_overflow::zero;
    check::on_both(what, rule, amp::clip_global_norm{0.5f});
    if (counts) check::on_both(what, rule, amp::clip_global_norm{0.5f, 3});  // CUDA's pow is not libm's
  }
}
TEST_CASE("a parameter without a gradient does not step; none at all is its own outcome") {
  check::plan what;
  what.without_gradient = {0, 3, 11};
  check::on_both(what, amp::adamw{}, amp::clip_global_norm{1.0f}, amp::constant{}, true);
  check::on_both(what, amp::lamb{}, amp::clip_global_norm{1.0f}, amp::constant{}, true);
  for (std::size_t k = 0; k < what.layouts.size(); ++k) what.without_gradient.push_back(k);
  const auto host = check::on_both(what, amp::adamw{});
  CHECK(host.records[0].result == amp::step_result::nothing);
  CHECK(host.records[1].result == amp::step_result::stepped);
}
TEST_CASE("rules with a norm for each tensor have the host's bits at every alignment") {
  for (std::size_t offset : {0, 3}) {
    check::plan what;
    what.offset = offset, what.fills = {fill::plain, fill::infinite, fill::plain};
    check::on_both(what, amp::lamb{}, amp::clip_global_norm{1.0f}, amp::constant{}, true);
  }
}

TEST_CASE("a thousand tensors take as many launches as one, and from the second step on nothing waits or is allocated") {
  amp::cuda_context context;
  check::model<amp::cuda_context> m(context, thousand(), 2, 0);
  amp::mixed_optimizer<amp::adamw, amp::cuda_context> optimizer(context, amp::adamw{}, m.parameters(false));
  m.set_gradients(fill::plain, 1);
  const auto step = [&] { static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1.0f})); };
  step();
  const auto before = waits();
  const auto allocations = context.allocations();
  const auto launches = launches_of(step);
  CHECK(context.allocations() == allocations);
  CHECK(waits() == before);
  if (counts) CHECK(launches == 2);
  const auto with_norm = launches_of([&] { static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1.0f, 3})); });
  if (counts) CHECK(with_norm == 7);  // check, two passes and what ends them, decision, update
  const auto parts = launches_of([&] {
    optimizer.check(context, optimizer.gradients());
    optimizer.decide(context);
    static_cast<void>(optimizer.update(context));
  });
  if (counts) CHECK(parts == 3);
}
TEST_CASE("a thousand tensors have the host's bits") {
  check::plan what;
  what.layouts = thousand();
  check::on_both(what, amp::adamw{}, amp::clip_global_norm{1.0f});
  check::on_both(what, amp::lamb{});
}
TEST_CASE("a rule with norms takes two launches more") {
  amp::cuda_context context;
  check::model<amp::cuda_context> m(context, check::mixed, 2, 0);
  amp::mixed_optimizer<amp::lamb, amp::cuda_context> optimizer(context, {amp::lamb{}, amp::lamb{}}, m.parameters(true));
  m.set_gradients(fill::plain, 1);
  const auto step = [&] { static_cast<void>(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1.0f})); };
  step();
  const auto launches = launches_of(step);
  if (counts) CHECK(launches == 4);
}

namespace {

/// What the gradient tools find and write on a context.
template <class Context> std::vector<double> tools(Context& context, amp::on_overflow choice, fill kind, std::size_t offset, double order, float limit) {
  check::model<Context> m(context, check::mixed, 0, offset);
  const auto parameters = m.parameters(false);
  std::vector<amp::gradient_view> gradients;
  for (const auto& p : parameters) gradients.emplace_back(p.gradient, p.n);
  gradients[3].data = nullptr;
  std::vector<amp::tensor<float, Context>> floats;
  std::vector<amp::view<float>> views;
  for (const auto& g : gradients) floats.emplace_back(context, amp::shape{g.n});
  for (auto& f : floats) views.push_back(f.view());
  amp::scaler<Context, amp::growth> scaler(context, amp::growth{});
  std::vector<double> result;
  for (int round = 0; round < 2; ++round) {
    m.set_gradients(kind, 3);
    auto unscaled = amp::unscale(context, amp::scaled(amp::gradient_list(gradients), scaler.ticket(context)), choice);
    const auto note = [&] {
      const auto facts = check::read(context, unscaled.facts());
      const std::vector<double> found = {facts.norm, facts.clip_norm, double(facts.non_finite), double(facts.found_non_finite), double(facts.coefficient), double(facts.limit)};
      const std::vector<double> orders = {0.0, 1.0, 2.0, std::numeric_limits<double>::infinity()};
      result.insert(result.end(), found.begin(), found.end());
      for (double order_now : orders) result.push_back(amp::wait_global_norm(context, unscaled, order_now));
    };
    note();
    amp::clip_gradients(context, unscaled, amp::clip_global_norm{1.0f, order}), note();
    if (limit > 0) amp::clip_gradients(context, unscaled, amp::clip_value{limit}), note();
    amp::clip_gradients(context, unscaled, amp::clip_global_norm{0.5f}), note();
    amp::materialize(context, unscaled, views);
    for (std::size_t k = 0; k < views.size(); ++k)
      if (gradients[k].data)
        for (float x : amp::wait_read(context, views[k])) result.push_back(static_cast<double>(x));
    scaler.update(context, unscaled);
  }
  return result;
}

}  // namespace

TEST_CASE("norms, clipping and materialised gradients are the host's") {
  for (fill kind : {fill::plain, fill::infinite, fill::tiny, fill::large})
    for (amp::on_overflow choice : {amp::on_overflow::skip, amp::on_overflow::saturate, amp::on_overflow::zero}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(static_cast<int>(choice));
      const std::size_t offset = kind == fill::plain ? 0 : 1;
      const double order = choice == amp::on_overflow::zero ? 1 : 2;
      const float limit = choice == amp::on_overflow::saturate ? 1e-3f : 0;
      amp::host_context host(1);
      amp::cuda_context context;
      const auto a = tools(host, choice, kind, offset, order, limit), b = tools(context, choice, kind, offset, order, limit);
      REQUIRE(a.size() == b.size());
      std::size_t different = 0;
      for (std::size_t i = 0; i < a.size(); ++i) different += std::memcmp(&a[i], &b[i], 8) != 0 && !(a[i] != a[i] && b[i] != b[i]);
      CHECK(different == 0);
    }
}
TEST_CASE("gradients are added, and masters read anew, as on the host") {
  const auto both = [](auto& context) {
    using context_type = std::remove_reference_t<decltype(context)>;
    std::vector<std::vector<unsigned char>> result;
    for (std::size_t offset = 0; offset < 2; ++offset) {
      check::model<context_type> m(context, {{70001, amp::format_id::f16, amp::format_id::bf16}, {70001, amp::format_id::bf16, amp::format_id::f16}, {70001, amp::format_id::f32, amp::format_id::f32}}, 0, offset);
      m.set_gradients(fill::plain, 5);
      const auto p = m.parameters(false);
      const auto view_of = [&](auto tag, const amp::gradient_pointer& g) { return amp::view<decltype(tag)>(static_cast<decltype(tag)*>(const_cast<void*>(g.data)), amp::shape{70001}); };
      amp::add_gradients(context, view_of(amp::float16(), p[0].gradient), view_of(0.0f, p[2].gradient));
      amp::add_gradients(context, view_of(amp::bfloat16(), p[1].gradient), view_of(amp::float16(), p[0].gradient));
      amp::add_gradients(context, view_of(0.0f, p[2].gradient), view_of(amp::bfloat16(), p[1].gradient));
      amp::mixed_optimizer<amp::sgd, context_type> optimizer(context, amp::sgd{}, m.parameters(false));
      static_cast<void>(optimizer.step(context, optimizer.gradients()));
      optimizer.refresh_masters(context);
      result.push_back(m.bytes());
    }
    return result;
  };
  amp::host_context host(1);
  amp::cuda_context context;
  const auto a = both(host), b = both(context);
  CHECK((a == b));
}
