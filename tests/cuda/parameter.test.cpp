#include <amphora/cuda/parameter.cuh>

#include <amphora/host/parameter.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16, amp::float8_e4m3, amp::float8_e5m2;

namespace {

/// All that a load wrote, as doubles.
template <class From, class Context>
std::vector<double> loaded(Context& c, std::int64_t n, int skip) {
  const check::array<From, Context> from(c, {n}, check::numbers<From>(n, 1, 500), skip);
  check::array<float, Context> a(c, {n}, check::numbers<float>(n, 2), skip);
  check::array<float16, Context> b(c, {n}, check::numbers<float16>(n, 2));
  check::array<bfloat16, Context> d(c, {n}, check::numbers<bfloat16>(n, 2), skip);
  check::array<float8_e4m3, Context> e(c, {n}, check::numbers<float8_e4m3>(n, 2));
  check::array<double, Context> f(c, {n}, check::numbers<double>(n, 2));
  const amp::model_pointer to[] = {a.view().data(), b.view().data(), d.view().data(), e.view().data(), f.view().data()};
  amp::detail::parameter_kernels<typename Context::device>::load(c, amp::gradient_pointer(from.view().data()), to, 5, n);
  std::vector<double> all;
  const auto take = [&](const auto& part) { for (const auto& x : part.wait_read()) all.push_back(static_cast<double>(x)); };
  take(a), take(b), take(d), take(e), take(f);
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("weights are loaded into every copy at once, with the host's roundings", From, float16, bfloat16, float, double, float8_e5m2) {
  amp::host_context host;
  amp::cuda_context cuda;
  for (const std::int64_t n : check::sizes)
    for (int skip : {0, 1}) CHECK(check::different(loaded<From>(cuda, n, skip), loaded<From>(host, n, skip)) == 0);
}

TEST_CASE("memory is cleared where it is told to, and nothing beside it") {
  amp::cuda_context c;
  check::array<float, amp::cuda_context> x(c, {5}, {1, 2, 3, 4, 5}, 1);
  using kernels = amp::detail::parameter_kernels<amp::cuda_device>;
  kernels::clear(c, x.view().data() + 1, 3 * sizeof(float));
  CHECK(x.wait_read() == std::vector<float>{1, 0, 0, 0, 5});
  kernels::clear(c, nullptr, 0);
}

TEST_CASE("a load neither waits nor allocates") {
  amp::cuda_context cuda;
  check::array<float, amp::cuda_context> x(cuda, {4097}, check::numbers<float>(4097, 5)), y(cuda, {4097}, check::numbers<float>(4097, 6));
  check::neither_waits_nor_allocates(cuda, [&](auto& c) {
    const amp::model_pointer to(y.view().data());
    amp::detail::parameter_kernels<amp::cuda_device>::load(c, amp::gradient_pointer(x.view().data()), &to, 1, 4097);
    amp::detail::parameter_kernels<amp::cuda_device>::clear(c, x.view().data(), 16);
  });
}
