// Losses of the scores of classes on CUDA: one team a row, then the rows added up in a fixed order.
#pragma once
#include <amphora/cuda/access.cuh>            // load, store
#include <amphora/cuda/context.cuh>           // cuda_context, cuda_device
#include <amphora/cuda/cross_entropy.cuh>     // not_a_number
#include <amphora/cuda/launch.cuh>            // launch, AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>             // plan_lines, line_plan, joined, added
#include <amphora/cuda/operands.cuh>          // read_one, write_one
#include <amphora/cuda/reduce.cuh>            // reduce_kernels
#include <amphora/ops/class_margin_loss.hpp>  // class_margin_kernels, class_margin_call
#include <amphora/ops/reduction.hpp>          // sum_over, reduction_of
#include <amphora/tensor/tensor.hpp>          // tensor

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The labels of a row, and whether a class is among them. One outside the classes, which the host refuses, makes its row NaN.
struct row_labels {
  const class_margin_call& call;
  std::int64_t row, count = 0;
  bool outside = false;

  __device__ row_labels(const class_margin_call& its_call, std::int64_t its_row) : call(its_call), row(its_row) {
    const std::int64_t most = call.several ? call.classes : 1;
    for (; count < most; ++count) {
      const std::int64_t t = at(count);
      if (call.several && t == -1) break;
      if (t < 0 || t >= call.classes) outside = true;
    }
  }
  __device__ std::int64_t at(std::int64_t k) const {
    const std::int64_t i = call.several ? row * call.classes + k : row;
    return call.wide_targets ? static_cast<std::int64_t>(load(static_cast<const long long*>(call.targets) + i)) : load(static_cast<const int*>(call.targets) + i);
  }
  /// How often.
  __device__ int holds(std::int64_t c) const {
    int result = 0;
    for (std::int64_t k = 0; k < count; ++k) result += at(k) == c;
    return result;
  }
};
template <class Real, class Weights>
__device__ inline Real row_weight(const class_margin_call& call, const row_labels& labels, const Weights& weights) {
  return (call.weighted ? read_one<Real>(weights, labels.at(0)) : Real(1)) / static_cast<Real>(call.shares);
}

/// What lies at a class in its row: its score, and the direction's number.
template <class Real> struct class_point { Real score, along; };
template <class Real, class Source>
__device__ inline class_point<Real> point_at(const Source& x, no_direction, std::int64_t i) { return {read_one<Real>(x, i), Real(0)}; }
template <class Real, class Source, class V>
__device__ inline class_point<Real> point_at(const Source& x, const source<V>& along, std::int64_t i) { return {read_one<Real>(x, i), read_one<Real>(along, i)}; }
template <class Real>
__device__ inline Real missing_at(const class_margin_call& call, const class_point<Real>& right, const class_point<Real>& other) { return static_cast<Real>(call.margin) - right.score + other.score; }

/// A pair's part of the loss, or its slope along a direction.
template <class Along, class Real>
__device__ inline Real pair_part(const class_margin_call& call, const class_point<Real>& right, const class_point<Real>& other) {
  const Real missing = missing_at(call, right, other);
  if constexpr (std::is_same_v<Along, no_direction>) return call.part(missing);
  else return call.slope(missing, other.along - right.along);
}
template <class Real, class Y, class Source, class Weights, class Along>
AMPHORA_KERNEL void class_margin_rows(const line_plan plan, const class_margin_call call, const target<Y> each, const Source x, const Weights weights, const Along along, double* losses) {
  const std::int64_t together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < call.rows; first += gridDim.x * together) {
    const std::int64_t row = first + static_cast<int>(threadIdx.x) / plan.team;
    const int member = static_cast<int>(threadIdx.x) & (plan.team - 1);
    double sum = 0;
    bool outside = false;
    if (row < call.rows) {
      const row_labels labels(call, row);
      outside = labels.outside;
      for (std::int64_t c = member; c < call.classes && !outside; c += plan.team) {
        if (labels.holds(c) > 0) continue;
        const class_point<Real> other = point_at<Real>(x, along, row * call.classes + c);
        for (std::int64_t k = 0; k < labels.count; ++k)
          sum += static_cast<double>(pair_part<Along>(call, point_at<Real>(x, along, row * call.classes + labels.at(k)), other));
      }
      if (!outside) sum *= static_cast<double>(row_weight<Real>(call, labels, weights));
    }
    sum = joined(sum, plan.team, added());
    if (row >= call.rows || member != 0) continue;
    if (outside) sum = not_a_number<double>;
    if (losses) store(losses + row, sum);
    else write_one(each, row, static_cast<Real>(sum));
  }
}
/// What a pair's class that is no label gets, and its label loses.
template <class Along, class Real>
__device__ inline Real pair_slope(const class_margin_call& call, Real g, const class_point<Real>& right, const class_point<Real>& other) {
  const Real missing = missing_at(call, right, other);
  if constexpr (std::is_same_v<Along, no_direction>) return call.slope(missing, g);
  else return call.bend(missing, g * (other.along - right.along));
}
/// The slope of class c, but of a row's only label, which loses what the others get.
template <class Real, class Source, class Along>
__device__ inline Real class_slope(const class_margin_call& call, const row_labels& labels, const Source& x, const Along& along, std::int64_t c, int own, Real g) {
  if (labels.outside) return g;
  const std::int64_t begin = labels.row * call.classes;
  const class_point<Real> here = point_at<Real>(x, along, begin + c);
  Real slope = 0;
  if (own == 0) {
    for (std::int64_t k = 0; k < labels.count; ++k) slope += pair_slope<Along>(call, g, point_at<Real>(x, along, begin + labels.at(k)), here);
  } else if (call.several) {
    for (std::int64_t other = 0; other < call.classes; ++other)
      if (labels.holds(other) == 0) slope -= static_cast<Real>(own) * pair_slope<Along>(call, g, here, point_at<Real>(x, along, begin + other));
  }
  return slope;
}
template <class Real, class Y, class Grad, class Source, class Weights, class Along>
AMPHORA_KERNEL void class_margin_gradients(const line_plan plan, const class_margin_call call, const target<Y> gx, const Grad grad, const Source x, const Weights weights, const Along along) {
  const std::int64_t together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < call.rows; first += gridDim.x * together) {
    const std::int64_t row = first + static_cast<int>(threadIdx.x) / plan.team;
    double given = 0;
    bool owes = false;
    if (row < call.rows) {
      const row_labels labels(call, row);
      const Real g = labels.outside ? not_a_number<Real> : read_one<Real>(grad, call.each ? row : 0) / static_cast<Real>(call.divisor) * row_weight<Real>(call, labels, weights);
      for (std::int64_t c = static_cast<int>(threadIdx.x) & (plan.team - 1); c < call.classes; c += plan.team) {
        const int own = labels.outside ? 0 : labels.holds(c);
        if (own > 0 && !call.several) {
          owes = true;
          continue;
        }
        const Real slope = class_slope(call, labels, x, along, c, own, g);
        given += static_cast<double>(slope);
        write_one(gx, row * call.classes + c, slope);
      }
    }
    if (call.several) continue;
    given = joined(given, plan.team, added());
    if (owes) write_one(gx, row * call.classes + row_labels(call, row).at(0), static_cast<Real>(-given));
  }
}

template <>
struct class_margin_kernels<cuda_device> {
  /// Near the host's numbers; the same bits for every grid.
  ///
  /// Cost  a row of C scores with L labels: C · L pairs, shared by its team; backward, of several labels, C pairs a label more
  template <class Y, class X, class W, class Along>
  static void forward(cuda_context& context, const class_margin_call& call, const target<Y>& loss, const source<X>& x, const source<W>& weights, const Along& along) {
    using real = arithmetic_t<X>;
    tensor<double, cuda_context> losses(context, shape{call.each ? 0 : call.rows});
    const line_plan plan = plan_lines(context, {call.rows, call.classes, 1}, false);
    if (call.rows > 0)
      launch(context, "class_margin", plan.grid(context), plan.threads(), class_margin_rows<real, Y, source<X>, source<W>, Along>, plan, call, loss, x, weights, along, call.each ? nullptr : losses.data());
    if (!call.each) sum_over<f64>(context, loss, source<f64>{losses.data()}, reduction_of(losses.shape(), axis_set::of({}, 1)), call.divisor);
  }
  template <class Y, class G, class X, class W, class Along>
  static void backward(cuda_context& context, const class_margin_call& call, const target<Y>& gx, const source<G>& grad, const source<X>& x, const source<W>& weights, const Along& along) {
    if (call.rows * call.classes == 0) return;
    const line_plan plan = plan_lines(context, {call.rows, call.classes, 1}, false);
    launch(context, "class_margin_backward", plan.grid(context), plan.threads(), class_margin_gradients<arithmetic_t<X>, Y, source<G>, source<X>, source<W>, Along>, plan, call, gx, grad, x, weights, along);
  }
};

}}}  // namespace amphora::detail
