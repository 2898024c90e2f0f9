#include <amphora/host/context.hpp>           // host_context
#include <amphora/host/scale.hpp>             // scale_kernels
#include <amphora/host/step.hpp>              // step_kernels
#include <amphora/optimizer/materialize.hpp>  // materialize

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;

TEST_CASE("true gradients are written to views of their sizes, absent ones to none") {
  amp::host_context context;
  const std::vector<amp::float16> a{amp::float16(1.0f), amp::float16(-2.5f)};
  std::vector<float> to_a(2), to_b{7};
  const amp::gradient_view list[] = {{a.data(), 2}, {}};
  const auto gradients = amp::unscale(context, amp::scaled(amp::gradient_list(list), amp::ticket()));
  const amp::view<float> out_a{to_a.data(), amp::shape{2}}, out_b{to_b.data(), amp::shape{1}};
  amp::materialize(context, gradients, std::vector<amp::view<float>>{out_a, out_b});
  CHECK(to_a == std::vector<float>{1, -2.5f});
  CHECK(to_b[0] == 7);
  CHECK_THROWS_AS(amp::materialize(context, gradients, std::vector<amp::view<float>>{out_a}), amp::error);
  CHECK_THROWS_AS(amp::materialize(context, gradients, std::vector<amp::view<float>>{out_b, out_a}), amp::error);
  CHECK_THROWS_AS(amp::materialize(context, gradients, out_a), amp::error);
}
