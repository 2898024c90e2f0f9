// The numbers above a diagonal on the host.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/parallel.hpp>  // for_pieces, workspace
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/triangle.hpp>   // triangle_kernels, triangle_row

#include <algorithm>  // fill_n
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct triangle_kernels<host_device> {
  template <class Y, class X>
  static void pick(host_context& context, std::int64_t n, const target<Y>& y, const source<X>& x) {
    rows<arithmetic_t<Y, X>>(context, n, [&](std::int64_t i, auto* row) {
      load_run(host_source(x), i * n + i + 1, n - 1 - i, row);
      store_run(host_target(y), triangle_row(n, i), n - 1 - i, row);
    });
  }
  template <class Y, class X>
  static void spread(host_context& context, std::int64_t n, const target<Y>& y, const source<X>& x) {
    rows<arithmetic_t<Y, X>>(context, n, [&](std::int64_t i, auto* row) {
      std::fill_n(row, i + 1, 0);
      load_run(host_source(x), triangle_row(n, i), n - 1 - i, row + i + 1);
      store_run(host_target(y), i * n, n, row);
    });
  }

 private:
  template <class Real, class Work> static void rows(host_context& context, std::int64_t n, const Work& work) {
    const workspace<Real> memory(context, context.threads() * n);
    for_pieces(context, n, n > 256, [&](std::int64_t i, int thread) { work(i, memory.data() + thread * n); });
  }
};

}}}  // namespace amphora::detail
