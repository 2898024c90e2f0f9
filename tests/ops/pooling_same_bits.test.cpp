// Pooling gives the host's bits on CUDA: windows and gradients are added in one order.
#include <device_ops.hpp>

#include <amphora/host/pooling.hpp>
#include <amphora/ops/adaptive_avg_pool.hpp>
#include <amphora/ops/avg_pool.hpp>
#include <amphora/ops/max_pool.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;

namespace {

using policy = amp::o1<amp::f16>;

/// Whether f(context, x) has the same bits on both devices.
template <class T, class Function> bool is_same(const amp::shape& shape, const Function& f) {
  const auto numbers = check::numbers<T>(shape.elements(), 1);
  const auto on = [&](auto& context) {
    amp::tensor<T, std::decay_t<decltype(context)>> x(context, shape);
    amp::write(context, numbers, x);
    return amp::wait_read(context, f(context, x));
  };
  amp::host_context host;
  amp::cuda_context cuda;
  const auto a = on(host), b = on(cuda);
  return check::different(a, b) == 0;
}
template <class T> void all() {
  const auto windows = amp::max_pool_options{}.stride(2).padding(1);
  const auto means = amp::avg_pool_options{}.stride(2).padding(1).ceil().count_padding(false);
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::max_pool2d<policy>(context, x, 3, windows); }));
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::max_pool2d_backward<policy>(context, amp::max_pool2d<policy>(context, x, 3, windows), x, 3, windows); }));
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::avg_pool2d<policy>(context, x, 3, means); }));
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::avg_pool2d_backward<policy>(context, amp::avg_pool2d<policy>(context, x, 3, means), x, 3, means); }));
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::adaptive_avg_pool2d<policy>(context, x, {5, 4}); }));
  CHECK(is_same<T>({3, 17, 13}, [&](auto& context, const auto& x) { return amp::adaptive_avg_pool2d_backward<policy>(context, amp::adaptive_avg_pool2d<policy>(context, x, {5, 4}), x, {5, 4}); }));
}

}  // namespace

TEST_CASE("pooling has the host's bits, forward and backward, in every format") {
  all<float>(), all<double>(), all<amp::float16>(), all<amp::bfloat16>();
}
