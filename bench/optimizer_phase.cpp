// All that happens between backward and the next forward, as a share of the machine's limits, measured in turns.
//
// f16 or bf16 gradients, float masters and moments, a 16-bit copy; finite check, unscale, clip by norm, AdamW. At best this reads
// and writes 30 bytes a parameter. Each round times, one after the other so that all meet the same noise,
//   ours          mixed_optimizer::step
//   hand-written  hand_written_step.hpp, AVX-512 intrinsics for one tensor
//   update loop   a[i] = a[i] * s + b[i] * s, in place, over the same 18 bytes a parameter, of which it moves 27
// and the counters are medians over the rounds of
//   of_hand_written  hand-written time / our time
//   of_update_loop   our bytes a second (30 a parameter) / the update loop's (12 an element)
// Gradients are normal numbers throughout: a moment that decays into subnormals would be timed as another machine.
#include <amphora/amphora.hpp>

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <algorithm>  // fill, nth_element
#include <chrono>     // steady_clock
#include <cstdio>     // fputs
#include <cstdlib>    // aligned_alloc
#include <vector>     // vector

#include "hand_written_step.hpp"

namespace amp = amphora;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// Pages that are touched by the threads that use them; huge ones where the system gives them.
template <class T> struct array {
  explicit array(std::int64_t n) {
    const std::size_t bytes = (static_cast<std::size_t>(n) * sizeof(T) / (2 << 20) + 1) * (2 << 20);
    data = static_cast<T*>(std::aligned_alloc(2 << 20, bytes));
    madvise(data, bytes, MADV_HUGEPAGE);
  }
  ~array() { std::free(data); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  T* data;
};

struct arena {
  explicit arena(std::int64_t n) : g(n), w(n), m(n), v(n), low(n) {}
  array<std::uint16_t> g;
  array<float> w, m, v;
  array<std::uint16_t> low;
};

/// Values in ±[2, 4) · 2^k: as f16 and as bf16 they are ordinary gradients under a scale of 65536.
template <class Storage> void fill(arena& a, std::int64_t n, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = 2.0f + static_cast<float>(i * 40503 % 4096) / 2048.0f;
    const Storage stored(i % 2 ? x : -x);
    a.g.data[i] = stored.bits(), a.w.data[i] = 0.02f, a.m.data[i] = a.v.data[i] = 0, a.low.data[i] = 0;
  }
}

template <class Storage, class Hand>
void phase(benchmark::State& state) {
  const std::int64_t each = state.range(0) / 64 * 64, tensors = state.range(1), n = each * tensors;
  const int threads = static_cast<int>(state.range(2));
  arena ours(n), theirs(n);
  fill<Storage>(ours, n, threads), fill<Storage>(theirs, n, threads);
  const std::int64_t floats = n * 18 / 8 / 64 * 64;
  array<float> a(floats), b(floats);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < floats; ++i) a.data[i] = 1, b.data[i] = 1;

  amp::host_context context(threads);
  std::vector<amp::parameter_view> parameters;
  array<float> moments(2 * n);
  std::fill(moments.data, moments.data + 2 * n, 0.0f);
  for (std::int64_t k = 0; k < tensors; ++k) {
    const std::int64_t at = k * each;
    parameters.emplace_back(ours.w.data + at, reinterpret_cast<Storage*>(ours.low.data) + at, reinterpret_cast<const Storage*>(ours.g.data) + at, moments.data + 2 * at, each);
  }
  amp::adamw rule{1e-4f};
  amp::mixed_optimizer optimizer{context, rule, parameters};
  struct fixed_scale : amp::amend<amp::o2<amp::f16>, amp::loss_scale<amp::static_scale>> {};
  auto scaler = amp::make_scaler<fixed_scale>(context, amp::fixed{65536.0f});
  float loss = 1;

  std::vector<double> to_hand, to_update, seconds;
  int number = 0;
  for (auto _ : state) {
    const double t0 = now();
    hand_written::update_loop(threads, a.data, b.data, floats);
    const double t1 = now();
    const bool taken = hand_written::step<Hand>(threads, 65536, ++number, theirs.g.data, theirs.w.data, theirs.m.data, theirs.v.data, theirs.low.data, n);
    const double t2 = now();
    auto scaled_loss = scaler.scale(context, amp::view{&loss});
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f});
    scaler.update(context, outcome);
    const double t3 = now();
    state.SetIterationTime(t3 - t2);
    if (!taken) state.SkipWithError("the hand-written step was skipped");
    if (number == 1) continue;  // its pages and tables are new
    seconds.push_back(t3 - t2), to_hand.push_back((t2 - t1) / (t3 - t2));
    to_update.push_back(30.0 * static_cast<double>(n) / (t3 - t2) / (12.0 * static_cast<double>(floats) / (t1 - t0)));
  }
  if (seconds.empty()) return;
  state.counters["of_hand_written"] = median(to_hand);
  state.counters["of_update_loop"] = median(to_update);
  state.counters["ns_a_parameter"] = median(seconds) / static_cast<double>(n) * 1e9;
  state.counters["GB_a_second"] = 30e-9 * static_cast<double>(n) / median(seconds);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"elements", "tensors", "threads"})->UseManualTime()->Unit(benchmark::kMillisecond);
  const int most = omp_get_num_procs();
  for (int threads = 1; threads <= most; threads = threads < most && threads * 2 > most ? most : threads * 2) {
    b->Args({100000, 1, threads})->Args({1000000, 1, threads})->Args({10000000, 1, threads})->Args({10000, 1000, threads})->Args({30000000, 1, threads});
    if (threads == most) break;
  }
}

}  // namespace

BENCHMARK_TEMPLATE(phase, amp::float16, hand_written::f16)->Name("phase/f16")->Apply(sizes);
BENCHMARK_TEMPLATE(phase, amp::bfloat16, hand_written::bf16)->Name("phase/bf16")->Apply(sizes);

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx512bw")) {
    std::fputs("optimizer_phase compares with AVX-512 intrinsics, which this CPU does not have\n", stderr);
    return 77;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
