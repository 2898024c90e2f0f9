// The second pass of a step on CUDA: unscale, clip, rule, masters, state and model weights of all tensors in one launch.
#pragma once
#include <amphora/cuda/access.cuh>           // load, store_eight, store_one
#include <amphora/cuda/launch.cuh>           // AMPHORA_KERNEL, launch, grid_for
#include <amphora/cuda/step_check.cuh>       // load_part, fold_warp
#include <amphora/cuda/step_tables.cuh>      // step_pieces, load_entry
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/step_table.hpp>  // step_memory, step_tensor
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding, round_stochastically

#include <cmath>    // sqrt
#include <cstdint>  // int64_t, uint16_t, uint32_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline constexpr int update_threads = 128, update_blocks = 5;

/// What all elements of an update share beside the rule's own numbers.
struct step_update {
  step_pieces pieces;
  const step_tensor* tensors;  ///< device
  std::uint64_t seed;
  bool flush;                  ///< 0 instead of subnormal weights and state, where they are read and written
};

__device__ inline void flush_subnormals(eight<float>& values) {
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const std::uint32_t bits = bit_cast<std::uint32_t>(values.x[j]);
    if ((bits & 0x7f800000u) == 0) values.x[j] = bit_cast<float>(bits & 0x80000000u);
  }
}

/// The first `left` of eight numbers to memory.
template <class Format>
__device__ inline void store_part(void* to, const eight<float>& values, int left) {
  if (left >= 8 && is_wide<Format>(to)) return store_eight<Format, streamed>(to, 0, values);
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (j < left) store_one<Format, streamed>(to, j, values.x[j]);
}
__device__ inline void store_part(format_id format, void* array, std::int64_t i, const eight<float>& values, int left) {
  if (format == format_id::f32) return store_part<f32>(static_cast<float*>(array) + i, values, left);
  void* const to = static_cast<std::uint16_t*>(array) + i;
  if (format == format_id::f16) store_part<f16>(to, values, left);
  else store_part<bf16>(to, values, left);
}
/// The same in bf16, rounded up or down by chance. i is a multiple of eight.
__device__ inline void store_stochastic_part(void* array, std::int64_t i, const eight<float>& values, int left, const stochastic_rounding& random) {
  const philox_words words = random.words(i / stochastic_rounding::elements);
  eight<float> rounded;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const std::uint16_t bits = round_stochastically(bit_cast<std::uint32_t>(values.x[j]), words.word[j / 2] >> (j % 2 ? 16 : 0) & 0xffffu);
    rounded.x[j] = bit_cast<float>(std::uint32_t(bits) << 16);
  }
  store_part<bf16>(static_cast<std::uint16_t*>(array) + i, rounded, left);
}

/// One tensor as a thread works on it, eight elements at a time.
template <class Rule>
struct step_eights {
  static constexpr int states = rule_traits<Rule>::states;

  const step_tensor* entry;  ///< device
  float* master;
  float* state;
  std::int64_t stride;
  eight<float> g, w, s[states > 0 ? states : 1];

  __device__ explicit step_eights(const step_tensor* tensor) : entry(tensor) {
    const step_tensor t = load_entry(tensor);
    master = t.master, state = t.state, stride = t.stride;
  }
  /// Elements i … i + 7, of which `left` are there. The gradient comes last: its conversion waits for the load.
  __device__ void find(const gradient_view& gradient, std::int64_t i, int left, bool flush) {
    if (master) w = load_part<f32>(master + i, left);
#pragma unroll
    for (int k = 0; k < states; ++k) s[k] = load_part<f32>(state + k * stride + i, left);
    if (!master) {
      const model_pointer model = target(0);
      w = load_part(model.format, model.data, i, left);
    }
    g = load_part(gradient.format, gradient.data, i, left);
    if (flush) flush_all();
  }
  __device__ void put_state(std::int64_t i, int left) const {
#pragma unroll
    for (int k = 0; k < states; ++k) store_part<f32>(state + k * stride + i, s[k], left);
  }
  /// count  device: the tensor's taken steps
  __device__ void put(std::int64_t i, int left, bool flush, std::uint64_t seed, std::int32_t tensor, const std::int64_t* count) {
    if (flush) flush_all();
    if (master) store_part<f32>(master + i, w, left);
    put_state(i, left);
#pragma unroll 1
    for (int k = 0; k < 1 + parameter_view::max_copies; ++k) {
      const model_pointer model = target(k);
      if (!model.data) break;
      if (model.format == format_id::bf16 && load(reinterpret_cast<const unsigned char*>(&entry->stochastic))) {
        const auto step = static_cast<std::uint32_t>(load(reinterpret_cast<const long long*>(count)));
        store_stochastic_part(model.data, i, w, left, stochastic_rounding{seed, static_cast<std::uint32_t>(tensor), step});
      } else {
        store_part(model.format, model.data, i, w, left);
      }
    }
  }
  __device__ void flush_all() {
    flush_subnormals(w);
#pragma unroll
    for (int k = 0; k < states; ++k) flush_subnormals(s[k]);
  }

 private:
  __device__ model_pointer target(int k) const {
    const model_pointer* const place = entry->targets + k;  // an address, not an access
    return load_entry(place);
  }
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
  __device__ void repair(eight<float>& x, format_id format) const {
    if (plain) return;
    const gradient_facts f = load_entry(facts);
    const float largest = largest_of(format);
    std::int64_t changed = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) x.x[j] = f.value(x.x[j], largest, changed);
  }
};

__device__ inline bool is_stepped(const step_record* record) { return load(reinterpret_cast<const int*>(&record->result)) == static_cast<int>(step_result::stepped); }

/// The update; for a rule with norms its second half.
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads, update_blocks) update_pieces(const step_update work, const step_memory<Rule> memory) {
  if (!is_stepped(memory.record)) return;
  constexpr int states = rule_traits<Rule>::states;
  const step_values values(memory.facts);
  for (std::int64_t k = blockIdx.x; k < work.pieces.chunks; k += gridDim.x) {
    const step_piece piece = work.pieces.piece(k);
    const gradient_view gradient = work.pieces.gradient(piece.tensor);
    const step_tensor* const entry = work.tensors + piece.tensor;
    step_eights<Rule> place(entry);
    const Rule rule = load_entry(memory.rules + load(&entry->group));
    const typename rule_traits<Rule>::now now = load_entry(memory.nows + piece.tensor);
    real trust = 1.0f;
    if constexpr (rule_traits<Rule>::needs_norms) trust = load(&memory.trusts[piece.tensor].x);
    for (int i = 8 * static_cast<int>(threadIdx.x); i < piece.n; i += 8 * update_threads) {
      const int left = piece.n - i;
      place.find(gradient, piece.from + i, left, work.flush);
      values.repair(place.g, gradient.format);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        real weight = place.w.x[j], own[states > 0 ? states : 1];
#pragma unroll
        for (int q = 0; q < states; ++q) own[q] = place.s[q].x[j];
        const real g = real(place.g.x[j]) * real(values.factor);
        if constexpr (rule_traits<Rule>::needs_norms) rule.apply(g, trust, weight, own, now);
        else rule(g, weight, own, now);
        place.w.x[j] = weight.x;
#pragma unroll
        for (int q = 0; q < states; ++q) place.s[q].x[j] = own[q].x;
      }
      place.put(piece.from + i, left, work.flush, work.seed, piece.tensor, memory.steps + piece.tensor);
    }
  }
}

/// The first half for a rule with norms: state, and sums of squares of weights and directions. One warp a chunk, as in the check.
///
/// partial  [2, chunks]
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads) direct_pieces(const step_update work, const step_memory<Rule> memory, double* partial) {
  if (!is_stepped(memory.record)) return;
  constexpr int states = rule_traits<Rule>::states, warps = update_threads / 32;
  const step_values values(memory.facts);
  const int thread = static_cast<int>(threadIdx.x % 32);
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; k < work.pieces.chunks; k += std::int64_t(gridDim.x) * warps) {
    const step_piece piece = work.pieces.piece(k);
    const gradient_view gradient = work.pieces.gradient(piece.tensor);
    step_eights<Rule> place(work.tensors + piece.tensor);
    const Rule rule = load_entry(memory.rules + load(&work.tensors[piece.tensor].group));
    const typename rule_traits<Rule>::now now = load_entry(memory.nows + piece.tensor);
    double weights[8] = {}, directions[8] = {};
    for (int i = 8 * thread; i < piece.n; i += step_lanes) {
      const int left = piece.n - i;
      place.find(gradient, piece.from + i, left, work.flush);
      values.repair(place.g, gradient.format);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        real own[states > 0 ? states : 1];
#pragma unroll
        for (int q = 0; q < states; ++q) own[q] = place.s[q].x[j];
        const double weight = place.w.x[j], direction = rule.direction(real(place.g.x[j]) * real(values.factor), real(place.w.x[j]), own, now).x;
#pragma unroll
        for (int q = 0; q < states; ++q) place.s[q].x[j] = own[q].x;
        if (j >= left) continue;
        weights[j] = weights[j] + times(weight, weight), directions[j] = directions[j] + times(direction, direction);
      }
      if (work.flush) place.flush_all();
      place.put_state(piece.from + i, left);
    }
    const double of_weights = fold_warp(weights, false), of_directions = fold_warp(directions, false);
    if (thread == 0) store(partial + k, of_weights), store(partial + work.pieces.chunks + k, of_directions);
  }
}

/// Between the halves: each tensor's trust, a block a tensor.
///
/// first  [tensors + 1]: the number of a tensor's first chunk
template <class Rule>
AMPHORA_KERNEL void __launch_bounds__(update_threads) find_trusts(const step_update work, const step_memory<Rule> memory, const double* partial, const std::int64_t* first, std::int64_t count) {
  if (!is_stepped(memory.record)) return;
  for (std::int64_t k = blockIdx.x; k < count; k += gridDim.x) {
    const std::int64_t begin = load(reinterpret_cast<const long long*>(first) + k), own = load(reinterpret_cast<const long long*>(first) + k + 1) - begin;
    const double of_weights = fold_in_block(partial + begin, own, false), of_directions = fold_in_block(partial + work.pieces.chunks + begin, own, false);
    if (threadIdx.x != 0 || !load_entry(work.pieces.gradients + k).data) continue;
    const Rule rule = load_entry(memory.rules + load(&work.tensors[k].group));
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
