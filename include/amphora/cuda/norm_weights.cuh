// The weights and biases of a normalized line on CUDA, in step with the eights that a thread reads.
#pragma once
#include <amphora/cuda/access.cuh>      // eight
#include <amphora/cuda/lines.cuh>       // line_plan, line_place
#include <amphora/cuda/operands.cuh>    // read_one, read_eight
#include <amphora/ops/norm_layout.hpp>  // norm_lines

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Where the weights of a thread's eights lie: term k has weight first + own, and the next begins after `left` terms. Walked, not divided for.
struct weight_walk {
  std::int64_t first = 0, own = 0, left = 1;
};
struct weight_steps {
  std::int64_t own, rest;  ///< of a step from one eight to the next: whole weights, and terms

  __device__ void move(weight_walk& at, std::int64_t spread) const {
    at.own += own, at.left -= rest;
    if (at.left <= 0) ++at.own, at.left += spread;
  }
};
template <bool Spreads> __device__ inline weight_walk first_weight(const norm_lines& n, const line_plan& plan) {
  weight_walk at;
  if constexpr (Spreads) {
    const std::int64_t begin = 8 * (static_cast<int>(threadIdx.x) & (plan.team - 1));
    at.own = begin / n.spread, at.left = (at.own + 1) * n.spread - begin;
  }
  return at;
}

/// The weights of a line's terms k … k + 7.
///
/// wide  whether they lie where eight of them can be read at once
template <bool Spreads, class Real, class Source>
__device__ inline eight<Real> line_weights(const Source& w, const norm_lines& n, const line_place& at, weight_walk walk, std::int64_t k, bool wide) {
  if (!Spreads && wide) return read_eight<Real>(w, k);
  eight<Real> result;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    result.x[j] = k + j < at.length ? read_one<Real>(w, Spreads ? walk.first + walk.own : k + j) : Real(0);
    if (Spreads && --walk.left == 0) ++walk.own, walk.left = n.spread;
  }
  return result;
}

}}}  // namespace amphora::detail
