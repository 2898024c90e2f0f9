// The negative logarithm of the probability of a class on CUDA.
#pragma once
#include <amphora/cuda/context.cuh>        // cuda_context, cuda_device
#include <amphora/cuda/cross_entropy.cuh>  // row_target, class_weight, cross_entropy_kernels::add_up
#include <amphora/cuda/launch.cuh>         // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>       // read_one, write_one
#include <amphora/ops/nll_loss.hpp>        // nll_kernels
#include <amphora/tensor/tensor.hpp>       // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real, class Y, class Source, class Weights>
AMPHORA_KERNEL void nll_rows(const cross_entropy_call call, const target<Y> each, const Source x, const Weights weights, double* losses) {
  const lines_of lines{call.rows, call.classes, call.inner};
  const std::int64_t rows = lines.lines(), threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t row = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; row < rows; row += threads) {
    const row_target target(call, row);
    Real loss = target.outside ? not_a_number<Real> : Real(0);
    if (!target.ignored && !target.outside) loss = -class_weight<Real>(call, weights, target.index) * read_one<Real>(x, lines.first(row) + target.index * lines.inner);
    if (losses) store(losses + row, static_cast<double>(loss));
    else write_one(each, row, loss);
  }
}
template <class Real, class Y, class Grad, class Weights>
AMPHORA_KERNEL void nll_gradients(const cross_entropy_call call, const target<Y> gx, const Grad grad, const Weights weights, const double* totals) {
  const std::int64_t elements = call.rows * call.classes * call.inner, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < elements; i += threads) {
    const std::int64_t above = i / call.inner, outer = above / call.classes, c = above - outer * call.classes, row = outer * call.inner + (i - above * call.inner);
    const row_target target(call, row);
    Real g = target.outside ? not_a_number<Real> : Real(0);
    if (!target.ignored && target.index == c) {
      g = -class_weight<Real>(call, weights, c) * read_one<Real>(grad, call.settings.reduction == reduction::none ? row : 0);
      if (totals) g = static_cast<Real>(static_cast<double>(g) / load(totals + 1));
    }
    write_one(gx, i, g);
  }
}

template <>
struct nll_kernels<cuda_device> {
  /// Cost  forward reads one number a row; with a sum two launches more. Backward writes gx once
  template <class Y, class X, class W>
  static void forward(cuda_context& context, const cross_entropy_call& call, const target<Y>& loss, const source<X>& x, const source<W>& weights) {
    using real = arithmetic_t<X>;
    const bool each = call.settings.reduction == reduction::none;
    const std::int64_t rows = call.rows * call.inner, chunks = (rows + loss_chunk - 1) / loss_chunk;
    tensor<double, cuda_context> losses(context, shape{each ? 0 : rows}), totals(context, shape{each ? 0 : 2 * chunks + 2});
    if (rows > 0)
      launch(context, "nll_loss", grid_for(context, (rows + block_threads - 1) / block_threads), block_threads, nll_rows<real, Y, source<X>, source<W>>, call, loss, x, weights, each ? nullptr : losses.data());
    if (!each) cross_entropy_kernels<cuda_device>::add_up<real>(context, call, weights, losses.data(), totals.data(), rows, loss);
  }
  template <class X, class Y, class G, class W>
  static void backward(cuda_context& context, const cross_entropy_call& call, const target<Y>& gx, const source<G>& grad, const source<W>& weights) {
    using real = arithmetic_t<X>;
    const bool mean = call.settings.reduction == reduction::mean;
    const std::int64_t rows = call.rows * call.inner, chunks = (rows + loss_chunk - 1) / loss_chunk, elements = rows * call.classes;
    if (elements == 0) return;
    tensor<double, cuda_context> totals(context, shape{mean ? 2 * chunks + 2 : 0});
    if (mean) cross_entropy_kernels<cuda_device>::add_up<real>(context, call, weights, nullptr, totals.data(), rows, target<Y>{});
    launch(context, "nll_loss_backward", grid_for(context, (elements + block_threads - 1) / block_threads), block_threads, nll_gradients<real, Y, source<G>, source<W>>, call, gx, grad, weights,
           mean ? static_cast<const double*>(totals.data()) : nullptr);
  }
};

}}}  // namespace amphora::detail
