#include <amphora/host/context.hpp>           // host_context
#include <amphora/host/scale.hpp>             // scale_kernels
#include <amphora/host/step.hpp>              // step_kernels
#include <amphora/optimizer/global_norm.hpp>  // global_norm, wait_global_norm

#include <doctest/doctest.h>

#include "golden_clip.hpp"

namespace amp = amphora;

namespace {

template <class T> auto unscaled(amp::host_context& context, const std::vector<T>& g) {
  return amp::unscale(context, amp::scaled(amp::view<const T>{g.data(), amp::shape{static_cast<std::int64_t>(g.size())}}, amp::ticket()));
}

}  // namespace

TEST_CASE("norms of every order agree with PyTorch's in float64") {
  int cases = 0;
  for (const auto& c : golden_clip::read("clip_grad_norm")) {
    amp::host_context context(2);
    std::vector<std::vector<float>> g;
    std::vector<amp::gradient_view> list;
    for (const auto& tensor : c.at("gradients")) g.push_back(golden_clip::floats(tensor));
    for (const auto& tensor : g) list.emplace_back(amp::gradient_pointer(tensor.data()), static_cast<std::int64_t>(tensor.size()));
    const double order = golden_clip::number(c.at("norm_type")), expected = golden_clip::number(c.at("total_norm"));
    auto gradients = amp::unscale(context, amp::scaled(amp::gradient_list(list), amp::ticket()));
    CAPTURE(order);
    // 2 sums in float lanes: 25 roundings of 2^-24 and half of it after the root; the others in double
    const double tolerance = order == 2 ? 12.5 * std::ldexp(1, -24) : 1e-13;
    CHECK(std::fabs(amp::wait_global_norm(context, gradients, order) / expected - 1) <= tolerance);
    ++cases;
  }
  CHECK(cases == 15);
}

TEST_CASE("B23: a hundred of 1e20 have the norm 1e21, and of 1e-30 the norm 1e-29, in every order") {
  amp::host_context context;
  for (double each : {1e20, 1e-30}) {
    auto g = unscaled(context, std::vector<float>());
    const std::vector<float> values(100, static_cast<float>(each));
    auto gradients = unscaled(context, values);
    const double x = values[0];
    CHECK(amp::wait_global_norm(context, gradients) == doctest::Approx(10 * x).epsilon(1e-12));
    CHECK(amp::wait_global_norm(context, gradients, 1) == doctest::Approx(100 * x).epsilon(1e-12));
    CHECK(amp::wait_global_norm(context, gradients, 20) == doctest::Approx(std::pow(100, 0.05) * x).epsilon(1e-12));
    CHECK(amp::wait_global_norm(context, gradients, HUGE_VAL) == x);
    CHECK(amp::wait_global_norm(context, gradients, 0) == 100);
  }
}

TEST_CASE("norms of nothing, of zeros and of what is not finite") {
  amp::host_context context;
  for (double order : {0.0, 0.5, 1.0, 2.0, 3.0, HUGE_VAL}) {
    CAPTURE(order);
    CHECK(amp::wait_global_norm(context, unscaled(context, std::vector<float>()), order) == 0);
    CHECK(amp::wait_global_norm(context, unscaled(context, std::vector<float>(70, -0.0f)), order) == 0);
    if (order == 0) continue;
    const std::vector<float> infinite{1, -HUGE_VALF}, unknown{1, NAN, HUGE_VALF};
    CHECK(amp::wait_global_norm(context, unscaled(context, infinite), order) == HUGE_VAL);
    CHECK(std::isnan(amp::wait_global_norm(context, unscaled(context, unknown), order)));
  }
  const std::vector<float> one{1};
  CHECK_THROWS_AS(amp::wait_global_norm(context, unscaled(context, one), -1), amp::error);
  CHECK_THROWS_AS(amp::wait_global_norm(context, unscaled(context, one), NAN), amp::error);
}

TEST_CASE("a norm stays on the device where it is asked for there") {
  amp::host_context context;
  const std::vector<float> g{3, 4};
  auto gradients = unscaled(context, g);
  double norm = 0;
  amp::global_norm(context, gradients, &norm);
  CHECK(norm == 5);
  CHECK(gradients.facts()->found_non_finite == 0);
}
