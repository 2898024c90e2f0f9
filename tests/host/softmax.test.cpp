#include <amphora/host/softmax.hpp>

#include <amphora/ops/softmax.hpp>
#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("softmax has the same bits on any number of threads, along any axis") {
  for (int axis = 0; axis < 3; ++axis)
    check::same_bits_on_any_threads([&](amp::host_context& c) { return amp::softmax<amp::o0<>>(c, check::random<amp::float16>(c, {31, 70, 9}, 1), axis); });
}

TEST_CASE("the numbers of a line: its largest, the sum of exponentials, and its logarithm") {
  const double x[3] = {1, 3, 2};
  double e[3];
  const auto s = amp::detail::softmax_of(x, 3, e);
  CHECK(s.largest == 3);
  CHECK(e[1] == 1);
  CHECK(std::fabs(s.sum - (1 + std::exp(-1.0) + std::exp(-2.0))) <= 4 * amp::f64::unit_roundoff);
  CHECK(std::fabs(s.log_sum - std::log(s.sum)) <= 2 * amp::f64::unit_roundoff);
}
