// Cross entropy on CUDA: one team a row of logits, then the losses and the targets' weights added up in a fixed order.
#pragma once
#include <amphora/cuda/access.cuh>        // eight, load, store
#include <amphora/cuda/context.cuh>       // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>        // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>         // plan_lines, line_place, softmax_of_line, read_line, write_line, joined
#include <amphora/cuda/operands.cuh>      // read_one, write_one, is_wide_at
#include <amphora/ops/cross_entropy.hpp>  // cross_entropy_call, reduction
#include <amphora/ops/kernels.hpp>        // cross_entropy_kernels, lines_of
#include <amphora/tensor/tensor.hpp>      // tensor

#include <cmath>    // exp, log
#include <cstdint>  // int64_t
#include <limits>   // quiet_NaN

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Rows whose losses one block adds up.
inline constexpr std::int64_t loss_chunk = 4096;

template <class Real> inline constexpr Real not_a_number = std::numeric_limits<Real>::quiet_NaN();

/// What a row is asked for. A target outside the classes, which the host refuses, cannot be refused without a wait: its row is NaN.
struct row_target {
  std::int64_t index;
  bool ignored, outside;

  __device__ row_target(const cross_entropy_call& call, std::int64_t row)
      : index(call.wide_targets ? static_cast<std::int64_t>(load(static_cast<const long long*>(call.targets) + row)) : load(static_cast<const int*>(call.targets) + row)),
        ignored(index == call.settings.ignore_index), outside(!ignored && (index < 0 || index >= call.classes)) {}
};
template <class Real, class Weights>
__device__ inline Real class_weight(const cross_entropy_call& call, const Weights& weights, std::int64_t c) {
  return call.weighted ? read_one<Real>(weights, c) : Real(1);
}

/// −log softmax of the target, smoothed and weighted, times the factor.
template <class Real, class Logits, class Weights>
__device__ inline double row_loss(const cross_entropy_call& call, const line_place& at, const Logits& logits, const Weights& weights) {
  const line_softmax<Real> s = softmax_of_line<Real>(logits, at, no_source{});
  const double log_sum = static_cast<double>(static_cast<Real>(std::log(s.sum))), smoothing = call.settings.label_smoothing;
  const auto minus_log = [&](Real x) { return log_sum - (static_cast<double>(x) - static_cast<double>(s.largest)); };
  double spread = 0;
  if (smoothing > 0) {
    for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
      const eight<Real> x = read_line<Real>(logits, at, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j)
        if (k + j < at.length) spread += static_cast<double>(class_weight<Real>(call, weights, k + j)) * minus_log(x.x[j]);
    }
    spread = joined(spread, at.team, added());
  }
  if (at.line >= call.rows * call.inner) return 0;
  const row_target target(call, at.line);
  if (target.ignored) return 0;
  if (target.outside) return not_a_number<double>;
  const double own = (1 - smoothing) * static_cast<double>(class_weight<Real>(call, weights, target.index)) * minus_log(read_one<Real>(logits, at.first + target.index * at.inner));
  return (own + smoothing / static_cast<double>(call.classes) * spread) * call.settings.factor;
}

/// Each row's loss: to `each` where nothing is added up, else to `losses`.
template <class Real, class Y, class Logits, class Weights>
AMPHORA_KERNEL void cross_entropy_rows(const line_plan plan, const cross_entropy_call call, const target<Y> each, const Logits logits, const Weights weights, double* losses) {
  const std::int64_t rows = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < rows; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    const double loss = row_loss<Real>(call, at, logits, weights);
    if (at.line >= rows || at.member != 0) continue;
    if (losses) store(losses + at.line, loss);
    else write_one(each, at.line, static_cast<Real>(loss));
  }
}

/// Two sums at once.
struct loss_total { double loss, weight; };
/// The totals of all threads of a block, folded by halves; thread 0 has the result.
template <class Build = this_build>
__device__ loss_total folded(const loss_total& own) {
  __shared__ double loss[block_threads], weight[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  loss[t] = own.loss, weight[t] = own.weight;
  __syncthreads();
  for (int half = block_threads / 2; half > 0; half /= 2) {
    if (t < half) loss[t] += loss[t + half], weight[t] += weight[t + half];
    __syncthreads();
  }
  const loss_total result = {loss[0], weight[0]};
  __syncthreads();
  return result;
}
template <class Build = this_build>
__device__ void store_total(double* totals, std::int64_t i, const loss_total& total) { store(totals + 2 * i, total.loss), store(totals + 2 * i + 1, total.weight); }

/// The losses (if any) and the targets' weights of each chunk of rows. totals [chunks, 2]
template <class Real, class Weights>
AMPHORA_KERNEL void cross_entropy_chunks(const cross_entropy_call call, const Weights weights, const double* losses, double* totals) {
  const std::int64_t rows = call.rows * call.inner, chunks = (rows + loss_chunk - 1) / loss_chunk;
  for (std::int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const std::int64_t end = (chunk + 1) * loss_chunk < rows ? (chunk + 1) * loss_chunk : rows;
    loss_total total = {0, 0};
#pragma unroll 4
    for (std::int64_t row = chunk * loss_chunk + threadIdx.x; row < end; row += block_threads) {
      const row_target target(call, row);
      if (losses) total.loss += load(losses + row);
      if (!target.ignored && !target.outside) total.weight += static_cast<double>(class_weight<Real>(call, weights, target.index));
    }
    total = folded(total);
    if (threadIdx.x == 0) store_total(totals, chunk, total);
  }
}
/// The chunks' totals: to totals [0], and to the loss where there is one. One block.
template <class Real, class Y>
AMPHORA_KERNEL void cross_entropy_total(bool mean, const target<Y> loss, double* totals, std::int64_t chunks) {
  loss_total total = {0, 0};
#pragma unroll 4
  for (std::int64_t i = threadIdx.x; i < chunks; i += block_threads) total.loss += load(totals + 2 * i), total.weight += load(totals + 2 * i + 1);
  total = folded(total);
  if (threadIdx.x != 0) return;
  store_total(totals, 0, total);
  if (loss.data) write_one(loss, 0, static_cast<Real>(mean ? total.loss / total.weight : total.loss));
}

template <class Real, class Y, class Grad, class Logits, class Weights>
AMPHORA_KERNEL void cross_entropy_gradients(const line_plan plan, const cross_entropy_call call, const target<Y> gx, const Grad grad, const Logits logits, const Weights weights,
                                            const double* totals) {
  const Real smoothing = static_cast<Real>(call.settings.label_smoothing), share = smoothing / static_cast<Real>(call.classes);
  const std::int64_t rows = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < rows; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    const line_softmax<Real> s = softmax_of_line<Real>(logits, at, no_source{});
    double spread = 0;
    if (smoothing > 0) {
      for (std::int64_t k = at.begin(); k < at.length; k += at.step())
        for (int j = 0; j < 8; ++j)
          if (k + j < at.length) spread += static_cast<double>(share * class_weight<Real>(call, weights, k + j));
      spread = joined(spread, at.team, added());
    }
    if (at.length == 0) continue;
    const row_target target(call, at.line);
    Real g = target.ignored ? Real(0) : read_one<Real>(grad, call.settings.reduction == reduction::none ? at.line : 0);
    if (totals) g = static_cast<Real>(static_cast<double>(g) / load(totals + 1));
    g *= static_cast<Real>(call.settings.factor);
    if (target.outside) g = not_a_number<Real>;
    const Real own = target.ignored || target.outside ? Real(0) : (1 - smoothing) * class_weight<Real>(call, weights, target.index);
    const Real sum = static_cast<Real>(s.sum), all = own + static_cast<Real>(spread);
    for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
      eight<Real> x = read_line<Real>(logits, at, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const Real p = std::exp(x.x[j] - s.largest) / sum;
        const Real smoothed = smoothing > 0 && k + j < at.length ? share * class_weight<Real>(call, weights, k + j) : Real(0);
        x.x[j] = target.ignored ? Real(0) : g * (all * p - (k + j == target.index ? own : Real(0)) - smoothed);
      }
      write_line(gx, at, k, x);
    }
  }
}

/// What the bend of a row's loss is multiplied by: the gradient, and the weights of its target, smoothed.
template <class Real, class Y, class Grad, class Weights>
AMPHORA_KERNEL void cross_entropy_factors(const cross_entropy_call call, const target<Y> factors, const Grad grad, const Weights weights, const double* totals) {
  const double smoothing = call.settings.label_smoothing;
  const std::int64_t rows = call.rows * call.inner, threads = std::int64_t(gridDim.x) * blockDim.x;
  double spread = smoothing;
  if (smoothing > 0 && call.weighted) {
    spread = 0;
    for (std::int64_t c = 0; c < call.classes; ++c) spread += smoothing / static_cast<double>(call.classes) * static_cast<double>(class_weight<Real>(call, weights, c));
  }
  for (std::int64_t row = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; row < rows; row += threads) {
    const row_target target(call, row);
    double g = 0;
    if (target.outside) {
      g = not_a_number<double>;
    } else if (!target.ignored) {
      g = static_cast<double>(read_one<Real>(grad, call.settings.reduction == reduction::none ? row : 0)) * call.settings.factor;
      if (totals) g /= load(totals + 1);
      g *= (1 - smoothing) * static_cast<double>(class_weight<Real>(call, weights, target.index)) + spread;
    }
    write_one(factors, row, static_cast<Real>(g));
  }
}

template <>
struct cross_entropy_kernels<cuda_device> {
  /// Near the host's numbers; the same bits for every grid. The mean's divisor never leaves the device.
  ///
  /// Cost  logits as a softmax forward; with a sum two launches more
  template <class Y, class L, class W>
  static void forward(cuda_context& context, const cross_entropy_call& call, const target<Y>& loss, const source<L>& logits, const source<W>& weights) {
    using real = arithmetic_t<L>;
    const lines_of lines{call.rows, call.classes, call.inner};
    const bool each = call.settings.reduction == reduction::none;
    const std::int64_t rows = lines.lines(), chunks = (rows + loss_chunk - 1) / loss_chunk;
    tensor<double, cuda_context> losses(context, shape{each ? 0 : rows}), totals(context, shape{each ? 0 : 2 * chunks + 2});
    const line_plan plan = plan_lines(context, lines, is_wide_at(logits, 0));
    if (rows > 0)
      launch(context, "cross_entropy", plan.grid(context), plan.threads(), cross_entropy_rows<real, Y, source<L>, source<W>>, plan, call, loss, logits, weights, each ? nullptr : losses.data());
    if (each) return;
    add_up<real>(context, call, weights, losses.data(), totals.data(), rows, loss);
  }
  template <class Y, class G, class L, class W>
  static void backward(cuda_context& context, const cross_entropy_call& call, const target<Y>& gx, const source<G>& grad, const source<L>& logits, const source<W>& weights) {
    using real = arithmetic_t<L>;
    const lines_of lines{call.rows, call.classes, call.inner};
    const bool mean = call.settings.reduction == reduction::mean;
    const std::int64_t rows = lines.lines(), chunks = (rows + loss_chunk - 1) / loss_chunk;
    if (rows * call.classes == 0) return;
    tensor<double, cuda_context> totals(context, shape{mean ? 2 * chunks + 2 : 0});
    if (mean) add_up<real>(context, call, weights, nullptr, totals.data(), rows, target<Y>{});
    const line_plan plan = plan_lines(context, lines, is_wide_at(gx, 0) && is_wide_at(logits, 0));
    launch(context, "cross_entropy_backward", plan.grid(context), plan.threads(), cross_entropy_gradients<real, Y, source<G>, source<L>, source<W>>, plan, call, gx, grad, logits, weights,
           mean ? static_cast<const double*>(totals.data()) : nullptr);
  }
  template <class Y, class G, class W>
  static void row_factors(cuda_context& context, const cross_entropy_call& call, const target<Y>& factors, const source<G>& grad, const source<W>& weights) {
    using real = arithmetic_t<Y>;
    const bool mean = call.settings.reduction == reduction::mean;
    const std::int64_t rows = call.rows * call.inner, chunks = (rows + loss_chunk - 1) / loss_chunk;
    if (rows == 0) return;
    tensor<double, cuda_context> totals(context, shape{mean ? 2 * chunks + 2 : 0});
    if (mean) add_up<real>(context, call, weights, nullptr, totals.data(), rows, target<Y>{});
    launch(context, "cross_entropy_backward", grid_for(context, (rows + block_threads - 1) / block_threads), block_threads, cross_entropy_factors<real, Y, source<G>, source<W>>, call, factors, grad,
           weights, mean ? static_cast<const double*>(totals.data()) : nullptr);
  }

  /// totals [0]: the losses and the weights of all rows
  template <class Real, class Y, class W>
  static void add_up(cuda_context& context, const cross_entropy_call& call, const source<W>& weights, const double* losses, double* totals, std::int64_t rows, const target<Y>& loss) {
    const std::int64_t chunks = (rows + loss_chunk - 1) / loss_chunk;
    if (chunks > 0) launch(context, "cross_entropy", grid_for(context, chunks), block_threads, cross_entropy_chunks<Real, source<W>>, call, weights, losses, totals);
    if (chunks != 1 || loss.data)
      launch(context, "cross_entropy", 1, block_threads, cross_entropy_total<Real, Y>, call.settings.reduction == reduction::mean, loss, totals, chunks);
  }
};

}}}  // namespace amphora::detail
