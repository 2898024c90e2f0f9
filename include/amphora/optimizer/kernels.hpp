// What a device does for an optimizer and for gradient tools. The front declares it; each device specialises it.
#pragma once
#include <amphora/optimizer/step_table.hpp>   // step_decision, step_tensor
#include <amphora/tensor/parameter_view.hpp>  // parameter_view
#include <amphora/version.hpp>                // AMPHORA_ABI

#include <cstdint>  // int64_t, uint64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// What becomes of numbers below 2^-126 in an update. A moment that decays into them slows a step two to three times on many CPUs.
enum class subnormals {
  keep,   ///< as IEEE 754 has it (the default)
  flush,  ///< the update reads and writes 0 in their place; on CUDA weights and state, on the host what it computes in between too
};

namespace detail {

/// One step, or a part of it. Everything that is pointed to is on the device, but what its owner says is on the host.
template <class Rule, class Schedule>
struct step_job {
  step_decision<Rule, Schedule> decision;  ///< memory, tensors, gradients, schedule, clip
  const float* inverse = nullptr;          ///< of the ticket; null: 1
  const gradient_facts* known = nullptr;   ///< of gradients that were checked before: no check pass
  on_overflow choice = on_overflow::skip;
  bool check = true, decide = true, update = true;
  double* partial = nullptr;               ///< one for each chunk, two where the rule needs norms
  std::uint64_t seed = 0;                  ///< of stochastic rounding
  amphora::subnormals subnormals = amphora::subnormals::keep;
  std::int64_t parameter_changes = 0;      ///< how often the tensors became others: when a device must copy its tables anew
  std::int64_t gradient_changes = 0;       ///< how often the gradients did
  int level = 3;                           ///< of the host's instructions, at most: 0 base, 1 AVX2, 2 and more AVX-512; no result depends on it
};

/// What a device keeps of an optimizer's list from step to step; the host reads the list where it is. Specialised for a context
/// whose device has memory of its own (cuda/step_tables.cuh).
template <class Context>
struct step_tables {
  step_tables(Context&, const std::vector<parameter_view>&) {}
  /// What the constructor takes from the context.
  static constexpr std::int64_t bytes(const std::vector<parameter_view>&) { return 0; }
  /// What an array of so many bytes takes of the context's memory.
  static constexpr std::int64_t taken(std::int64_t bytes) { return bytes; }
};

}  // namespace detail

/// Specialised for Context::device, e.g. in host/step.hpp:
///
///     template <class Rule, class Schedule> static void step(Context&, const detail::step_job<Rule, Schedule>&, detail::step_tables<Context>&);
///     static void check(Context&, const gradient_view*, std::int64_t count, double* partial, gradient_facts*);
///     static void norm(Context&, const gradient_view*, std::int64_t count, double* partial, const gradient_facts*, double order, double* result);
///     static void clip(Context&, const gradient_view*, std::int64_t count, double* partial, gradient_facts*, detail::clip_numbers);
///     static void materialize(Context&, const gradient_view*, std::int64_t count, const gradient_facts*, float* const* to);
///     static void widen(Context&, const gradient_view*, std::int64_t count, float* const* to);
///     static void add(Context&, const gradient_view& from, model_pointer to);
///     static void clear(Context&, void*, std::size_t bytes);
template <class Device> struct step_kernels;

}}  // namespace amphora
