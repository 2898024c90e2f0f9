// Elementwise ops on the host: short runs through the first cache, converted, computed and converted back.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/host/level.hpp>     // AMPHORA_INDEPENDENT
#include <amphora/host/parallel.hpp>  // for_pieces
#include <amphora/host/run.hpp>       // host_source, host_target, load_run, store_run
#include <amphora/ops/kernels.hpp>    // map_kernels, loops

#include <algorithm>  // min
#include <cstddef>    // size_t
#include <cstdint>    // int64_t
#include <utility>    // index_sequence

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // below -O2 nothing is vectorised
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr std::int64_t map_run = 1024;

template <>
struct map_kernels<host_device> {
  /// y[i] = f(i, x[i]…), where each x moves as the loops say; y is dense. A y in the place of an x that it matches is fine.
  template <class Function, class Y, class... X, class... Read>
  static void run(host_context& context, const Function& f, const loops<sizeof...(X)>& over, const target<Y>& y, const source<X, Read>&... x) {
    const host_source sources[] = {x...};
    run_erased<arithmetic_t<Y, X..., Read...>>(context, f, over, host_target(y), sources, std::index_sequence_for<X...>());
  }

 private:
  template <class Real, class Function, int Operands, std::size_t... O>
  static void run_erased(host_context& context, const Function& f, const loops<Operands>& over, const host_target& y,
                         const host_source (&x)[static_cast<std::size_t>(Operands)], std::index_sequence<O...>) {
    if (over.elements == 0) return;
    const int last = over.rank - 1;
    const std::int64_t inner = last < 0 ? 1 : over.extent[last], parts = (inner + map_run - 1) / map_run;
    for_pieces(context, over.elements / inner * parts, over.elements > 32768, [&](std::int64_t piece, int) {
      std::int64_t at[Operands] = {}, rest = piece / parts;
      for (int axis = last - 1; axis >= 0; --axis) {
        for (int o = 0; o < Operands; ++o) at[o] += rest % over.extent[axis] * over.stride[o][axis];
        rest /= over.extent[axis];
      }
      const std::int64_t begin = piece % parts * map_run, n = (std::min)(map_run, inner - begin);
      const std::int64_t first = piece / parts * inner + begin;
      Real in[Operands][map_run], out[map_run];
      for (int o = 0; o < Operands; ++o) {
        const std::int64_t stride = last < 0 ? 1 : over.stride[o][last];
        load_run(x[o], at[o] + begin * stride, n, stride, in[o]);
      }
      AMPHORA_INDEPENDENT
      for (std::int64_t j = 0; j < n; ++j) out[j] = f(first + j, in[O][j]...);
      store_run(y, first, n, out);
    });
  }
};

}}}  // namespace amphora::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
