// Forward and backward of the digits network 64-256-128-10, without the optimizer: microseconds a step, and what that is in samples.
//
// digits_step [batch] [threads]
#include <amphora/host/cross_entropy.hpp>
#include <amphora/host/map.hpp>
#include <amphora/host/matmul.hpp>
#include <amphora/host/reduce.hpp>
#include <amphora/ops/cross_entropy.hpp>
#include <amphora/ops/linear.hpp>
#include <amphora/policy/opt_level.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace amp = amphora;

namespace {

template <class T> using tensor = amp::tensor<T, amp::host_context>;

template <class T> tensor<T> random(amp::host_context& context, const amp::shape& shape, float bound, unsigned seed) {
  std::mt19937 bits(seed);
  tensor<T> result(context, shape);
  for (std::int64_t i = 0; i < result.size(); ++i)
    result.data()[i] = amp::convert<amp::format_of_t<T>>(bound * (static_cast<float>(bits() & 0xffff) / 32768 - 1));
  return result;
}

template <class T> struct layer {
  tensor<T> w, b, gw, gb;
  layer(amp::host_context& c, std::int64_t in, std::int64_t out)
      : w(random<T>(c, {out, in}, 0.1f, 1)), b(random<T>(c, {out}, 0.1f, 2)), gw(c, {out, in}), gb(c, {out}) {}
};

template <class Policy, class T> void measure(const char* name, std::int64_t batch, int threads) {
  amp::host_context c(threads);
  layer<T> first(c, 64, 256), second(c, 256, 128), third(c, 128, 10);
  const auto x = random<T>(c, {batch, 64}, 1, 3);
  tensor<std::int64_t> t(c, {batch});
  for (std::int64_t i = 0; i < batch; ++i) t.data()[i] = i % 10;
  const amp::cross_entropy_settings settings{-100, 0.1};
  float scale = 65536, loss = 0;
  const auto step = [&] {
    const auto h1 = amp::linear<Policy>(c, x, first.w, first.b, amp::with_relu{});
    const auto h2 = amp::linear<Policy>(c, h1, second.w, second.b, amp::with_relu{});
    const auto y = amp::linear<Policy>(c, h2, third.w, third.b);
    amp::cross_entropy<Policy>(c, amp::into(amp::view<float>(&loss)), y, t, settings);
    const auto gy = amp::cross_entropy_backward<Policy>(c, amp::view<const float>(&scale), y, t, settings);
    tensor<T> g2(c, h2.shape()), g1(c, h1.shape());
    amp::linear_backward<Policy>(c, gy, h2, third.w, amp::into(g2), amp::into(third.gw), amp::into(third.gb), amp::with_relu{});
    amp::linear_backward<Policy>(c, g2, h1, second.w, amp::into(g1), amp::into(second.gw), amp::into(second.gb), amp::with_relu{});
    amp::linear_backward<Policy>(c, g1, x, first.w, amp::no_gradient{}, amp::into(first.gw), amp::into(first.gb));
  };
  double best = 1e9;
  for (int round = 0; round < 1000; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    step();
    best = (std::min)(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("%-8s batch %4lld  %8.1f us a step  %9.0f samples/s  loss %.4f\n", name, static_cast<long long>(batch), best * 1e6, static_cast<double>(batch) / best, static_cast<double>(loss));
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t batch = count > 1 ? std::atoi(arguments[1]) : 32;
  const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
  measure<amp::o0<>, float>("O0", batch, threads);
  measure<amp::o1<amp::f16>, amp::float16>("O1 f16", batch, threads);
  measure<amp::o1<amp::bf16>, amp::bfloat16>("O1 bf16", batch, threads);
  measure<amp::o3<amp::f16>, amp::float16>("O3 f16", batch, threads);
}
