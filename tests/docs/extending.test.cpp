// What docs/extending.md shows: each point of extension, used from outside the library's namespace.
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace amp = amphora;

//! [storage]
namespace theirs {
struct half { std::uint16_t bits; };  // a framework's own type: the bits of an f16
}
template <> struct amphora::format_of<theirs::half> { using type = amphora::f16; };
//! [storage]

static_assert(amp::is_storage_v<theirs::half>);
static_assert(std::is_same_v<amp::view<theirs::half>::format, amp::f16>);

//! [op]
namespace my_op {
struct rotary { using parent = amphora::op::promoting; };  // an op: one more leaf of a class
struct physics { using parent = amphora::op::sensitive; };  // a branch, for settings of its own
struct energy { using parent = physics; };
}
struct simulation : amphora::amend<amphora::o1<amphora::f16>, amphora::in<my_op::physics, amphora::compute<amphora::f64>>> {};
static_assert(std::is_same_v<amphora::compute_t<simulation, my_op::energy>, amphora::f64>);
static_assert(std::is_same_v<amphora::compute_t<simulation, my_op::rotary, amphora::f16, amphora::f32>, amphora::f32>);
//! [op]

//! [call]
// Squares and sums. Under any policy it reads what it is given and works in float, since it is a reduction.
struct square_sum {
  using parent = amphora::op::reduction;

  template <class Policy, class Context, class X>
  static auto forward(Context& context, const X& x) {
    return amphora::mse_loss<Policy>(context, x, amphora::view{&zero, {}}, amphora::reduction::sum);
  }
  static constexpr float zero = 0;
};
//! [call]

//! [role]
namespace my_role { struct communicate {}; }
template <class Format> struct communicate : amphora::setting<my_role::communicate, Format> {};
struct trained : amphora::policy<communicate<amphora::bf16>> {};
static_assert(std::is_same_v<amphora::setting_t<trained, my_role::communicate>, amphora::bf16>);
//! [role]

//! [rule]
// Sign descent with momentum: one float of state for each element.
struct sign_descent {
  float learning_rate = 1e-3f;
  double momentum = 0.9;

  static constexpr const char* name = "sign_descent";
  static constexpr int states = 1;
  struct now { amphora::real learning_rate, momentum; };

  now at(float lr, std::int64_t) const { return {lr, static_cast<float>(momentum)}; }
  void operator()(amphora::real g, amphora::real& w, amphora::real* s, const now& n) const {
    s[0] = n.momentum * s[0] + g;
    w = w - (s[0] > 0 ? n.learning_rate : s[0] < 0 ? -n.learning_rate : amphora::real(0));
  }
};
//! [rule]

//! [schedule]
// Falls with the square root of the steps taken.
struct inverse_root {
  float operator()(std::int64_t taken, float base) const {
    return (amphora::real(base) / sqrt(amphora::real(static_cast<float>(taken + 1)))).x;
  }
};
//! [schedule]

//! [scale]
// Falls to 1 on the first overflow and stays there.
struct cautious {
  float initial_scale = 1024;

  static constexpr const char* name = "cautious";
  constexpr amphora::detail::setting_problem problem() const { return amphora::detail::scale_problem(initial_scale, 1, amphora::largest_scale); }
  constexpr void check() const { amphora::detail::require_no_problem(name, problem()); }
  constexpr amphora::scale_state start() const { return adopted({}); }
  constexpr amphora::scale_state next(amphora::scale_state state, bool found_non_finite) const {
    if (found_non_finite) state.scale = state.upcoming = 1;
    return state;
  }
  constexpr bool is_at_floor(const amphora::scale_state& state) const { return state.scale == 1; }
  constexpr bool allows(const amphora::scale_state& state) const { return state.scale == 1 || state.scale == initial_scale; }
  constexpr amphora::scale_state adopted(amphora::scale_state state) const {
    state.scale = state.upcoming = initial_scale;
    return state;
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) { visit("initial_scale", rule.initial_scale); }
};
struct careful : amphora::amend<amphora::o1<amphora::f16>, amphora::loss_scale<amphora::dynamic_scale<cautious>>> {};
//! [scale]
static_assert(amp::next(cautious{}, cautious{}.start(), true).scale == 1);

TEST_CASE("a storage type from outside is read and written in the format it says") {
  amp::host_context context;
  theirs::half x[3] = {{0x3c00}, {0x4000}, {0xc200}};  // 1, 2, -3
  const auto y = amp::relu<amp::o0<>>(context, amp::view{x, amp::shape{3}});
  static_assert(std::is_same_v<decltype(y)::format, amp::f32>);
  CHECK(y.data()[1] == 2.0f);
  CHECK(y.data()[2] == 0.0f);
}

TEST_CASE("an op from outside is called in a scope, under its policy") {
  amp::host_context context;
  const amp::float16 x[2] = {amp::float16(300.0f), amp::float16(-400.0f)};
  const auto y = amp::autocast<amp::o1<amp::f16>>(context, [&](auto scope) { return scope(square_sum{}, amp::view{x, amp::shape{2}}); });
  CHECK(static_cast<float>(y.data()[0]) == 250000.0f);  // past f16's range
}

TEST_CASE("a rule and a schedule from outside step parameters") {
  amp::host_context context;
  float weight[3] = {1, 1, 1};
  const float gradient[3] = {2, -0.5f, 0};
  amp::mixed_optimizer optimizer{context, sign_descent{0.25f}, {{weight, nullptr, gradient, nullptr, 3}}, inverse_root{}};
  for (int step = 0; step < 4; ++step) CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
  float moved = 0;
  for (int step = 0; step < 4; ++step) moved += 0.25f / std::sqrt(static_cast<float>(step + 1));
  CHECK(weight[0] == doctest::Approx(1 - moved).epsilon(1e-6));
  CHECK(weight[1] == doctest::Approx(1 + moved).epsilon(1e-6));
  CHECK(weight[2] == 1.0f);
}

TEST_CASE("a scale rule from outside moves a scaler, is checked and is saved") {
  amp::host_context context;
  auto scaler = amp::make_scaler<careful>(context);
  CHECK(scaler.wait_scale(context) == 1024.0f);
  char text[amp::max_state_text];
  const std::size_t size = scaler.wait_save(context, text, sizeof text);
  auto other = amp::make_scaler<careful>(context, cautious{512});
  other.load(context, text, size);
  CHECK(other.rule().initial_scale == 1024.0f);
  CHECK_THROWS_AS(amp::make_scaler<careful>(context, cautious{0.5f}), amp::error);
}
