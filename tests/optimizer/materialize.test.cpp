#include <amphora/optimizer/materialize.hpp>  // materialize

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;

TEST_CASE("true gradients are written to views of their sizes, absent ones to none") {
  test_context context;
  const device_array<amp::float16> a(context, {amp::float16(1.0f), amp::float16(-2.5f)});
  device_array<float> to_a(context, 2), to_b(context, {7});
  const amp::gradient_view list[] = {{a.data(), 2}, {}};
  const auto gradients = amp::unscale(context, amp::scaled(amp::gradient_list(list), amp::ticket()));
  const amp::view<float> out_a = to_a.view(), out_b = to_b.view();
  amp::materialize(context, gradients, std::vector<amp::view<float>>{out_a, out_b});
  CHECK(to_a.get() == std::vector<float>{1, -2.5f});
  CHECK(to_b[0] == 7);
  CHECK_THROWS_AS(amp::materialize(context, gradients, std::vector<amp::view<float>>{out_a}), amp::error);
  CHECK_THROWS_AS(amp::materialize(context, gradients, std::vector<amp::view<float>>{out_b, out_a}), amp::error);
  CHECK_THROWS_AS(amp::materialize(context, gradients, out_a), amp::error);
}
