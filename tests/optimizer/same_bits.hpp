// A run on the host and on the CUDA device, in one program, and all that it leaves behind.
#pragma once
#include <amphora/host/context.hpp>               // host_context
#include <amphora/host/scale.hpp>                 // scale_kernels
#include <amphora/host/step.hpp>                  // step_kernels
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/schedule.hpp>         // warmup_cosine
#include <amphora/scale/growth.hpp>               // growth
#include <amphora/scale/scaled_loss.hpp>          // scaled_loss
#include <amphora/scale/scaler.hpp>               // scaler
#include <amphora/tensor/transfer.hpp>            // write, wait_read

#include <device.hpp>  // test_context

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace same_bits {

namespace amp = amphora;

using bytes = std::vector<unsigned char>;
/// What a run leaves behind, each array with its name.
using remains = std::vector<std::pair<std::string, bytes>>;

template <class T> bytes bytes_of(const T* numbers, std::size_t count) {
  bytes result(count * sizeof(T));
  if (count > 0) std::memcpy(result.data(), numbers, result.size());
  return result;
}

/// An array in a context's memory.
template <class T, class Context>
struct array {
  Context& context;
  amp::tensor<T, Context> memory;

  array(Context& its_context, const std::vector<float>& start) : context(its_context), memory(its_context, {static_cast<std::int64_t>(start.size())}) { set(start); }
  void set(const std::vector<float>& numbers) { amp::write(context, std::vector<T>(numbers.begin(), numbers.end()), memory); }
  T* data() { return memory.data(); }
  std::int64_t size() const { return memory.size(); }
  bytes get() const {
    const std::vector<T> numbers = amp::wait_read(context, memory);
    return bytes_of(numbers.data(), numbers.size());
  }
};

struct plan {
  amp::on_overflow choice = amp::on_overflow::skip;
  amp::subnormals subnormals = amp::subnormals::keep;
  float size = 1;  ///< of the gradients
};

/// Gradients of one step: about normal, with zeros, of one tensor sometimes infinite.
inline std::vector<float> gradient(std::mt19937& random, std::size_t n, float size, bool spoiled) {
  std::normal_distribution<float> normal(0.0f, size);
  std::vector<float> result(n);
  for (float& g : result) g = random() % 8 ? normal(random) : 0.0f;
  if (spoiled) result[n / 2] = n % 2 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return result;
}

/// Twenty steps of tensors in every format, at aligned and odd places, with a scaler, a schedule, clips, two groups, absent
/// gradients, and two steps that are skipped.
template <class Context, class Rule>
remains after(const Rule& rule, const plan& how) {
  Context context;
  std::mt19937 random(5);
  const std::size_t sizes[] = {9001, 333, 70, 515, 1, 4096};
  std::vector<std::vector<float>> start;
  for (std::size_t n : sizes) start.push_back(gradient(random, n, 1, false));
  array<float, Context> master0(context, start[0]), master1(context, start[1]), copy1(context, start[1]), weights2(context, start[2]), master5(context, start[5]), loss(context, {1});
  array<amp::float16, Context> model0(context, start[0]), other1(context, start[1]), low4(context, start[4]), gradient0(context, start[0]), gradient4(context, start[4]);
  array<amp::bfloat16, Context> model1(context, start[1]), low3(context, start[3]), gradient1(context, start[1]), gradient3(context, start[3]);
  array<float, Context> gradient2(context, start[2]), gradient5(context, start[5]), state3(context, std::vector<float>(3 * 515, 0.0f));

  std::vector<amp::parameter_view> list{
      {master0.data() + 1, model0.data() + 1, gradient0.data() + 1, nullptr, 9000},
      {master1.data(), model1.data(), gradient1.data(), nullptr, 333},
      {static_cast<float*>(nullptr), weights2.data(), gradient2.data(), nullptr, 70},
      amp::parameter_view::without_master(low3.data(), gradient3.data(), state3.data(), 515, true),
      amp::parameter_view::without_master(low4.data(), gradient4.data(), nullptr, 1),
      {master5.data(), nullptr, gradient5.data(), nullptr, 4096}};
  list[1].add_copy(other1.data()).add_copy(copy1.data());
  list[2].group = list[4].group = 1;

  Rule second = rule;
  second.learning_rate = rule.learning_rate / 2;
  amp::mixed_optimizer optimizer{context, std::vector<Rule>{rule, second}, list, amp::warmup_cosine{4, 20, 0.25}};
  optimizer.set_seed(11), optimizer.set_on_overflow(how.choice), optimizer.set_subnormals(how.subnormals);
  amp::growth growing;
  growing.initial_scale = 256, growing.growth_interval = 3;
  amp::scaler<Context> scaler(context, growing);

  remains result;
  const auto keep = [&](const std::string& name, bytes content) { result.emplace_back(name, std::move(content)); };
  for (int step = 0; step < 20; ++step) {
    auto scaled = scaler.scale(context, loss.memory);
    const float scale = amp::wait_read(context, scaled.value())[0], size = how.size * scale;
    gradient0.set(gradient(random, sizes[0], size, step == 3)), gradient1.set(gradient(random, sizes[1], size, false));
    gradient2.set(gradient(random, sizes[2], size, false)), gradient3.set(gradient(random, sizes[3], size, step == 11));
    gradient4.set(gradient(random, sizes[4], size, false)), gradient5.set(gradient(random, sizes[5], size, false));
    std::vector<amp::gradient_view> gradients(optimizer.gradients().begin(), optimizer.gradients().end());
    if (step % 5 == 4) gradients[1] = gradients[4] = amp::gradient_view();  // these have none in this step
    auto handle = amp::scaled(amp::gradient_list(gradients), scaled.ticket());
    auto outcome = step % 4 == 1   ? optimizer.step(context, std::move(handle), amp::clip_global_norm{how.size})
                   : step % 4 == 2 ? optimizer.step(context, std::move(handle), amp::clip_value{how.size / 2})
                   : step % 4 == 3 ? optimizer.step(context, std::move(handle), amp::clip_global_norm{how.size, HUGE_VAL})
                                   : optimizer.step(context, std::move(handle));
    const auto record = outcome.wait_record(context);
    const auto facts = optimizer.wait_facts(context);
    const double norms[] = {facts.norm, facts.clip_norm};
    const std::string at = "step " + std::to_string(step);
    keep(at + " result", bytes_of(&record.result, 1)), keep(at + " changed", bytes_of(&record.changed, 1));
    keep(at + " non-finite", bytes_of(&facts.non_finite, 1));
    if (!facts.non_finite) keep(at + " norms", bytes_of(norms, 2));
    keep(at + " coefficient", bytes_of(&facts.coefficient, 1));
    keep(at + " master 0", master0.get());
    if (how.choice == amp::on_overflow::skip) CHECK(record.result == (step == 3 || step == 11 ? amp::step_result::skipped : amp::step_result::stepped));
    scaler.update(context, outcome);
  }
  const std::int64_t counts[] = {optimizer.wait_taken(context), optimizer.wait_skipped(context), optimizer.wait_step_count(context, 1), optimizer.wait_step_count(context, 5)};
  keep("counts", bytes_of(counts, 4));
  const float scale = scaler.wait_scale(context);
  keep("scale", bytes_of(&scale, 1));
  keep("model 0", model0.get()), keep("master 1", master1.get()), keep("model 1", model1.get()), keep("f16 copy 1", other1.get()), keep("f32 copy 1", copy1.get());
  keep("weights 2", weights2.get()), keep("stochastic 3", low3.get()), keep("f16 4", low4.get()), keep("master 5", master5.get());
  for (int k = 0; k < 6; ++k)
    for (int which = 0; which < amp::rule_traits<Rule>::states; ++which) {
      const auto state = amp::wait_read(context, amp::view<const float>{optimizer.state(k, which), amp::shape{list[static_cast<std::size_t>(k)].n}});
      keep("state " + std::to_string(which) + " of " + std::to_string(k), bytes_of(state.data(), state.size()));
    }
  if constexpr (amp::rule_traits<Rule>::has_scalars)
    for (int k = 0; k < 6; ++k) {
      const auto own = optimizer.wait_scalars(context, k);
      keep("scalars of " + std::to_string(k), bytes_of(&own, 1));
    }
  return result;
}

/// Both runs, compared array by array.
template <class Rule> void compare(Rule rule, const plan& how = {}) {
  rule.learning_rate = 0.01f;
  const remains host = after<amp::host_context>(rule, how), cuda = after<amp::cuda_context>(rule, how);
  REQUIRE(host.size() == cuda.size());
  CHECK(host.size() > 120);
  for (std::size_t k = 0; k < host.size(); ++k) {
    CAPTURE(host[k].first);
    CHECK(host[k].second == cuda[k].second);
  }
}

}  // namespace same_bits
