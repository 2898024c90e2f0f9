// The second pass of a step on CUDA: unscale, clip, rule, masters, state and model weights of all tensors in one launch.
#pragma once
#include <amphora/cuda/access.cuh>           // load, store
#include <amphora/cuda/launch.cuh>           // AMPHORA_KERNEL, launch, grid_for
#include <amphora/cuda/step_check.cuh>       // fold_warp, fold_in_block
#include <amphora/cuda/step_numbers.cuh>     // load_numbers, store_numbers, store_stochastic
#include <amphora/cuda/step_pieces.cuh>      // step_pieces, load_entry
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/step_table.hpp>  // step_memory, step_tensor
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding

#include <cmath>    // sqrt
#include <cstdint>  // int32_t, int64_t, uint32_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr int update_threads = 128;

/// What all elements of an update share beside the rule's own numbers.
struct step_update {
  step_pieces pieces;
  const step_tensor* tensors;  ///< device
  std::uint64_t seed;
  bool flush;                  ///< 0 instead of subnormal weights and state, where they are read and written
};

/// How stored gradients become what the rule is given.
struct step_values {
  const gradient_facts* facts;  ///< device
  float factor;
  bool plain;

  __device__ explicit step_values(const gradient_facts* on_device) : facts(on_device) {
    const gradient_facts f = load_entry(on_device);
    plain = f.is_plain(), factor = plain ? f.factor() : 1.0f;
  }
  template <int Count> __device__ void repair(step_numbers<Count>& x, format_id format) const {
    if (plain) return;
    const gradient_facts f = load_entry(facts);
    const float largest = largest_of(format);
    std::int64_t changed = 0;
#pragma unroll
    for (int j = 0; j < Count; ++j) x.x[j] = f.value(x.x[j], largest, changed);
  }
};

/// One tensor of an update, and what its elements share.
template <class Rule>
struct step_work {
  static constexpr int states = rule_traits<Rule>::states, slots = states > 0 ? states : 1;

  const step_update& update;
  const step_memory<Rule>& memory;
  const step_values& values;
  step_piece piece;
  const step_tensor* entry;  ///< device
  gradient_view gradient;
  float *master, *state;
  std::int64_t stride;
  Rule rule;
  typename rule_traits<Rule>::now now;

  __device__ step_work(const step_update& its_update, const step_memory<Rule>& its_memory, const step_values& its_values, std::int64_t chunk)
      : update(its_update), memory(its_memory), values(its_values), piece(update.pieces.piece(chunk)), entry(update.tensors + piece.tensor), gradient(update.pieces.gradient(piece.tensor)) {
    const step_tensor t = load_entry(entry);
    master = t.master, state = t.state, stride = t.stride;
    rule = load_entry(memory.rules + t.group), now = load_entry(memory.nows + piece.tensor);
  }

  template <int Count> struct numbers { step_numbers<Count> g, w, s[slots]; };

  /// Elements i … of the piece. The gradient comes last: its conversion waits for the load.
  template <int Count> __device__ void find(int i, numbers<Count>& n) const {
    const std::int64_t k = piece.from + i;
    if (master) {
      n.w = load_numbers<f32, Count>(master + k);
    } else {
      const model_pointer model = load_entry(entry->targets + 0);
      n.w = load_numbers<Count>(model.format, model.data, k);
    }
#pragma unroll
    for (int q = 0; q < states; ++q) n.s[q] = load_numbers<f32, Count>(state + q * stride + k);
    n.g = load_numbers<Count>(gradient.format, gradient.data, k);
    if (update.flush) flush_all(n);
    values.repair(n.g, gradient.format);
  }
  template <int Count> __device__ void put_state(int i, const numbers<Count>& n) const {
#pragma unroll
    for (int q = 0; q < states; ++q) store_numbers<f32>(state + q * stride + piece.from + i, n.s[q]);
  }
  template <int Count> __device__ void put(int i, numbers<Count>& n) const {
    const std::int64_t k = piece.from + i;
    if (update.flush) flush_all(n);
    if (master) store_numbers<f32>(master + k, n.w);
    put_state(i, n);
#pragma unroll 1
    for (int c = 0; c < 1 + parameter_view::max_copies; ++c) {
      const model_pointer model = load_entry(entry->targets + c);
      if (!model.data) break;
      if (model.format == format_id::bf16 && load(reinterpret_cast<const unsigned char*>(&entry->stochastic))) {
        const auto step = static_cast<std::uint32_t>(load(reinterpret_cast<const long long*>(memory.steps) + piece.tensor));
        store_stochastic(model.data, k, n.w, stochastic_rounding{update.seed, static_cast<std::uint32_t>(piece.tensor), step});
      } else {
        store_numbers(model.format, model.data, k, n.w);
      }
    }
  }
  /// The rule on elements i …; for a rule with norms its second half.
  template <int Count> __device__ void apply(int i, real trust) const {
    numbers<Count> n;
    find(i, n);
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      real weight = n.w.x[j], own[slots];
#pragma unroll
      for (int q = 0; q < states; ++q) own[q] = n.s[q].x[j];
      const real g = real(n.g.x[j]) * real(values.factor);
      if constexpr (rule_traits<Rule>::needs_norms) rule.apply(g, trust, weight, own, now);
      else rule(g, weight, own, now);
      n.w.x[j] = weight.x;
#pragma unroll
      for (int q = 0; q < states; ++q) n.s[q].x[j] = own[q].x;
    }
    put(i, n);
  }
  /// The first half of a rule with norms on elements i …: moves the state, leaves the direction in n.g.
  template <int Count> __device__ void direct(int i, numbers<Count>& n) const {
    find(i, n);
#pragma unroll
    for (int j = 0; j < Count; ++j) {
      real own[slots];
#pragma unroll
      for (int q = 0; q < states; ++q) own[q] = n.s[q].x[j];
      n.g.x[j] = rule.direction(real(n.g.x[j]) * real(values.factor), real(n.w.x[j]), own, now).x;
#pragma unroll
      for (int q = 0; q < states; ++q) n.s[q].x[j] = own[q].x;
    }
    if (update.flush) flush_all(n);
    put_state(i, n);
  }

 private:
  template <int Count> __device__ static void flush_all(numbers<Count>& n) {
    flush_subnormals(n.w);
#pragma unroll
    for (int q = 0; q < states; ++q) flush_subnormals(n.s[q]);
  }
};

__device__ inline double plus_square(double sum, float x) { return sum + times(static_cast<double>(x), static_cast<double>(x)); }
__device__ inline bool is_stepped(const step_record* record) { return load(reinterpret_cast<const int*>(&record->result)) == static_cast<int>(step_result::stepped); }

/// The update; for a rule with norms its second half. One block a chunk.
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads) update_pieces(const step_update update, const step_memory<Rule> memory) {
  if (!is_stepped(memory.record)) return;
  const step_values values(memory.facts);
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t k = blockIdx.x; k < update.pieces.chunks; k += gridDim.x) {
    const step_work<Rule> work(update, memory, values, k);
    real trust = 1.0f;
    if constexpr (rule_traits<Rule>::needs_norms) trust = load(&memory.trusts[work.piece.tensor].x);
    const int whole = work.piece.n / 8 * 8;
    for (int i = 8 * thread; i < whole; i += 8 * update_threads) work.template apply<8>(i, trust);
    if (whole + thread < work.piece.n) work.template apply<1>(whole + thread, trust);
  }
}

/// The first half for a rule with norms: state, and sums of squares of weights and directions. One warp a chunk, as in the check.
///
/// partial  [2, chunks]
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads) direct_pieces(const step_update update, const step_memory<Rule> memory, double* partial) {
  if (!is_stepped(memory.record)) return;
  constexpr int warps = update_threads / 32;
  const step_values values(memory.facts);
  const int thread = static_cast<int>(threadIdx.x % 32);
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; k < update.pieces.chunks; k += std::int64_t(gridDim.x) * warps) {
    const step_work<Rule> work(update, memory, values, k);
    const int whole = work.piece.n / 8 * 8;
    double weights[8] = {}, directions[8] = {};
    int i = 8 * thread;
    for (; i < whole; i += step_lanes) {
      typename step_work<Rule>::template numbers<8> n;
      work.direct(i, n);
#pragma unroll
      for (int j = 0; j < 8; ++j) weights[j] = plus_square(weights[j], n.w.x[j]), directions[j] = plus_square(directions[j], n.g.x[j]);
    }
#pragma unroll 1
    for (int left = i < work.piece.n ? work.piece.n - i : 0, q = 0; q < left; ++q) {  // of one thread, in its lanes' turn
      typename step_work<Rule>::template numbers<1> n;
      work.direct(i + q, n);
#pragma unroll
      for (int j = 0; j < 8; ++j) weights[j] = j == q ? plus_square(weights[j], n.w.x[0]) : weights[j], directions[j] = j == q ? plus_square(directions[j], n.g.x[0]) : directions[j];
    }
    const double of_weights = fold_warp(weights, false), of_directions = fold_warp(directions, false);
    if (thread == 0) store(partial + k, of_weights), store(partial + update.pieces.chunks + k, of_directions);
  }
}

/// Between the halves: each tensor's trust, a block a tensor.
///
/// first  [tensors + 1]: the number of a tensor's first chunk
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads) find_trusts(const step_update update, const step_memory<Rule> memory, const double* partial, const std::int64_t* first, std::int64_t count) {
  if (!is_stepped(memory.record)) return;
  for (std::int64_t k = blockIdx.x; k < count; k += gridDim.x) {
    const std::int64_t begin = load(reinterpret_cast<const long long*>(first) + k), own = load(reinterpret_cast<const long long*>(first) + k + 1) - begin;
    const double of_weights = fold_in_block(partial + begin, own, false), of_directions = fold_in_block(partial + update.pieces.chunks + begin, own, false);
    if (threadIdx.x != 0 || !update.pieces.gradient(static_cast<std::int32_t>(k)).data) continue;
    const Rule rule = load_entry(memory.rules + load(&update.tensors[k].group));
    store(&memory.trusts[k].x, rule.trust(std::sqrt(of_weights), std::sqrt(of_directions), load_entry(memory.nows + k)).x);
  }
}

/// The launches of a step's second pass: one; three for a rule with norms.
template <class Rule>
void launch_update(cuda_context& context, const step_update& work, const step_memory<Rule>& memory, double* partial, const std::int64_t* first, std::int64_t count) {
  if (work.pieces.chunks == 0) return;
  constexpr int blocks = 64;  // many a multiprocessor, so that those that end early are replaced
  if constexpr (rule_traits<Rule>::needs_norms) {
    constexpr int warps = update_threads / 32;
    launch(context, "direct_pieces", grid_for(context, work.pieces.chunks / warps + (work.pieces.chunks % warps != 0), blocks), update_threads, direct_pieces<Rule>, work, memory, partial);
    launch(context, "find_trusts", grid_for(context, count), update_threads, find_trusts<Rule>, work, memory, static_cast<const double*>(partial), first, count);
  }
  launch(context, "update_pieces", grid_for(context, work.pieces.chunks, blocks), update_threads, update_pieces<Rule>, work, memory);
}

}}}  // namespace amphora::detail
