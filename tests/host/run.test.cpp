#include <amphora/host/run.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

TEST_CASE_TEMPLATE("runs of any length and place are read exactly and written with one rounding", Format, amp::f16, amp::bf16, amp::f32, amp::f64, amp::e4m3, amp::e5m2) {
  using T = amp::storage_t<Format>;
  std::vector<T> memory(300), copy(300);
  for (int i = 0; i < 300; ++i) memory[static_cast<std::size_t>(i)] = amp::convert<Format, amp::saturating>(0.3f * static_cast<float>(i % 19) - 2);
  const host_source x(source<Format>{memory.data()});
  for (const int first : {0, 1, 3})
    for (const int n : {0, 1, 63, 64, 65, 200}) {
      std::vector<float> floats(static_cast<std::size_t>(n));
      std::vector<double> doubles(static_cast<std::size_t>(n));
      load_run(x, first, n, floats.data());
      load_run(x, first, n, doubles.data());
      for (int i = 0; i < n; ++i) CHECK(doubles[static_cast<std::size_t>(i)] == static_cast<double>(memory[static_cast<std::size_t>(first + i)]));
      for (int i = 0; i < n; ++i) CHECK(floats[static_cast<std::size_t>(i)] == static_cast<float>(memory[static_cast<std::size_t>(first + i)]));
      copy.assign(300, T{});
      store_run(host_target(target<Format>{copy.data(), false}), first, n, doubles.data());
      for (int i = 0; i < n; ++i) CHECK(static_cast<double>(copy[static_cast<std::size_t>(first + i)]) == doubles[static_cast<std::size_t>(i)]);
      CHECK(static_cast<double>(copy[static_cast<std::size_t>(first + n)]) == 0);
    }
}

TEST_CASE("an operand is read rounded to the format it is read as, whichever is wider") {
  float x[2] = {1.0009765625f + 0x1p-12f, 70000};
  float out[2];
  load_run(host_source(source<amp::f32, amp::f16>{x}), 0, 2, out);
  CHECK(out[0] == static_cast<float>(amp::float16(x[0])));
  CHECK(std::isinf(out[1]));
  load_run(host_source(source<amp::f32, amp::bf16>{x}), 0, 2, out);
  CHECK(out[1] == static_cast<float>(amp::bfloat16(x[1])));
  load_run(host_source(source<amp::f32, amp::f32>{x}), 0, 2, out);
  CHECK(out[0] == x[0]);
  const amp::float16 half(0.3f);
  load_run(host_source(source<amp::f16, amp::f32>{&half}), 0, 1, out);
  CHECK(out[0] == static_cast<float>(half));
  load_run(host_source(source<amp::f16, amp::bf16>{&half}), 0, 1, out);
  CHECK(out[0] == static_cast<float>(amp::bfloat16(static_cast<float>(half))));
}

TEST_CASE("adding reads what stands there and rounds once") {
  amp::float16 memory[2] = {amp::float16(1.0f), amp::float16(2.0f)};
  float sums[2] = {0x1p-11f + 0x1p-20f, 0.25f};
  store_run(host_target(target<amp::f16>{memory, true}), 0, 2, sums);
  CHECK(static_cast<float>(memory[0]) == 1 + 0x1p-10f);
  CHECK(static_cast<float>(memory[1]) == 2.25f);
}
