#include <amphora/host/context.hpp>               // host_context
#include <amphora/host/scale.hpp>                 // scale_kernels
#include <amphora/host/step.hpp>                  // step_kernels
#include <amphora/optimizer/clip_gradients.hpp>   // clip_gradients
#include <amphora/optimizer/global_norm.hpp>      // wait_global_norm
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/sgd.hpp>              // sgd

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace amp = amphora;

namespace other {

/// A device that nobody but this test knows: the host's kernels behind a count of calls.
struct device {};
struct context : amp::host_context {
  using device = other::device;
  std::vector<const char*> calls;
};

}  // namespace other

template <> struct amphora::scale_kernels<other::device> : amphora::scale_kernels<amphora::host_device> {};
template <> struct amphora::step_kernels<other::device> {
  using host = amphora::step_kernels<amphora::host_device>;
  template <class Job, class Tables> static void step(other::context& context, const Job& job, const Tables& tables) {
    context.calls.push_back(job.update ? "step" : "part"), host::step(context, job, tables);
  }
  static void check(other::context& context, const amp::gradient_view* g, std::int64_t n, double* sums, amp::gradient_facts* facts) { context.calls.push_back("check"), host::check(context, g, n, sums, facts); }
  static void norm(other::context& context, const amp::gradient_view* g, std::int64_t n, double* sums, const amp::gradient_facts* facts, double order, double* result) {
    context.calls.push_back("norm"), host::norm(context, g, n, sums, facts, order, result);
  }
  static void clip(other::context& context, const amp::gradient_view* g, std::int64_t n, double* sums, amp::gradient_facts* facts, const amp::detail::clip_numbers& clip) {
    context.calls.push_back("clip"), host::clip(context, g, n, sums, facts, clip);
  }
  static void clear(other::context& context, void* memory, std::size_t bytes) { host::clear(context, memory, bytes); }
};

TEST_CASE("a device is reached through the context's type alone, by one call for a whole step") {
  other::context context;
  std::vector<float> w{1, 1};
  const std::vector<float> g{3, 4};
  amp::mixed_optimizer optimizer{context, amp::sgd{1}, {{w.data(), nullptr, g.data(), nullptr, 2}}};
  auto outcome = optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1});
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  REQUIRE(context.calls.size() == 1);
  CHECK(context.calls[0] == std::string("step"));
  CHECK(w[0] == doctest::Approx(0.4f));
  auto gradients = amp::unscale(context, amp::scaled(optimizer.gradients(), amp::ticket()));
  amp::clip_gradients(context, gradients, amp::clip_global_norm{1});
  CHECK(amp::wait_global_norm(context, gradients) == doctest::Approx(1));
  REQUIRE(context.calls.size() == 4);
  CHECK(context.calls[1] == std::string("check"));
  CHECK(context.calls[2] == std::string("clip"));
  CHECK(context.calls[3] == std::string("norm"));
}
