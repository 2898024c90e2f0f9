#include <amphora/cuda/reduce.cuh>

#include <amphora/cuda/map.cuh>
#include <amphora/host/map.hpp>
#include <amphora/host/reduce.hpp>
#include <amphora/ops/sum.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;

namespace {

template <class T, class Context>
std::vector<float> summed(Context& c, const amp::shape& s, const amp::axes& over, int skip, bool add) {
  const amp::detail::axis_set set = amp::detail::axis_set::of(over, s.rank());
  const amp::shape sums = amp::detail::reduced_shape(s, set, false);
  check::array<T, Context> x(c, s, check::numbers<T>(s.elements(), 1), skip);
  check::array<float, Context> y(c, sums, check::numbers<float>(sums.elements(), 2), skip);
  amp::detail::sum_over<amp::detail::arithmetic_format_t<amp::format_of_t<T>>>(c, amp::detail::target<amp::f32>{y.view().data(), add}, amp::detail::read(amp::detail::operand(x.view())),
                                                                              amp::detail::reduction_of(s, set), 3, 0.7);
  return y.wait_read();
}
template <class T> void check_summed(const amp::shape& s, const amp::axes& over) {
  amp::host_context host;
  amp::cuda_context cuda;
  CAPTURE(s.elements());
  for (int skip : {0, 1}) {
    const check::in_reverse order(skip == 1);
    CHECK(check::different(summed<T>(cuda, s, over, skip, skip == 1), summed<T>(host, s, over, skip, skip == 1)) == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sums of everything have the host's bits at every size", T, float16, bfloat16, float, double) {
  for (const std::int64_t n : check::sizes) check_summed<T>({n}, {});
  check_summed<T>({128 * 4096 + 77}, {});  // more chunks than columns
}
TEST_CASE_TEMPLATE("so have sums over each set of axes", T, float16, float, double) {
  for (const amp::axes& over : {amp::axes{}, amp::axes{0}, amp::axes{1}, amp::axes{2}, amp::axes{0, 1}, amp::axes{0, 2}, amp::axes{1, 2}}) {
    check_summed<T>({5, 130, 301}, over);
    check_summed<T>({5, 130, 64}, over);
    check_summed<T>({3, 0, 8}, over);
    check_summed<T>({0, 3, 8}, over);
    check_summed<T>({1, 1, 9}, over);
  }
  check_summed<T>({}, {});
  check_summed<T>({4, 5, 3, 8}, {0, 2});
  check_summed<T>({4, 5, 3, 8}, {1, 3});
}
TEST_CASE_TEMPLATE("and sums of many rows, whose groups share the device", T, float16, float) {
  check_summed<T>({40000, 8}, {0});  // more groups than one tile holds
  check_summed<T>({40000, 3}, {0});
  check_summed<T>({130, 1000}, {0});
  check_summed<T>({130, 2051}, {0});  // more results than threads: one thread adds all groups of its own
  check_summed<T>({130, 16384}, {0});
}
TEST_CASE_TEMPLATE("and rows of every length", T, float16, float) {
  for (const std::int64_t n : check::sizes) check_summed<T>({3, n}, {1}), check_summed<T>({n, 3}, {1}), check_summed<T>({n, 8}, {0}), check_summed<T>({3, n}, {0});
}

TEST_CASE("what cannot be summed is NaN, or infinite, as on the host") {
  amp::host_context host;
  amp::cuda_context cuda;
  const auto means = [](auto& c) {
    using context = std::decay_t<decltype(c)>;
    auto values = check::numbers<float>(9000, 1);
    values[10] = std::numeric_limits<float>::infinity(), values[8999] = std::numeric_limits<float>::quiet_NaN();
    check::array<float, context> x(c, {2, 4500}, values), none(c, {3, 0}, {});
    auto all = amp::wait_read(c, amp::mean<amp::o0<>>(c, x.view(), {1}));
    for (float y : amp::wait_read(c, amp::mean<amp::o0<>>(c, none.view(), {1}))) all.push_back(y);
    return all;
  };
  CHECK(check::different(means(cuda), means(host)) == 0);
  CHECK(std::isinf(means(cuda)[0]));
  CHECK(std::isnan(means(cuda)[1]));
  CHECK(std::isnan(means(cuda)[4]));
}

TEST_CASE("a sum neither waits nor asks for memory anew") {
  amp::cuda_context cuda;
  check::array<float, amp::cuda_context> x(cuda, {70001}, check::numbers<float>(70001, 5)), columns(cuda, {4096, 8}, check::numbers<float>(32768, 5));
  check::array<float, amp::cuda_context> y(cuda, {}, {0}), each(cuda, {8}, check::numbers<float>(8, 1));
  check::neither_waits_nor_allocates(cuda, [&](auto& c) {
    amp::sum<amp::o0<>>(c, amp::into(y.view()), x.view());
    amp::sum<amp::o0<>>(c, amp::into(each.view()), columns.view(), amp::axes{0});
  });
}
