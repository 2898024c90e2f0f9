// A function of each element and its sum over axes in one pass: what the function gives is never in memory.
#pragma once
#include <amphora/detail/rows.hpp>    // list
#include <amphora/ops/kernels.hpp>    // make_loops, loops
#include <amphora/ops/operand.hpp>    // source, target, read_as, arithmetic_t
#include <amphora/ops/reduction.hpp>  // reduction_loops, reduction_of, broadcast_axes

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// run<Accumulate, AnyAxes>(context, f, loops, reduction, divisor, target, sources…): y = Σ f(index, x…) / divisor, with the bits of a map and then a sum.
template <class Device> struct map_reduce_kernels;

template <class... Formats> struct arithmetic_of { using t = arithmetic_t<Formats...>; };  // g++ 12 does not expand two packs in that alias

/// y = f(x…) over `wide`, summed over the axes along which y's shape was broadcast to it, divided by `divisor`: in float (or wider, where
/// Accumulate is), in the order of ops/reduction.hpp, rounded once.
///
/// narrow   the shape of y: `wide`, or one that broadcasts to it
/// AnyAxes  whether the last axis may be one that stays; without it a device makes fewer kernels
template <class Accumulate, bool AnyAxes = false, class Context, class Function, class Y, class... Read, class... X>
void map_reduce(list<Read...>, Context& context, const Function& f, const shape& wide, const target<Y>& y, const shape& narrow, double divisor, const view<const X>&... x) {
  map_reduce_kernels<typename Context::device>::template run<Accumulate, AnyAxes>(context, f, make_loops<static_cast<int>(sizeof...(X))>(wide, {&x.shape()...}),
                                                                         reduction_of(wide, broadcast_axes(wide, narrow)), divisor, y, read_as<Read>(x)...);
}

}}}  // namespace amphora::detail
