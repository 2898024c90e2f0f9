#include <amphora/cuda/softmax.cuh>

#include <amphora/host/softmax.hpp>
#include <amphora/ops/softmax.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;

namespace {

struct lines_case {
  amp::shape shape;
  int axis, skip;
  bool logarithm;
};
template <class T, class Context>
std::vector<T> forward(Context& c, const lines_case& l, const std::vector<T>& values) {
  check::array<T, Context> x(c, l.shape, values, l.skip), y(c, l.shape, values, l.skip);
  amp::detail::softmax_kernels<typename Context::device>::forward(c, amp::detail::lines_along("softmax", l.shape, l.axis), l.logarithm, amp::detail::write(y.view()),
                                                                  amp::detail::read(amp::detail::operand(x.view())));
  return y.wait_read();
}
template <class T, class Context>
std::vector<T> backward(Context& c, const lines_case& l, const std::vector<T>& values, bool add) {
  const auto n = l.shape.elements();
  check::array<T, Context> x(c, l.shape, values, l.skip), g(c, l.shape, check::numbers<T>(n, 2)), gx(c, l.shape, check::numbers<T>(n, 3), l.skip);
  amp::detail::softmax_kernels<typename Context::device>::backward(c, amp::detail::lines_along("softmax", l.shape, l.axis), l.logarithm,
                                                                   amp::detail::target<amp::format_of_t<T>>{gx.view().data(), add}, amp::detail::read(amp::detail::operand(g.view())),
                                                                   amp::detail::read(amp::detail::operand(x.view())));
  return gx.wait_read();
}

// An exp to 2 units in the last place on either side, a sum of eights in float (3 units at most, all terms are positive), a division and a
// store: at most 12 units of the larger of a number and 1. A gradient joins two of these and a product with Σ grad · p, which is below
// 2 for softmax; for the logarithm Σ grad is below √n · 2. Where all is in double, so are the sums: n units each.
template <class T> void check_lines(const amp::shape& shape, int axis, double spread = 4) {
  amp::host_context host;
  amp::cuda_context cuda;
  for (int skip : {0, 1})
    for (bool logarithm : {false, true}) {
      const check::in_reverse order(skip == 1);
      const lines_case l{shape, axis, skip, logarithm};
      const auto values = check::numbers<T>(shape.elements(), 1, spread);
      const double terms = std::is_same_v<T, double> && shape.rank() > 0 ? static_cast<double>(shape[axis]) : 0;
      CHECK(check::largest_error(forward(cuda, l, values), forward(host, l, values)) <= 12 + terms);
      CHECK(check::largest_error(backward(cuda, l, values, skip == 1), backward(host, l, values, skip == 1)) <= 48 + terms);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("softmax is near the host's for lines of every length", T, float16, bfloat16, float, double) {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 255, 256, 1024, 1025, 4096, 4097}) {
    CAPTURE(n);
    check_lines<T>({5, n}, -1);
  }
  check_lines<T>({70001}, 0, 8);
  check_lines<T>({0, 8}, 1);
  check_lines<T>({}, 0);
  check_lines<T>({1000, 10}, 1);
}
TEST_CASE_TEMPLATE("and for lines side by side", T, float16, float, double) {
  check_lines<T>({3, 10, 200}, 1);  // a thread each
  check_lines<T>({2, 10, 3}, 1);    // too few for that
  check_lines<T>({2, 300, 3}, 1);
  check_lines<T>({1, 1500, 2}, 1);
  check_lines<T>({40, 0, 3}, 1);
}

TEST_CASE_TEMPLATE("lines of -inf, and with +inf or NaN, are NaN; some -inf among others are 0", T, float16, float, double) {
  amp::host_context host;
  amp::cuda_context cuda;
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t n : {5, 8, 300, 2000}) {
    auto values = check::numbers<T>(5 * n, 1);
    const auto put = [&](std::int64_t line, std::int64_t i, double x) { values[static_cast<std::size_t>(line * n + i)] = amp::convert<amp::format_of_t<T>>(x); };
    for (std::int64_t i = 0; i < n; ++i) put(0, i, -inf);
    put(1, n - 1, inf), put(2, 1, nan), put(3, 0, -inf), put(3, n - 1, -inf), put(4, 0, nan);
    for (bool logarithm : {false, true}) {
      const lines_case l{{5, n}, 1, 0, logarithm};
      const auto y = forward(cuda, l, values);
      CHECK(check::largest_error(y, forward(host, l, values)) <= 12);
      CHECK(check::largest_error(backward(cuda, l, values, false), backward(host, l, values, false)) <= 48);
      for (std::int64_t i = 0; i < n; ++i)
        for (int line : {0, 1, 2, 4}) CHECK(std::isnan(static_cast<double>(y[static_cast<std::size_t>(line * n + i)])));
      CHECK(static_cast<double>(y[static_cast<std::size_t>(3 * n)]) == (logarithm ? -inf : 0));
    }
  }
}

TEST_CASE("softmax has the same bits in any order of blocks, in place, and neither waits nor allocates") {
  amp::cuda_context cuda;
  const lines_case l{{50, 3000}, 1, 0, false};
  const auto values = check::numbers<float>(150000, 1);
  const auto once = forward(cuda, l, values);
  {
    const check::in_reverse order(true);
    CHECK(check::different(forward(cuda, l, values), once) == 0);
  }
  check::array<float, amp::cuda_context> x(cuda, l.shape, values);
  amp::softmax<amp::o0<>>(cuda, amp::into(x.view()), x.view());
  CHECK(check::different(x.wait_read(), once) == 0);
  check::neither_waits_nor_allocates(cuda, [&](auto& c) { amp::softmax<amp::o0<>>(c, amp::into(x.view()), x.view()); });
}
