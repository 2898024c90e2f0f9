#include <amphora/host/context.hpp>               // host_context
#include <amphora/host/scale.hpp>                 // scale_kernels
#include <amphora/host/step.hpp>                  // step_kernels
#include <amphora/optimizer/adamw.hpp>            // adamw
#include <amphora/optimizer/lamb.hpp>             // lamb
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <random>

namespace amp = amphora;

namespace {

/// Bytes with a pattern on both sides, at any offset.
class guarded {
 public:
  guarded(std::size_t bytes, std::size_t offset) : bytes_(bytes), offset_(64 + offset), memory_(bytes + 192, 0xA5) {}
  void* data() { return memory_.data() + offset_; }
  template <class T> T* as() { return static_cast<T*>(data()); }
  bool intact() const {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if ((i < offset_ || i >= offset_ + bytes_) && memory_[i] != 0xA5) return false;
    return true;
  }
  bool operator==(const guarded& o) const { return std::memcmp(memory_.data() + offset_, o.memory_.data() + o.offset_, bytes_) == 0; }

 private:
  std::size_t bytes_, offset_;
  std::vector<unsigned char> memory_;
};

struct sizes_and_formats {
  std::int64_t n;
  amp::format_id gradient, model;
  bool master;
  bool stochastic;
};
const std::vector<sizes_and_formats> layout = {
    {1, amp::format_id::f16, amp::format_id::f16, true, false},      {63, amp::format_id::bf16, amp::format_id::bf16, true, false},
    {64, amp::format_id::f32, amp::format_id::f16, true, false},     {4097, amp::format_id::f16, amp::format_id::bf16, true, false},
    {70001, amp::format_id::f16, amp::format_id::f16, true, false},  {8192, amp::format_id::bf16, amp::format_id::none, true, false},
    {333, amp::format_id::f32, amp::format_id::f32, false, false},   {5000, amp::format_id::f16, amp::format_id::f16, false, false},
    {12345, amp::format_id::bf16, amp::format_id::bf16, false, true}, {4096, amp::format_id::f16, amp::format_id::f32, true, false},
    {0, amp::format_id::f16, amp::format_id::f16, true, false},
};

/// A model in memory of its own, at offsets that no vector load likes.
struct model {
  std::vector<guarded> masters, models, gradients, states;

  explicit model(std::size_t offset) {
    for (std::size_t k = 0; k < layout.size(); ++k) {
      const auto& l = layout[k];
      const auto n = static_cast<std::size_t>(l.n);
      masters.emplace_back(l.master ? n * 4 : 0, offset * 4);
      models.emplace_back(n * static_cast<std::size_t>(amp::size_of(l.model)), offset * static_cast<std::size_t>(amp::size_of(l.model)));
      gradients.emplace_back(n * static_cast<std::size_t>(amp::size_of(l.gradient)), offset * static_cast<std::size_t>(amp::size_of(l.gradient)));
      states.emplace_back(n * 8, offset * 4);
      std::memset(states[k].data(), 0, n * 8);
      for (std::int64_t i = 0; i < l.n; ++i) {
        const float w = static_cast<float>(i % 17 - 8) / 16;
        if (l.master) masters[k].as<float>()[i] = w;
        if (l.model != amp::format_id::none) amp::detail::store_number(l.model, w, models[k].data(), i);
      }
    }
  }
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t k = 0; k < layout.size(); ++k)
      for (std::int64_t i = 0; i < layout[k].n; ++i)
        amp::detail::store_number(layout[k].gradient, static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 64, gradients[k].data(), i);
  }
  std::vector<amp::parameter_view> list() {
    std::vector<amp::parameter_view> result;
    for (std::size_t k = 0; k < layout.size(); ++k) {
      const auto& l = layout[k];
      const amp::gradient_pointer g(gradients[k].data(), l.gradient);
      const amp::model_pointer m = l.model == amp::format_id::none ? amp::model_pointer() : amp::model_pointer(models[k].data(), l.model);
      if (l.master) result.emplace_back(masters[k].as<float>(), m, g, states[k].as<float>(), l.n);
      else result.push_back(amp::parameter_view::without_master(m, g, states[k].as<float>(), l.n, l.stochastic));
    }
    return result;
  }
  bool intact() const {
    bool result = true;
    for (const auto* list : {&masters, &models, &gradients, &states})
      for (const guarded& g : *list) result = result && g.intact();
    return result;
  }
  bool operator==(const model& o) const { return masters == o.masters && models == o.models && states == o.states; }
};

template <class Rule, class Clip>
void compare(const Rule& rule, const Clip& clip) {
  model first(0);
  double first_norms[4] = {};
  for (int threads : {1, 2, 3, 5})
    for (int level : {0, 1, 2}) {
      model m(static_cast<std::size_t>(threads % 4));
      amp::host_context context(threads);
      amp::mixed_optimizer optimizer{context, rule, m.list()};
      optimizer.limit_level(level);
      for (unsigned step = 0; step < 4; ++step) {
        m.fill(step);
        auto outcome = optimizer.step(context, optimizer.gradients(), clip);
        REQUIRE(outcome.wait_result(context) == amp::step_result::stepped);
        if (threads == 1 && level == 0) first_norms[step] = *optimizer.norm();
        CHECK(*optimizer.norm() == first_norms[step]);
      }
      CAPTURE(threads);
      CAPTURE(level);
      CHECK(m.intact());
      if (threads == 1 && level == 0) first = m;
      CHECK(m == first);
    }
}

}  // namespace

TEST_CASE("a step has the same bits at every level, thread count and alignment, and writes nothing beside its tensors") {
  compare(amp::adamw{}, amp::no_clip{});
  compare(amp::adamw{}, amp::clip_global_norm{1.0f});
}
TEST_CASE("so has a rule with a norm for each tensor") { compare(amp::lamb{}, amp::clip_global_norm{1.0f}); }
TEST_CASE("so have clipping by value and by another norm") {
  compare(amp::adamw{}, amp::clip_value{0.5f});
  compare(amp::adamw{}, amp::clip_global_norm{1.0f, 3});
}

TEST_CASE("the elementwise update is the rule on each element, and the copies are its weights rounded once") {
  model m(1);
  std::vector<std::vector<float>> weights(layout.size());
  for (std::size_t k = 0; k < layout.size(); ++k)
    for (std::int64_t i = 0; i < layout[k].n; ++i) weights[k].push_back(layout[k].master ? m.masters[k].as<float>()[i] : amp::detail::load_number(layout[k].model, m.models[k].data(), i));
  amp::host_context context(2);
  const amp::adamw rule{0.01f};
  amp::mixed_optimizer optimizer{context, rule, m.list()};
  m.fill(7);
  auto outcome = optimizer.step(context, optimizer.gradients());
  CHECK(outcome.wait_record(context).found_non_finite == 0);
  const auto now = rule.at(0.01f, 1);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    if (layout[k].stochastic) continue;
    bool equal = true;
    for (std::int64_t i = 0; i < layout[k].n; ++i) {
      amp::real w = weights[k][static_cast<std::size_t>(i)], s[2] = {0.0f, 0.0f};
      rule(amp::detail::load_number(layout[k].gradient, m.gradients[k].data(), i), w, s, now);
      const float* state = m.states[k].as<float>();
      equal = equal && state[i] == s[0].x && state[layout[k].n + i] == s[1].x;
      if (layout[k].master) equal = equal && m.masters[k].as<float>()[i] == w.x;
      if (layout[k].model == amp::format_id::none) continue;
      double rounded[1] = {};  // room for any format
      amp::detail::store_number(layout[k].model, w.x, rounded, 0);
      equal = equal && amp::detail::load_number(layout[k].model, m.models[k].data(), i) == amp::detail::load_number(layout[k].model, rounded, 0);
    }
    CAPTURE(k);
    CHECK(equal);
  }
}

TEST_CASE("from the second step on nothing is allocated") {
  model m(0);
  amp::host_context context(2);
  amp::mixed_optimizer optimizer{context, amp::adamw{}, m.list()};
  m.fill(1);
  CHECK(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1}).wait_result(context) == amp::step_result::stepped);
  const auto before = context.allocations();
  for (int k = 0; k < 3; ++k) CHECK(optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1}).wait_result(context) == amp::step_result::stepped);
  CHECK(context.allocations() == before);
}

TEST_CASE("a list that is too large for the cache steps to the bits of its parts") {
  constexpr std::int64_t n = 3 << 19, half = n / 2;
  static_assert(n > amp::detail::large_step && half < amp::detail::large_step);
  for (int level = 0; level <= 2; ++level)
    for (std::size_t offset : {0, 1}) {  // whole lines, and copies that have none
      std::vector<float> whole_master(n, 0.5f), parts_master(n, 0.5f);
      std::vector<amp::float16> gradients(n), whole(n + 64), parts(n + 64);
      for (std::int64_t i = 0; i < n; ++i) gradients[static_cast<std::size_t>(i)] = amp::float16(static_cast<float>(i * 7919 % 4001 - 2000) / 256);
      const auto aligned = [&](std::vector<amp::float16>& memory) {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
        return memory.data() + (64 - begin % 64) % 64 / 2 + offset;
      };
      amp::host_context context;
      amp::mixed_optimizer one{context, amp::adamw{}, {{whole_master.data(), aligned(whole), gradients.data(), nullptr, n}}};
      one.limit_level(level);
      CHECK(one.step(context, one.gradients()).wait_result(context) == amp::step_result::stepped);
      for (std::int64_t at : {std::int64_t(0), half}) {
        amp::mixed_optimizer part{context, amp::adamw{}, {{parts_master.data() + at, aligned(parts) + at, gradients.data() + at, nullptr, half}}};
        part.limit_level(level);
        CHECK(part.step(context, part.gradients()).wait_result(context) == amp::step_result::stepped);
      }
      CHECK(std::memcmp(whole_master.data(), parts_master.data(), n * sizeof(float)) == 0);
      CHECK(std::memcmp(aligned(whole), aligned(parts), n * sizeof(amp::float16)) == 0);
    }
}
