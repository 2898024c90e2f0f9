// Pooling on the host: plane by plane.
#pragma once
#include <amphora/host/context.hpp>     // host_context, host_device
#include <amphora/host/parallel.hpp>    // for_pieces, workspace
#include <amphora/host/run.hpp>         // host_source, host_target, load_run, store_run
#include <amphora/ops/operand.hpp>      // source, target, arithmetic_t
#include <amphora/ops/pool_layout.hpp>  // pooling_kernels, pool_window

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers of a plane that lie in the host's memory.
template <class T> struct plane_numbers {
  const T* data;
  AMPHORA_HD T operator()(std::int64_t i) const { return data[i]; }
};

/// Calls work(plane, memory) with memory for so many numbers, one thread's own.
template <class Real, class Work>
void for_planes(host_context& context, const pool_window& w, const Work& work) {
  const std::int64_t numbers = w.inputs() + w.outputs();
  const workspace<Real> memory(context, context.threads() * numbers + 1);
  for_pieces(context, w.planes, w.planes * numbers > 8192, [&](std::int64_t plane, int thread) { work(plane, memory.data() + thread * numbers); });
}

template <class Real>
void pool_greatest_planes(host_context& context, const pool_window& w, const host_target& y, std::int64_t* indices, const host_source& x) {
  for_planes<Real>(context, w, [&](std::int64_t plane, Real* v) {
    Real* value = v + w.inputs();
    load_run(x, plane * w.inputs(), w.inputs(), v);
    for (std::int64_t o = 0; o < w.outputs(); ++o) {
      const pool_greatest<Real> best = greatest_of<Real>(w, o, plane_numbers<Real>{v});
      value[o] = best.value;
      if (indices) indices[plane * w.outputs() + o] = best.index;
    }
    if (y.data) store_run(y, plane * w.outputs(), w.outputs(), value);
  });
}
template <class Real>
void pool_take_planes(host_context& context, const pool_window& w, const host_target& y, const host_source& x, const std::int64_t* indices) {
  for_planes<Real>(context, w, [&](std::int64_t plane, Real* v) {
    Real* value = v + w.inputs();
    load_run(x, plane * w.inputs(), w.inputs(), v);
    for (std::int64_t o = 0; o < w.outputs(); ++o) {
      const std::int64_t index = indices[plane * w.outputs() + o];
      value[o] = index >= 0 && index < w.inputs() ? v[index] : Real(0);
    }
    store_run(y, plane * w.outputs(), w.outputs(), value);
  });
}
template <class Real>
void pool_give_planes(host_context& context, const pool_window& w, const host_target& gx, const host_source& grad, const std::int64_t* indices) {
  for_planes<Real>(context, w, [&](std::int64_t plane, Real* v) {
    Real* g = v + w.inputs();
    load_run(grad, plane * w.outputs(), w.outputs(), g);
    for (std::int64_t i = 0; i < w.inputs(); ++i) v[i] = 0;
    for (std::int64_t o = 0; o < w.outputs(); ++o) {  // in the order of the outputs, as on every device
      const std::int64_t index = indices[plane * w.outputs() + o];
      if (index >= 0 && index < w.inputs()) v[index] += g[o];
    }
    store_run(gx, plane * w.inputs(), w.inputs(), v);
  });
}
template <class Real>
void pool_average_planes(host_context& context, const pool_window& w, const host_target& y, const host_source& x) {
  for_planes<Real>(context, w, [&](std::int64_t plane, Real* v) {
    Real* value = v + w.inputs();
    load_run(x, plane * w.inputs(), w.inputs(), v);
    for (std::int64_t o = 0; o < w.outputs(); ++o) value[o] = average_of<Real>(w, o, plane_numbers<Real>{v});
    store_run(y, plane * w.outputs(), w.outputs(), value);
  });
}
template <class Real>
void pool_spread_planes(host_context& context, const pool_window& w, const host_target& gx, const host_source& grad) {
  for_planes<Real>(context, w, [&](std::int64_t plane, Real* v) {
    Real* g = v + w.inputs();
    load_run(grad, plane * w.outputs(), w.outputs(), g);
    const plane_numbers<Real> numbers{g};
    for (std::int64_t i = 0; i < w.inputs(); ++i) v[i] = spread_to<Real>(w, i, numbers);
    store_run(gx, plane * w.inputs(), w.inputs(), v);
  });
}

template <>
struct pooling_kernels<host_device> {
  template <class Y, class X, class Read>
  static void greatest(host_context& context, const pool_window& w, const target<Y>& y, std::int64_t* indices, const source<X, Read>& x) {
    pool_greatest_planes<arithmetic_t<Y, X, Read>>(context, w, y, indices, x);
  }
  template <class Y, class X>
  static void take(host_context& context, const pool_window& w, const target<Y>& y, const source<X>& x, const std::int64_t* indices) {
    pool_take_planes<arithmetic_t<Y, X>>(context, w, y, x, indices);
  }
  template <class Y, class G>
  static void give(host_context& context, const pool_window& w, const target<Y>& gx, const source<G>& grad, const std::int64_t* indices) {
    pool_give_planes<arithmetic_t<Y, G>>(context, w, gx, grad, indices);
  }
  template <class Accumulate, class Y, class X, class Read>
  static void average(host_context& context, const pool_window& w, const target<Y>& y, const source<X, Read>& x) {
    pool_average_planes<arithmetic_t<Accumulate, Y, X, Read>>(context, w, y, x);
  }
  template <class Accumulate, class Y, class G>
  static void spread(host_context& context, const pool_window& w, const target<Y>& gx, const source<G>& grad) {
    pool_spread_planes<arithmetic_t<Accumulate, Y, G>>(context, w, gx, grad);
  }
};

}}}  // namespace amphora::detail
