// A function of each element and its sum on the host, in one pass.
#pragma once
#include <amphora/host/context.hpp>    // host_context, host_device
#include <amphora/host/reduce.hpp>     // host_reduction
#include <amphora/host/run.hpp>        // host_source, host_target, load_run
#include <amphora/ops/map_reduce.hpp>  // map_reduce_kernels

#include <algorithm>  // min
#include <cstddef>    // size_t
#include <cstdint>    // int64_t
#include <utility>    // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers that are made where they are read: f of the operands, which move as the loops say.
template <class Real, class Function, int Operands>
struct host_mapped {
  static constexpr std::int64_t most = 256;  // as many as a sum asks for at a time

  const Function& f;
  const loops<Operands>& over;
  const host_source* x;

  template <class Sum, std::size_t... O> void load(std::int64_t i, std::int64_t n, Sum* to, std::index_sequence<O...>) const {
    const int last = over.rank - 1;
    const std::int64_t inner = last < 0 ? 1 : over.extent[last];
    Real in[Operands][most];
    while (n > 0) {
      const std::int64_t begin = i % inner, count = (std::min)((std::min)(n, inner - begin), most);
      std::int64_t at[Operands] = {}, rest = i / inner;
      for (int axis = last - 1; axis >= 0; --axis) {
        for (int o = 0; o < Operands; ++o) at[o] += rest % over.extent[axis] * over.stride[o][axis];
        rest /= over.extent[axis];
      }
      for (int o = 0; o < Operands; ++o) {
        const std::int64_t stride = last < 0 ? 1 : over.stride[o][last];
        load_run(x[o], at[o] + begin * stride, count, stride, in[o]);
      }
      for (std::int64_t j = 0; j < count; ++j) to[j] = static_cast<Sum>(f(i + j, in[O][j]...));
      i += count, n -= count, to += count;
    }
  }
};
template <class Real, class Function, int Operands, class Sum>
void load_run(const host_mapped<Real, Function, Operands>& x, std::int64_t i, std::int64_t n, Sum* to) {
  x.load(i, n, to, std::make_index_sequence<static_cast<std::size_t>(Operands)>());
}

template <>
struct map_reduce_kernels<host_device> {
  template <class Accumulate, bool AnyAxes, class Function, class Y, class... X, class... Read>
  static void run(host_context& context, const Function& f, const loops<static_cast<int>(sizeof...(X))>& over, const reduction_loops& reduction, double divisor,
                  const target<Y>& y, const source<X, Read>&... x) {
    using real = typename arithmetic_of<Accumulate, Read...>::t;
    using mapped = host_mapped<real, Function, static_cast<int>(sizeof...(X))>;
    const host_source sources[] = {x...};
    host_reduction<typename arithmetic_of<Accumulate, Read...>::t, mapped>{reduction, y, mapped{f, over, sources}, divisor, 1}.run(context);
  }
};

}}}  // namespace amphora::detail
