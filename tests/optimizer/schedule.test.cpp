#include <amphora/optimizer/schedule.hpp>

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace amphora;

static_assert((constant{}.check(), linear_warmup{}.check(), cosine{}.check(), warmup_cosine{}.check(), step_decay{}.check(), exponential{}.check(), true));

namespace schedule_test {

/// The rates of the first steps, as a step computes them.
template <class Schedule>
struct write_rates {
  Schedule schedule;
  float base;
  float* rates;
  AMPHORA_HD void operator()(std::int64_t taken) const { rates[taken] = schedule(taken, base); }
};

}  // namespace schedule_test

namespace {
/// Whether the device has the host's rates in its first 3000 steps.
template <class Schedule> bool same_on_device(const Schedule& schedule, float base) {
  const std::int64_t steps = 3000;
  test_context context;
  device_array<float> rates(context, steps, 0.0f);
  scale_kernels<test_device>::run(context, steps, schedule_test::write_rates<Schedule>{schedule, base, rates.data()});
  std::vector<float> here;
  for (std::int64_t taken = 0; taken < steps; ++taken) here.push_back(schedule(taken, base));
  return rates.get() == here;
}
const double pi = std::acos(-1.0);
template <class Schedule> std::string refusal(const Schedule& schedule) {
  try {
    schedule.check();
  } catch (const error& e) {
    return e.rule();
  }
  return "";
}
}  // namespace

TEST_CASE("a constant schedule gives the rate back") {
  for (std::int64_t taken : {std::int64_t(0), std::int64_t(1) << 40}) CHECK(constant{}(taken, 0.3f) == 0.3f);
}

TEST_CASE("a warmup rises in equal parts, from its first step on, to the rate itself") {
  const linear_warmup schedule{4};
  CHECK(schedule(0, 1) == 0.25f);
  CHECK(schedule(1, 1) == 0.5f);
  CHECK(schedule(3, 1) == 1);
  CHECK(schedule(1000, 0.3f) == 0.3f);
}

TEST_CASE("a cosine falls as libm's does, within one unit of float, and stays at its end") {
  const cosine schedule{1000, 0.1};
  for (int taken = 0; taken <= 1000; ++taken) {
    const double right = 0.003f * (0.1 + 0.9 * (1 + std::cos(pi * taken / 1000)) / 2);
    CHECK(std::fabs(schedule(taken, 0.003f) - right) <= std::ldexp(right, -24) * 1.0001);
  }
  CHECK(schedule(0, 0.003f) == 0.003f);
  CHECK(schedule(5000, 1) == 0.1f);
  CHECK(cosine{10, 0}(10, 1) == 0);
}

TEST_CASE("warmup_cosine is one and then the other") {
  const warmup_cosine schedule{10, 110, 0.5};
  for (int taken = 0; taken < 10; ++taken) CHECK(schedule(taken, 0.7f) == linear_warmup{10}(taken, 0.7f));
  for (int taken = 10; taken < 150; ++taken) CHECK(schedule(taken, 0.7f) == cosine{100, 0.5}(taken - 10, 0.7f));
  CHECK(warmup_cosine{0, 10, 0}(0, 0.7f) == 0.7f);
}

TEST_CASE("step_decay and exponential multiply by their factor") {
  const step_decay steps{3, 0.5};
  for (int taken = 0; taken < 12; ++taken) CHECK(steps(taken, 1) == std::ldexp(1.0f, -(taken / 3)));
  const exponential each{0.99};
  for (int taken : {0, 1, 10, 500}) CHECK(each(taken, 2) == doctest::Approx(2 * std::pow(0.99, taken)).epsilon(1.2e-7));
  CHECK(exponential{0}(0, 2) == 2);
  CHECK(exponential{0}(1, 2) == 0);
}

TEST_CASE("every schedule has the same bits where the step runs") {
  CHECK(same_on_device(constant{}, 0.3f));
  CHECK(same_on_device(linear_warmup{1000}, 0.3f));
  CHECK(same_on_device(cosine{2700, 0.1}, 0.3f));
  CHECK(same_on_device(warmup_cosine{300, 2900, 0.01}, 0.003f));
  CHECK(same_on_device(step_decay{7, 0.9}, 0.3f));
  CHECK(same_on_device(exponential{0.9993}, 0.3f));
}

TEST_CASE("a schedule refuses settings that mean nothing") {
  CHECK(refusal(linear_warmup{0}) == "setting");
  CHECK(refusal(cosine{0, 0}) == "setting");
  CHECK(refusal(cosine{10, 1.5}) == "setting");
  CHECK(refusal(warmup_cosine{10, 10, 0}) == "setting");
  CHECK(refusal(warmup_cosine{-1, 10, 0}) == "setting");
  CHECK(refusal(step_decay{0, 0.5}) == "setting");
  CHECK(refusal(step_decay{1, -0.5}) == "setting");
  CHECK(refusal(exponential{std::nan("")}) == "setting");
}
