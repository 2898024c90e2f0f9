#include <amphora/host/reduce.hpp>

#include <amphora/ops/sum.hpp>
#include <amphora/host/map.hpp>
#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE_TEMPLATE("sums have the same bits on any number of threads", T, float, amp::float16, double) {
  for (const amp::axes& over : {amp::axes{}, amp::axes{0}, amp::axes{1}, amp::axes{2}, amp::axes{0, 2}})
    check::same_bits_on_any_threads([&](amp::host_context& c) { return amp::sum<amp::o0<>>(c, check::random<T>(c, {5, 130, 301}, 1), over); });
}

TEST_CASE("a long sum goes on in double, so that small terms are not lost beside a large total") {
  amp::host_context c;
  check::tensor<float> x(c, {1 << 21});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = 16777216.0f / 4096;  // 2^12 terms make 2^24, then ones would vanish in float
  for (std::int64_t i = x.size() / 2; i < x.size(); ++i) x.data()[i] = 1;
  CHECK(amp::sum<amp::o0<>>(c, x).data()[0] == 4096.0f * 1048576 + 1048576);
}

TEST_CASE("so does a long sum down a column") {
  amp::host_context c;
  check::tensor<float> x(c, {1 << 20, 2});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = i < 8192 ? 4096 : 1;  // 4096 · 4096 = 2^24 a column, then ones would vanish in float
  const auto y = amp::sum<amp::o0<>>(c, x, amp::axes{0});
  for (int i = 0; i < 2; ++i) CHECK(y.data()[i] == 16777216.0f + 1044480);
}
