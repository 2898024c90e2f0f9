// Compiled and linked with -ffast-math, under which compilers may take it that nothing is infinite or NaN.
#include <amphora/optimizer/adamw.hpp>            // adamw
#include <amphora/optimizer/global_norm.hpp>      // wait_all_finite
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#ifndef __FAST_MATH__
#error "this test is about -ffast-math"
#endif

namespace amp = amphora;

namespace {

template <class T> T from_bits(unsigned bits) {
  if constexpr (sizeof(T) == 2) {
    return T::from_bits(static_cast<std::uint16_t>(bits));
  } else {
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
}

template <class T> void step_over(unsigned pattern) {
  for (int level : {0, 1, 2})  // of the host's instructions
    for (std::size_t where : {0u, 37u, 999u})
      for (auto choice : {amp::on_overflow::skip, amp::on_overflow::zero}) {
        if (tests_cuda && level > 0) continue;
        test_context context;
        device_array<float> w(context, 1000, 1.0f);
        device_array<amp::float16> model(context, 1000);
        device_array<T> g(context, 1000, T(0.5f));
        amp::mixed_optimizer optimizer{context, amp::adamw{}, {{w.data(), model.data(), g.data(), nullptr, 1000}}};
        optimizer.limit_level(level), optimizer.set_on_overflow(choice);
        g[where] = from_bits<T>(pattern);
        const auto record = optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1}).wait_record(context);
        const bool skips = choice == amp::on_overflow::skip;
        CHECK(record.found_non_finite != 0);
        CHECK((record.result == amp::step_result::skipped) == skips);
        CHECK(record.changed == (skips ? 0 : 1));
        CHECK((w[0] == 1) == skips);
        CHECK(optimizer.wait_skipped(context) == (skips ? 1 : 0));
        for (float x : w.get()) REQUIRE(amp::detail::is_finite(x));
        g[where] = T(1.0f);
        CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
      }
}

}  // namespace

TEST_CASE("B14: fast-math removes neither the flag nor the skip nor a counter") {
  for (unsigned pattern : {0x7c00u, 0xfc00u, 0x7e01u}) step_over<amp::float16>(pattern);
  for (unsigned pattern : {0x7f80u, 0xff80u, 0x7fc1u}) step_over<amp::bfloat16>(pattern);
  for (unsigned pattern : {0x7f800000u, 0xff800000u, 0xffc00001u}) step_over<float>(pattern);
}

TEST_CASE("nor what becomes infinite only when the scale is taken out, nor the refusal of a bad clip") {
  test_context context;
  const device_array<float> g(context, {3.0e38f, 1});
  const amp::gradient_view view = g.view();
  amp::gradient_facts start;
  start.inverse = 16;
  device_array<amp::gradient_facts> facts(context, {start});
  device_array<double> partial(context, 1);
  amp::step_kernels<test_device>::check(context, &view, 1, partial.data(), facts.data());
  CHECK(facts.get()[0].found_non_finite != 0);
  for (unsigned pattern : {0x7fc00000u, 0xbf800000u, 0x7f800000u}) CHECK_THROWS_AS(amp::clip_global_norm{from_bits<float>(pattern)}.check(), amp::error);
}
