// The same optimizer steps on the host and on CUDA, with all memory of a model in one array of bytes to compare.
#pragma once
#include <amphora/cuda/context.cuh>
#include <amphora/cuda/scale.cuh>
#include <amphora/cuda/step.cuh>
#include <amphora/host/block.hpp>
#include <amphora/host/context.hpp>
#include <amphora/host/scale.hpp>
#include <amphora/host/step.hpp>
#include <amphora/optimizer/add_gradients.hpp>
#include <amphora/optimizer/clip_gradients.hpp>
#include <amphora/optimizer/global_norm.hpp>
#include <amphora/optimizer/materialize.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/scale/growth.hpp>
#include <amphora/scale/scaler.hpp>
#include <amphora/tensor/transfer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace check {

struct layout {
  std::int64_t n;
  amphora::format_id gradient, model;
  bool master = true, stochastic = false;
  int copies = 0, group = 0;
};

using amphora::format_id;
/// Sizes at which loops over eights, warps and chunks begin and end, in all formats.
inline const std::vector<layout> mixed = {
    {1, format_id::f16, format_id::f16},   {7, format_id::bf16, format_id::bf16},           {64, format_id::f32, format_id::f16, true, false, 3, 1},
    {4095, format_id::f16, format_id::bf16}, {4096, format_id::f16, format_id::f16},         {4097, format_id::bf16, format_id::none},
    {333, format_id::f32, format_id::f32, false, false, 2, 1}, {5000, format_id::f16, format_id::f16, false}, {12345, format_id::bf16, format_id::bf16, false, true},
    {8192, format_id::f32, format_id::f32}, {0, format_id::f16, format_id::f16},             {30001, format_id::f16, format_id::f16},
};

enum class fill { plain, zeros, tiny, large, infinite, not_a_number };

/// A model in a context's memory: every tensor `offset` elements past an aligned place, a pattern on both sides.
template <class Context>
class model {
 public:
  model(Context& context, std::vector<layout> layouts, int states, std::size_t offset) : context_(context), layouts_(std::move(layouts)), offset_(offset) {
    for (const layout& l : layouts_) {
      const auto n = static_cast<std::size_t>(l.n);
      const auto size = [](format_id format) { return static_cast<std::size_t>(amphora::size_of(format)); };
      places place;
      place.gradient = reserve(n * size(l.gradient), size(l.gradient));
      place.master = reserve(l.master ? n * 4 : 0, 4);
      place.model = reserve(n * size(l.model), size(l.model));
      place.state = reserve(n * 4 * static_cast<std::size_t>(states), 4);
      for (int k = 0; k < l.copies; ++k) place.copies.push_back(reserve(n * size(copy_format(k)), size(copy_format(k))));
      places_.push_back(place);
    }
    bytes_.resize(end_, 0xA5);
    for (std::size_t k = 0; k < layouts_.size(); ++k) {
      const layout& l = layouts_[k];
      std::memset(bytes_.data() + places_[k].state, 0, static_cast<std::size_t>(l.n) * 4 * static_cast<std::size_t>(states));
      for (std::int64_t i = 0; i < l.n; ++i) {
        const float w = static_cast<float>((i + std::int64_t(k)) % 17 - 8) / 16;
        if (l.master) put(format_id::f32, w, places_[k].master, i);
        if (l.model != format_id::none) put(l.model, w, places_[k].model, i);
        for (int c = 0; c < l.copies; ++c) put(copy_format(c), w, places_[k].copies[static_cast<std::size_t>(c)], i);
      }
    }
    memory_ = amphora::tensor<unsigned char, Context>(context, {static_cast<std::int64_t>(bytes_.size())});
    amphora::write(context, bytes_, memory_);
  }
  std::vector<amphora::parameter_view> parameters(bool own_state) {
    std::vector<amphora::parameter_view> result;
    for (std::size_t k = 0; k < layouts_.size(); ++k) {
      const layout& l = layouts_[k];
      float* const state = own_state ? static_cast<float*>(at(places_[k].state)) : nullptr;
      const amphora::model_pointer m = l.model == format_id::none ? amphora::model_pointer() : amphora::model_pointer(at(places_[k].model), l.model);
      const amphora::gradient_pointer g(at(places_[k].gradient), l.gradient);
      if (l.master) result.emplace_back(static_cast<float*>(at(places_[k].master)), m, g, state, l.n);
      else result.push_back(amphora::parameter_view::without_master(m, g, state, l.n, l.stochastic));
      for (int c = 0; c < l.copies; ++c) result.back().add_copy({at(places_[k].copies[static_cast<std::size_t>(c)]), copy_format(c)});
      result.back().group = l.group;
    }
    return result;
  }
  /// New gradients, by a seed; what is special comes here and there.
  void set_gradients(fill kind, unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < layouts_.size(); ++k)
      for (std::int64_t i = 0; i < layouts_[k].n; ++i) {
        float x = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 64;
        const bool here = random() % 5000 == 0;
        if (kind == fill::zeros) x = 0;
        if (kind == fill::tiny) x *= layouts_[k].gradient == format_id::f16 ? 0x1p-24f : 0x1p-80f;
        if (kind == fill::large) x *= layouts_[k].gradient == format_id::f16 ? 2048.0f : 0x1p80f;
        if (kind == fill::infinite && here) x = random() % 2 ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
        if (kind == fill::not_a_number && here) x = std::numeric_limits<float>::quiet_NaN();
        put(layouts_[k].gradient, x, places_[k].gradient, i);
      }
    const std::vector<unsigned char> now = bytes();
    std::vector<unsigned char> next = now;
    for (std::size_t k = 0; k < layouts_.size(); ++k)
      std::memcpy(next.data() + places_[k].gradient, bytes_.data() + places_[k].gradient, static_cast<std::size_t>(layouts_[k].n * amphora::size_of(layouts_[k].gradient)));
    amphora::write(context_, next, memory_);
  }
  std::vector<unsigned char> bytes() const { return amphora::wait_read(context_, memory_); }

 private:
  struct places { std::size_t gradient, master, model, state; std::vector<std::size_t> copies; };

  static format_id copy_format(int k) { return k == 0 ? format_id::bf16 : k == 1 ? format_id::f16 : format_id::f32; }
  std::size_t reserve(std::size_t bytes, std::size_t unit) {
    const std::size_t begin = (end_ + 63) / 64 * 64 + 64 + offset_ * unit;
    end_ = begin + bytes + 64;
    return begin;
  }
  void put(format_id format, float x, std::size_t place, std::int64_t i) { amphora::detail::store_number(format, x, bytes_.data() + place, i); }
  void* at(std::size_t place) { return memory_.data() + place; }

  Context& context_;
  std::vector<layout> layouts_;
  std::size_t offset_, end_ = 0;
  std::vector<places> places_;
  std::vector<unsigned char> bytes_;
  amphora::tensor<unsigned char, Context> memory_;
};

/// A few steps, and all that they left.
struct history {
  std::vector<unsigned char> bytes;  ///< of the model, after the last step
  std::vector<amphora::step_record> records;
  std::vector<amphora::gradient_facts> facts;
  std::vector<std::int64_t> counts;
};

struct plan {
  std::vector<layout> layouts = mixed;
  std::vector<fill> fills = {fill::plain, fill::plain, fill::plain};
  std::size_t offset = 0;
  float scale = 1024;
  amphora::on_overflow choice = amphora::on_overflow::skip;
  bool own_state = true, unscale_first = false, in_parts = false;
  std::vector<std::size_t> without_gradient = {};
};

template <class Context, class Rule, class Clip = amphora::no_clip, class Schedule = amphora::constant>
history run(Context& context, const plan& what, const std::vector<Rule>& rules, const Clip& clip = {}, const Schedule& schedule = {}) {
  model<Context> m(context, what.layouts, amphora::rule_traits<Rule>::states, what.offset);
  amphora::mixed_optimizer<Rule, Context, Schedule> optimizer(context, rules, m.parameters(what.own_state), schedule);
  optimizer.set_on_overflow(what.choice), optimizer.set_seed(42);
  amphora::scaler<Context, amphora::growth> scaler(context, amphora::growth{});
  history result;
  unsigned seed = 0;
  for (fill kind : what.fills) {
    m.set_gradients(kind, seed++);
    scaler.set_scale(context, what.scale);
    std::vector<amphora::gradient_view> gradients(optimizer.gradients().begin(), optimizer.gradients().end());
    for (std::size_t k : what.without_gradient)
      if (seed % 2 == 1) gradients[k].data = nullptr;
    amphora::scaled scaled(amphora::gradient_list(gradients), scaler.ticket(context));
    const auto note = [&](amphora::outcome<Context> outcome) {
      result.records.push_back(outcome.wait_record(context)), result.facts.push_back(optimizer.wait_facts(context));
      scaler.update(context, outcome);
    };
    if (what.in_parts) {
      optimizer.check(context, std::move(scaled)), optimizer.decide(context, clip);
      note(optimizer.update(context));
    } else if (what.unscale_first) {
      note(optimizer.step(context, amphora::unscale(context, std::move(scaled), what.choice), clip));
    } else {
      note(optimizer.step(context, std::move(scaled), clip));
    }
  }
  result.bytes = m.bytes();
  result.counts = {optimizer.wait_taken(context), optimizer.wait_skipped(context)};
  for (std::size_t k = 0; k < what.layouts.size(); ++k) result.counts.push_back(optimizer.wait_step_count(context, static_cast<int>(k)));
  return result;
}

template <class Context, class T> T read(Context& context, const T* from) {
  T value;
  amphora::scale_kernels<typename Context::device>::wait_read(context, from, &value, sizeof(T));
  return value;
}

inline void same(const history& host, const history& device) {
  CHECK((host.bytes == device.bytes));
  CHECK((host.counts == device.counts));
  REQUIRE(host.records.size() == device.records.size());
  for (std::size_t k = 0; k < host.records.size(); ++k) {
    CAPTURE(k);
    CHECK(host.records[k].result == device.records[k].result);
    CHECK(host.records[k].found_non_finite == device.records[k].found_non_finite);
    CHECK(host.records[k].changed == device.records[k].changed);
    const auto same_bits = [](double a, double b) { return std::memcmp(&a, &b, 8) == 0 || (a != a && b != b); };
    CHECK(same_bits(host.facts[k].norm, device.facts[k].norm));
    CHECK(same_bits(host.facts[k].clip_norm, device.facts[k].clip_norm));
    CHECK(host.facts[k].non_finite == device.facts[k].non_finite);
    CHECK(host.facts[k].found_non_finite == device.facts[k].found_non_finite);
    CHECK(host.facts[k].present == device.facts[k].present);
    CHECK(host.facts[k].inverse == device.facts[k].inverse);
    CHECK(host.facts[k].coefficient == device.facts[k].coefficient);
    CHECK(host.facts[k].limit == device.facts[k].limit);
    CHECK(host.facts[k].choice == device.facts[k].choice);
  }
}

/// How many multiprocessors there seem to be, where that can be set, and the order of blocks.
struct device_with {
#if defined(AMPHORA_EMULATED_CUDA)
  device_with(int multiprocessors, bool reverse) { emulated::multiprocessors = multiprocessors, emulated::reverse = reverse; }
  ~device_with() { emulated::multiprocessors = 4, emulated::reverse = false; }
#else
  device_with(int, bool) {}
#endif
};

/// The plan on the host and on CUDA, there on devices of several sizes and in both orders.
template <class Rule, class Clip = amphora::no_clip, class Schedule = amphora::constant>
history on_both(const plan& what, const Rule& rule, const Clip& clip = {}, const Schedule& schedule = {}, bool all = false) {
  Rule slower = rule;
  slower.learning_rate = rule.learning_rate / 2;
  const std::vector<Rule> rules = {rule, slower};
  amphora::host_context host(2);
  const history expected = run(host, what, rules, clip, schedule);
  for (int multiprocessors : {1, 4, 132}) {
    if (!all && multiprocessors != 4) continue;
    const device_with device(multiprocessors, multiprocessors != 1);
    amphora::cuda_context context;
    same(expected, run(context, what, rules, clip, schedule));
  }
  return expected;
}

}  // namespace check
