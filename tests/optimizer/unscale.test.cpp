#include <amphora/optimizer/global_norm.hpp>  // wait_all_finite, wait_global_norm
#include <amphora/optimizer/materialize.hpp>  // materialize
#include <amphora/optimizer/unscale.hpp>    // unscale
#include <amphora/scale/fixed.hpp>          // fixed
#include <amphora/scale/scaler.hpp>         // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace amp = amphora;

static_assert(amp::is_unscaled_v<decltype(amp::unscale(std::declval<test_context&>(), std::declval<amp::scaled<amp::gradient_list>&&>()))>);

namespace {

const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

/// A scaler whose scale stays, and a ticket of it.
struct at_scale {
  test_context& context;
  amp::scaler<test_context, amp::fixed> scaler;
  at_scale(test_context& its_context, float scale) : context(its_context), scaler(its_context, amp::fixed{scale}) {}
  amp::ticket ticket() { return scaler.ticket(context); }
};

}  // namespace

TEST_CASE("B17: small 16-bit gradients are not rounded to zero, since nothing is written in 16 bits") {
  test_context context;
  at_scale scaled(context, 65536);
  device_array<amp::float16> g(context, {amp::float16(0x1p-14f)});
  device_array<float> out(context, {0});
  auto unscaled = amp::unscale(context, amp::scaled(g.view(), scaled.ticket()));
  amp::materialize(context, unscaled, out.view());
  CHECK(out[0] == 0x1p-30f);
  CHECK(g.get()[0].bits() == amp::float16(0x1p-14f).bits());
}

TEST_CASE("B13: one non-finite value in any tensor raises the flag, and the buffers stay whole") {
  for (float bad : {infinite, -infinite, not_a_number}) {
    test_context context;
    at_scale scaled(context, 2);
    device_array<float> a(context, {1, 2}), b(context, {3}), c(context, {1, 1});
    const amp::gradient_view list[] = {{a.data(), 2}, {b.data(), 1}, {c.data(), 2}};
    CHECK(amp::wait_all_finite(context, amp::unscale(context, amp::scaled(amp::gradient_list(list), scaled.ticket()))));
    c[1] = bad;
    CHECK(!amp::wait_all_finite(context, amp::unscale(context, amp::scaled(amp::gradient_list(list), scaled.ticket()))));
    CHECK(a.get() == std::vector<float>{1, 2});
    CHECK(b[0] == 3);
    CHECK(c[0] == 1);
  }
}

TEST_CASE("a value that only becomes infinite is found too") {
  test_context context;
  at_scale small(context, 0x1p-4f);
  device_array<float> g(context, {3.0e38f, 1});
  CHECK(!amp::wait_all_finite(context, amp::unscale(context, amp::scaled(g.view(), small.ticket()))));
  g[0] = 1e37f;
  CHECK(amp::wait_all_finite(context, amp::unscale(context, amp::scaled(g.view(), small.ticket()))));
}

TEST_CASE("B19: a list of mixed formats is read each in its own") {
  for (bool turned : {false, true}) {
    test_context context;
    at_scale scaled(context, 2);
    std::vector<amp::bfloat16> low(130, amp::bfloat16(99.0f));
    std::vector<float> wide(130, 99.0f);
    for (std::size_t i = 1; i < 129; ++i) low[i] = amp::bfloat16(1.0f / 32), wide[i] = 1.0f / 32;
    const device_array<amp::bfloat16> a(context, low);
    const device_array<float> b(context, wide);
    device_array<float> out_a(context, 130, -1.0f), out_b(context, 130, -1.0f);
    const amp::gradient_view first(a.data() + 1, 128), second(b.data() + 1, 128);
    const amp::gradient_view list[] = {turned ? second : first, turned ? first : second};
    auto unscaled = amp::unscale(context, amp::scaled(amp::gradient_list(list), scaled.ticket()));
    CHECK(amp::wait_global_norm(context, unscaled) == 0.25);  // 256 · (1/64)²
    const amp::view<float> to_a{out_a.data() + 1, amp::shape{128}}, to_b{out_b.data() + 1, amp::shape{128}};
    amp::materialize(context, unscaled, std::vector<amp::view<float>>{turned ? to_b : to_a, turned ? to_a : to_b});
    std::vector<float> expected(130, 1.0f / 64);
    expected[0] = expected[129] = -1;
    CHECK(out_a.get() == expected);
    CHECK(out_b.get() == expected);
  }
}

TEST_CASE("unscaling uses its handle up, and a warmed-up call allocates nothing") {
  test_context context;
  at_scale scaled(context, 4);
  const device_array<float> g(context, 100000, 2.0f);
  auto handle = amp::scaled(g.view(), scaled.ticket());
  const auto norm = [&] { return amp::wait_global_norm(context, amp::unscale(context, amp::scaled(g.view(), scaled.ticket()))); };
  { const auto once = amp::unscale(context, std::move(handle)); }
  CHECK_THROWS_AS(static_cast<void>(amp::unscale(context, std::move(handle))), amp::error);
  CHECK(norm() == doctest::Approx(0.5 * std::sqrt(1e5)));
  const auto before = context.allocations();
  for (int k = 0; k < 3; ++k) CHECK(norm() == doctest::Approx(0.5 * std::sqrt(1e5)));
  CHECK(context.allocations() == before);
}

TEST_CASE("a format that cannot be unscaled is refused before the handle is used up") {
  test_context context;
  const device_array<double> wide(context, {1});
  const device_array<float> g(context, {3});
  amp::gradient_view list[] = {{wide.data(), 1}};
  auto handle = amp::scaled(amp::gradient_list(list), amp::ticket());
  CHECK_THROWS_WITH_AS(static_cast<void>(amp::unscale(context, std::move(handle))), doctest::Contains("[unknown-format]"), amp::error);
  CHECK(handle.live());
  list[0] = {g.data(), 1};
  CHECK(amp::wait_global_norm(context, amp::unscale(context, std::move(handle))) == 3);
  CHECK(!handle.live());
}

TEST_CASE("gradients that carry no scale are unscaled by a ticket of no scaler") {
  test_context context;
  const device_array<amp::bfloat16> g(context, {amp::bfloat16(3.0f), amp::bfloat16(4.0f)});
  CHECK(amp::wait_global_norm(context, amp::unscale(context, amp::scaled(g.view(), amp::ticket()))) == 5);
  const device_array<double> wide(context, {1});
  CHECK_THROWS_AS(static_cast<void>(amp::unscale(context, amp::scaled(wide.view(), amp::ticket()))), amp::error);
}
