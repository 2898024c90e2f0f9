// Conversions of arrays as a share of memcpy's speed, measured in turns.
//
// A conversion of n numbers reads and writes n * (bytes of one + bytes of the other); memcpy is given half of that as its
// length, so that it moves as much. Each round times both, and
//   of_memcpy  is the median over the rounds of memcpy's time / our time; us is our time, Google Benchmark's is the round's.
// Sizes are bytes of the float side: 16 KiB lies in the first cache, 64 KiB in the second, 4 MiB in the third (where that has
// room), 256 MiB in memory.
// Into floats, of_memcpy cannot reach 1 in the second cache: filling the floats with zeros, which reads nothing, is counted
// beside it as of_zeros (memset's time / our time).
// From floats in memory, reading is what takes long: a line of 64 bytes of 8-bit numbers costs four to be read, where memcpy
// reads one for each it writes. of_reads is the time of reading the floats alone, with nothing done to them, / our time.
#include <amphora/host/convert.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>  // nth_element, max
#include <chrono>     // steady_clock
#include <cstdint>    // int64_t
#include <cstdlib>    // aligned_alloc
#include <cstring>    // memcpy, memset
#include <memory>     // unique_ptr
#include <vector>     // vector

namespace amp = amphora;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

struct array {
  explicit array(std::size_t bytes) : memory(static_cast<char*>(std::aligned_alloc(4096, (bytes / 4096 + 1) * 4096)), &std::free) { std::memset(memory.get(), 0, bytes); }
  template <class T> T* as() { return reinterpret_cast<T*>(memory.get()); }
  std::unique_ptr<char, decltype(&std::free)> memory;
};

/// Reads one number of each line, as fast as was found: eight pages in turn, the next eight prefetched.
std::uint64_t read(const char* from, std::size_t bytes) {
  constexpr std::size_t page = 4096, group = 8 * page, visit = 4 * 64;
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first + group <= bytes; first += group)
    for (std::size_t at = 0; at < page; at += visit)
      for (std::size_t start = first + at; start < first + group; start += page)
        for (std::size_t line = start; line < start + visit; line += 64) {
          if (line + group < bytes) __builtin_prefetch(from + line + group, 0, 2);
          std::uint64_t x;
          std::memcpy(&x, from + line, sizeof x);
          sum += x;
        }
  return sum;
}

template <class From, class To, class... Mode>
void convert(benchmark::State& state) {
  const std::int64_t n = state.range(0) / 4;
  const auto moved = static_cast<std::size_t>(n) * (sizeof(From) + sizeof(To));
  array numbers(static_cast<std::size_t>(n) * 4), from(static_cast<std::size_t>(n) * sizeof(From)), to(static_cast<std::size_t>(n) * sizeof(To)), a(moved / 2), b(moved / 2);
  std::uint32_t random = 1;
  for (std::int64_t i = 0; i < n; ++i)  // ±[2^-8, 8): ordinary numbers in every format
    numbers.as<float>()[i] = static_cast<float>(static_cast<std::int32_t>(random = random * 1664525u + 1013904223u)) * 0x1p-28f;
  if constexpr (sizeof...(Mode) == 0 || sizeof(From) == 4) amp::detail::convert_array(numbers.as<float>(), from.as<From>(), n);
  const int repeats = static_cast<int>(std::max<std::size_t>(1, (std::size_t(4) << 20) / moved));
  std::vector<double> of_memcpy, of_zeros, of_reads, seconds;
  for (auto _ : state) {
    const double t0 = now();
    for (int i = 0; i < repeats; ++i) std::memcpy(b.as<char>(), a.as<char>(), moved / 2), benchmark::ClobberMemory();
    const double t1 = now();
    for (int i = 0; i < repeats; ++i) amp::detail::convert_array(from.as<From>(), to.as<To>(), n, Mode{}...), benchmark::ClobberMemory();
    const double t2 = now();
    for (int i = 0; i < repeats; ++i) std::memset(to.as<char>(), 0, static_cast<std::size_t>(n) * sizeof(To)), benchmark::ClobberMemory();
    const double t3 = now();
    for (int i = 0; i < repeats; ++i) benchmark::DoNotOptimize(read(from.as<char>(), static_cast<std::size_t>(n) * sizeof(From))), benchmark::ClobberMemory();
    const double t4 = now();
    state.SetIterationTime(t4 - t0);
    of_memcpy.push_back((t1 - t0) / (t2 - t1)), of_zeros.push_back((t3 - t2) / (t2 - t1)), of_reads.push_back((t4 - t3) / (t2 - t1)), seconds.push_back((t2 - t1) / repeats);
  }
  state.counters["of_memcpy"] = median(of_memcpy);
  if (sizeof(To) == 4) state.counters["of_zeros"] = median(of_zeros);
  if (sizeof(From) == 4 && n > 1 << 20) state.counters["of_reads"] = median(of_reads);
  state.counters["us"] = median(seconds) * 1e6;
  state.counters["GB_a_second"] = 1e-9 * static_cast<double>(moved) / median(seconds);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgName("float_bytes")->UseManualTime()->Unit(benchmark::kMillisecond);
  b->Arg(16 << 10)->Arg(64 << 10)->Arg(4 << 20)->Arg(256 << 20);
}

}  // namespace

BENCHMARK_TEMPLATE(convert, float, amp::float16)->Name("f32_to_f16")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, amp::float16, float)->Name("f16_to_f32")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, float, amp::bfloat16)->Name("f32_to_bf16")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, amp::bfloat16, float)->Name("bf16_to_f32")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, float, amp::float8_e4m3, amp::saturating)->Name("f32_to_e4m3")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, float, amp::float8_e5m2, amp::saturating)->Name("f32_to_e5m2")->Apply(sizes);
BENCHMARK_TEMPLATE(convert, amp::bfloat16, amp::float16)->Name("bf16_to_f16")->Apply(sizes);

BENCHMARK_MAIN();
