// Ops that move, index and resample give the host's bits on CUDA: their sums are in one order, and nothing of the math library is called.
#include <device_ops.hpp>

#include <amphora/host/index.hpp>
#include <amphora/host/map.hpp>
#include <amphora/host/memory.hpp>
#include <amphora/host/movement.hpp>
#include <amphora/host/pick.hpp>
#include <amphora/host/scale.hpp>
#include <amphora/ops/embedding.hpp>
#include <amphora/ops/gather.hpp>
#include <amphora/ops/grid_sample.hpp>
#include <amphora/ops/index_put.hpp>
#include <amphora/ops/interpolate.hpp>
#include <amphora/ops/pad.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;

namespace {

using policy = amp::o1<amp::f16>;

template <class T, class Context> amp::tensor<T, Context> given(Context& context, const amp::shape& shape, const std::vector<T>& values) {
  amp::tensor<T, Context> result(context, shape);
  amp::write(context, values, result);
  return result;
}
/// Whether f(context, x) has the same bits on both devices.
template <class T, class Function> bool is_same(const amp::shape& shape, const Function& f) {
  const auto numbers = check::numbers<T>(shape.elements(), 1);
  const auto on = [&](auto& context) { return amp::wait_read(context, f(context, given(context, shape, numbers))); };
  amp::host_context host;
  amp::cuda_context cuda;
  const auto a = on(host), b = on(cuda);
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}
template <class Context> amp::tensor<std::int64_t, Context> rows(Context& context, const amp::shape& shape, std::int64_t below) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < shape.elements(); ++i) result.push_back(i * i % 97 % below);
  return given(context, shape, result);
}
template <class T> void sums() {
  CHECK(is_same<T>({900, 3}, [](auto& context, const auto& g) {
    amp::tensor<float, std::decay_t<decltype(context)>> gw(context, {7, 3});
    amp::embedding_backward<policy>(context, amp::into(gw), g, rows(context, {900}, 7));
    return gw;
  }));
  CHECK(is_same<T>({2, 600}, [](auto& context, const auto& g) {
    amp::tensor<float, std::decay_t<decltype(context)>> gx(context, {2, 5});
    amp::gather_backward<policy>(context, amp::into(gx), g, 1, rows(context, {2, 600}, 5));
    return gx;
  }));
  CHECK(is_same<T>({700, 2}, [](auto& context, const auto& values) { return amp::index_put<policy>(context, amp::view<const T>(values.data(), {9, 2}), amp::index_list{rows(context, {700}, 9)}, values, true); }));
  for (const auto mode : {amp::interpolation_mode::linear, amp::interpolation_mode::bicubic, amp::interpolation_mode::nearest})
    CHECK(is_same<T>({1, 2, 9, 11}, [&](auto& context, const auto& x) {
      const auto settings = amp::interpolate_settings::to_size({23, 7}, mode);
      const auto y = amp::interpolate<policy>(context, x, settings);
      return amp::interpolate_backward<policy>(context, y, x, settings);
    }));
  CHECK(is_same<T>({1, 1, 8, 9}, [](auto& context, const auto& x) { return amp::pad_backward<policy>(context, amp::pad<policy>(context, x, {{30, 2}, amp::pad_mode::replicate}), x, {{30, 2}, amp::pad_mode::replicate}); }));
  CHECK(is_same<T>({1, 2, 6, 6}, [](auto& context, const auto& x) {
    const auto grid = x.view().reshaped({1, 4, 9, 2});
    const auto y = amp::grid_sample<policy>(context, x, grid);
    return amp::grid_sample_backward<policy>(context, y, x, grid).first;
  }));
  CHECK(is_same<T>({1, 2, 6, 6}, [](auto& context, const auto& x) {
    const auto grid = x.view().reshaped({1, 4, 9, 2});
    const auto y = amp::grid_sample<policy>(context, x, grid, {amp::grid_mode::bilinear, amp::grid_padding::reflection});
    return amp::grid_sample_backward<policy>(context, y, x, grid, {amp::grid_mode::bilinear, amp::grid_padding::reflection}).second;
  }));
}

}  // namespace

TEST_CASE("sums by index and over what an output reads have the host's bits on CUDA") { sums<float>(), sums<amp::float16>(); }
