#include <amphora/optimizer/global_norm.hpp>  // global_norm, wait_global_norm

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include "golden_clip.hpp"

namespace amp = amphora;

namespace {

template <class T> auto unscaled(test_context& context, const device_array<T>& g) { return amp::unscale(context, amp::scaled(g.view(), amp::ticket())); }

}  // namespace

TEST_CASE("norms of every order agree with PyTorch's in float64") {
  int cases = 0;
  for (const auto& c : golden_clip::read("clip_grad_norm")) {
    test_context context;
    std::vector<device_array<float>> g;
    std::vector<amp::gradient_view> list;
    for (const auto& tensor : c.at("gradients")) g.emplace_back(context, golden_clip::floats(tensor));
    for (const auto& tensor : g) list.emplace_back(tensor.view());
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
  test_context context;
  for (double each : {1e20, 1e-30}) {
    const device_array<float> values(context, 100, static_cast<float>(each));
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
  test_context context;
  for (double order : {0.0, 0.5, 1.0, 2.0, 3.0, HUGE_VAL}) {
    CAPTURE(order);
    const device_array<float> nothing(context, std::vector<float>()), zeros(context, 70, -0.0f);
    CHECK(amp::wait_global_norm(context, unscaled(context, nothing), order) == 0);
    CHECK(amp::wait_global_norm(context, unscaled(context, zeros), order) == 0);
    if (order == 0) continue;
    const device_array<float> infinite(context, {1, -HUGE_VALF}), unknown(context, {1, NAN, HUGE_VALF});
    CHECK(amp::wait_global_norm(context, unscaled(context, infinite), order) == HUGE_VAL);
    CHECK(std::isnan(amp::wait_global_norm(context, unscaled(context, unknown), order)));
  }
  const device_array<float> one(context, {1});
  CHECK_THROWS_AS(amp::wait_global_norm(context, unscaled(context, one), -1), amp::error);
  CHECK_THROWS_AS(amp::wait_global_norm(context, unscaled(context, one), NAN), amp::error);
}

TEST_CASE("a norm stays on the device where it is asked for there") {
  test_context context;
  const device_array<float> g(context, {3, 4});
  auto gradients = unscaled(context, g);
  device_array<double> norm(context, {0});
  amp::global_norm(context, gradients, norm.data());
  CHECK(norm[0] == 5);
  CHECK(read_device(context, gradients.facts()).found_non_finite == 0);
}
