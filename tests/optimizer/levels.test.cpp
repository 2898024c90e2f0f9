// The host's levels of instructions and numbers of threads: what each finds and writes.
#include <amphora/host/context.hpp>               // host_context
#include <amphora/host/scale.hpp>                 // scale_kernels
#include <amphora/host/step.hpp>                  // step_kernels
#include <amphora/optimizer/adam.hpp>             // adam
#include <amphora/optimizer/adamw.hpp>            // adamw
#include <amphora/optimizer/global_norm.hpp>      // wait_global_norm
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/unscale.hpp>          // unscale

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace amp = amphora;

namespace {

const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

/// One tensor with a master, f16 weights and gradients.
struct one {
  std::vector<float> master;
  std::vector<amp::float16> model, gradient;
  explicit one(std::vector<float> start) : master(start), model(start.begin(), start.end()), gradient(start.size()) {}
  amp::parameter_view view() { return {master.data(), model.data(), gradient.data(), nullptr, static_cast<std::int64_t>(master.size())}; }
};

}  // namespace

TEST_CASE("B13, B14: a non-finite value anywhere is found, at every level, and nothing is half done") {
  for (int level : {0, 1, 2})
    for (float bad : {infinite, -infinite, not_a_number})
      for (std::size_t where : {0u, 1u, 2u, 3u, 70u, 4200u}) {
        one a({1, 2}), b({3}), c(std::vector<float>(5000, 1.0f));
        std::vector<float> f(300, 1.0f), gf(300, 0.5f);
        std::vector<amp::bfloat16> gb(5000, amp::bfloat16(0.25f));
        amp::host_context context(2);
        amp::parameter_view last = c.view();
        last.gradient = amp::gradient_pointer(gb.data());
        amp::mixed_optimizer optimizer{context, amp::adamw{}, {a.view(), b.view(), {f.data(), nullptr, gf.data(), nullptr, 300}, last}};
        optimizer.limit_level(level);
        if (where < 2) a.gradient[where] = amp::float16(bad);
        else if (where == 2) b.gradient[0] = amp::float16(bad);
        else if (where < 300) gf[where] = bad;
        else gb[where] = amp::bfloat16(bad);
        auto outcome = optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1});
        const auto record = outcome.wait_record(context);
        CHECK(record.result == amp::step_result::skipped);
        CHECK(record.found_non_finite != 0);
        CHECK(a.master[0] == 1);
        CHECK(c.master[0] == 1);
        CHECK(f[0] == 1);
        CHECK(optimizer.wait_facts(context).non_finite == 1);
      }
}

TEST_CASE("subnormal moments are kept, or flushed where that is chosen, the same at every level") {
  for (auto choice : {amp::subnormals::keep, amp::subnormals::flush})
    for (int level : {0, 1, 2}) {
      amp::host_context context(2);
      one p(std::vector<float>(300, 1.0f));
      amp::mixed_optimizer optimizer{context, amp::adam{}, {p.view()}};
      optimizer.limit_level(level), optimizer.set_subnormals(choice);
      for (auto& g : p.gradient) g = amp::float16(0x1p-24f);
      CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
      for (int k : {0, 1}) optimizer.state(0, k)[280] = 0x1p-126f;
      for (auto& g : p.gradient) g = amp::float16(0.0f);
      CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == amp::step_result::stepped);
      bool subnormal = false;
      for (int k : {0, 1}) {
        std::uint32_t bits;
        std::memcpy(&bits, &optimizer.state(0, k)[280], sizeof bits);
        subnormal = subnormal || ((bits & 0x7f800000u) == 0 && bits != 0);
      }
      CHECK(subnormal == (choice == amp::subnormals::keep));
      CHECK(optimizer.state(0, 0)[0] > 0x1p-30f);
    }
}

TEST_CASE("norms have the same bits on any number of threads, and once warmed up allocate nothing") {
  std::vector<float> g(100001);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = std::sin(static_cast<float>(i));
  const amp::view<const float> view{g.data(), amp::shape{static_cast<std::int64_t>(g.size())}};
  for (double order : {0.0, 1.0, 2.0, 3.0, HUGE_VAL}) {
    double first = 0;
    for (int threads : {1, 2, 3}) {
      amp::host_context context(threads);
      const auto norm = [&] { return amp::wait_global_norm(context, amp::unscale(context, amp::scaled(view, amp::ticket())), order); };
      const double once = norm();
      if (threads == 1) first = once;
      CHECK(once == first);
      const auto before = context.allocations();
      for (int k = 0; k < 3; ++k) CHECK(norm() == first);
      CHECK(context.allocations() == before);
    }
    CHECK(first > 0);
  }
}
