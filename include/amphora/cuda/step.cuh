// The optimizer phase and the gradient tools on CUDA: how many launches, and in which order.
#pragma once
#include <amphora/cuda/context.cuh>          // cuda_context, cuda_device
#include <amphora/cuda/error.cuh>            // require_cuda
#include <amphora/cuda/gradient_tables.cuh>  // gradient_tables
#include <amphora/cuda/launch.cuh>           // launch, grid_for, AMPHORA_KERNEL
#include <amphora/cuda/scale.cuh>            // scale_kernels
#include <amphora/cuda/step_check.cuh>       // check_and_decide, check_gradients_alone, finish_check
#include <amphora/cuda/step_norm.cuh>        // launch_norm
#include <amphora/cuda/step_numbers.cuh>     // load_numbers, store_numbers
#include <amphora/cuda/step_pieces.cuh>      // step_pieces, given_pieces, load_entry
#include <amphora/cuda/step_tables.cuh>      // step_tables, step_control
#include <amphora/cuda/step_update.cuh>      // launch_update
#include <amphora/optimizer/kernels.hpp>     // step_kernels, step_job
#include <amphora/optimizer/unscale.hpp>     // chunk_sums
#include <amphora/scale/gradient_facts.hpp>  // gradient_facts

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Floats from stored gradients, as facts has them read; as they are stored where facts is null.
template <class Build = this_build>
AMPHORA_KERNEL void __launch_bounds__(block_threads) widen_pieces(const given_pieces list, const given_pieces to, const gradient_facts* facts) {
  const gradient_facts f = facts ? load_entry(facts) : gradient_facts();
  for (std::int64_t k = blockIdx.x; k < list.chunks; k += gridDim.x) {
    const step_piece piece = list.piece(k);
    const gradient_view from = list.gradient(piece.tensor);
    float* const place = static_cast<float*>(const_cast<void*>(to.gradient(piece.tensor).data)) + piece.from;
    const float largest = largest_of(from.format);
    std::int64_t changed = 0;
    const auto some = [&](auto x, int i) {
      x = load_numbers<sizeof x / sizeof(float)>(from.format, from.data, piece.from + i);
      if (facts)
#pragma unroll
        for (float& number : x.x) number = f.value(number, largest, changed);
      store_numbers<f32>(place + i, x);
    };
    const int whole = piece.n / 8 * 8, thread = static_cast<int>(threadIdx.x);
    for (int i = 8 * thread; i < whole; i += 8 * block_threads) some(step_numbers<8>(), i);
    if (whole + thread < piece.n) some(step_numbers<1>(), whole + thread);
  }
}
/// to += from, each sum in float.
template <class Build = this_build>
AMPHORA_KERNEL void __launch_bounds__(block_threads) add_pieces(const given_pieces from, const model_pointer to) {
  for (std::int64_t k = blockIdx.x; k < from.chunks; k += gridDim.x) {
    const step_piece piece = from.piece(k);
    const auto some = [&](auto sum, int i) {
      constexpr int count = sizeof sum / sizeof(float);
      const step_numbers<count> more = load_numbers<count>(from.single.format, from.single.data, piece.from + i);
      sum = load_numbers<count>(to.format, to.data, piece.from + i);
#pragma unroll
      for (int j = 0; j < count; ++j) sum.x[j] = (real(sum.x[j]) + real(more.x[j])).x;
      store_numbers(to.format, to.data, piece.from + i, sum);
    };
    const int whole = piece.n / 8 * 8, thread = static_cast<int>(threadIdx.x);
    for (int i = 8 * thread; i < whole; i += 8 * block_threads) some(step_numbers<8>(), i);
    if (whole + thread < piece.n) some(step_numbers<1>(), whole + thread);
  }
}
struct narrow_by {
  gradient_facts* facts;
  clip_numbers clip;
  const double* norm;

  AMPHORA_HD void operator()() const {
    const double now = clip.by_norm ? *norm : facts->norm;
    narrow_facts(*facts, clip, now);
    if (clip.by_norm) facts->clip_norm = now;
  }
};

}  // namespace detail

/// Nothing waits. Nothing is allocated from the second call with the same lists on; one step outside of a capture sends the
/// tables of its list, which a capture then finds.
template <>
struct step_kernels<cuda_device> {
  /// Launches  check and decision in one, two more (four for orders that need a maximum first) with clipping by another norm than
  ///           the Euclidean; the update in one, two more for a rule with norms
  /// Errors    capture  the list is another than in the last step, during a capture
  template <class Rule, class Schedule>
  static void step(cuda_context& context, const detail::step_job<Rule, Schedule>& job, detail::step_tables<cuda_context>& tables) {
    tables.refresh(context, job);
    const detail::step_pieces list = tables.gradients().pieces();
    auto decision = job.decision;
    decision.tensors = tables.tensors(), decision.gradients = list.gradients;
    if (job.check || job.decide) {
      detail::step_check work = {list, job.partial, tables.control(), job.inverse, job.known, nullptr, job.choice, tables.gradients().present(), job.check && !job.known, job.decide};
      if (!job.check) work.known = nullptr;
      if (job.decide && decision.clip.by_norm && !(work.check && decision.clip.order == 2)) {
        work.decide = false;
        if (job.check) launch_check(context, work, decision);
        detail::step_control* const control = tables.control();
        detail::launch_norm(context, detail::given_pieces(list), job.partial, decision.memory.facts, decision.clip.order, &control->norm, &control->largest);
        work.check = false, work.known = nullptr, work.decide = true, work.clip_norm = &control->norm;
      }
      launch_check(context, work, decision);
    }
    if (job.update)
      detail::launch_update(context, detail::step_update{list, tables.tensors(), job.seed, job.subnormals == subnormals::flush}, decision.memory, job.partial,
                            tables.gradients().first_chunks(), decision.count);
  }
  template <class Build = detail::this_build> static void check(cuda_context& context, const gradient_view* entries, std::int64_t count, double* partial, gradient_facts* facts) {
    const detail::given_pieces list = pieces(context, entries, count, "unscale");
    if (list.chunks > 0) detail::launch(context, "check", detail::check_grid(context, list.chunks), detail::check_threads, detail::check_gradients_alone<Build>, list, partial, facts);
    detail::launch(context, "finish_check", 1, detail::check_threads, detail::finish_check<Build>, static_cast<const double*>(partial), list.chunks, facts);
  }
  template <class Build = detail::this_build> static void norm(cuda_context& context, const gradient_view* entries, std::int64_t count, double* partial, const gradient_facts* facts, double order, double* result) {
    const detail::chunk_sums<cuda_context> largest(context, 1);
    detail::launch_norm(context, pieces(context, entries, count, "global_norm"), partial, facts, order, result, largest.data());
  }
  template <class Build = detail::this_build> static void clip(cuda_context& context, const gradient_view* entries, std::int64_t count, double* partial, gradient_facts* facts, const detail::clip_numbers& clip) {
    const detail::chunk_sums<cuda_context> now(context, 1);
    if (clip.by_norm) norm(context, entries, count, partial, facts, clip.order, now.data());
    scale_kernels<cuda_device>::run(context, detail::narrow_by{facts, clip, now.data()});
  }
  template <class Build = detail::this_build> static void materialize(cuda_context& context, const gradient_view* entries, std::int64_t count, const gradient_facts* facts, float* const* to) {
    write_floats(context, entries, count, facts, to, "materialize");
  }
  template <class Build = detail::this_build> static void widen(cuda_context& context, const gradient_view* entries, std::int64_t count, float* const* to) {
    write_floats(context, entries, count, nullptr, to, "refresh_masters");
  }
  template <class Build = detail::this_build> static void add(cuda_context& context, const gradient_view& from, const model_pointer& to) {
    const detail::given_pieces list = pieces(context, &from, 1, "add_gradients");
    if (list.chunks > 0) detail::launch(context, "add_gradients", detail::grid_for(context, list.chunks, 64), detail::block_threads, detail::add_pieces<Build>, list, to);
  }
  static void clear(cuda_context& context, void* memory, std::size_t bytes) {
    if (bytes > 0) detail::require_cuda(cudaMemsetAsync(memory, 0, bytes, context.stream()), "cudaMemsetAsync", " of ", static_cast<std::uint64_t>(bytes), " bytes");
  }

 private:
  template <class Build = detail::this_build> static detail::given_pieces pieces(cuda_context& context, const gradient_view* entries, std::int64_t count, const char* call) {
    return context.cache<detail::gradient_tables<Build>>().find(context, entries, count, call);
  }
  template <class Decision> static void launch_check(cuda_context& context, const detail::step_check& work, const Decision& decision) {
    launch_check(context, work, decision, detail::check_grid(context, work.check ? work.pieces.chunks : 0));
  }
  template <class Rule, class Schedule>
  static void launch_check(cuda_context& context, const detail::step_check& work, const detail::step_decision<Rule, Schedule>& decision, int grid) {
    detail::launch(context, "check_and_decide", grid, detail::check_threads, detail::check_and_decide<Rule, Schedule>, work, decision);
  }
  template <class Build = detail::this_build> static void write_floats(cuda_context& context, const gradient_view* entries, std::int64_t count, const gradient_facts* facts, float* const* to, const char* call) {
    std::vector<gradient_view> places;
    for (std::int64_t k = 0; k < count; ++k) places.emplace_back(entries[k].data ? gradient_pointer(to[k]) : gradient_pointer(), entries[k].n);
    const detail::given_pieces list = pieces(context, entries, count, call), floats = pieces(context, places.data(), count, call);
    if (list.chunks > 0) detail::launch(context, call, detail::grid_for(context, list.chunks, 64), detail::block_threads, detail::widen_pieces<Build>, list, floats, facts);
  }
};

}}  // namespace amphora
