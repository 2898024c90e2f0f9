// Norms of gradients in any order on CUDA: what the check has not found already.
#pragma once
#include <amphora/cuda/access.cuh>          // load, store
#include <amphora/cuda/launch.cuh>          // AMPHORA_KERNEL, launch
#include <amphora/cuda/step_check.cuh>      // careful_chunk, each_piece, fold_in_block, check_grid
#include <amphora/cuda/step_pieces.cuh>     // given_pieces, load_entry
#include <amphora/optimizer/norm_term.hpp>  // norm_of_sum, takes_unit, infinite_order

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Terms of another norm than that of the check. unit: null for 1; where it is 0 or infinite, it is the norm already.
template <class Build = this_build>
AMPHORA_KERNEL void __launch_bounds__(check_threads) sum_terms(const given_pieces list, const gradient_facts* facts, double* partial, double order, const double* unit) {
  const gradient_facts f = load_entry(facts);
  if (order == 2 && !(f.limit > 0)) return;
  const double size = unit ? load(unit) : 1.0;
  if (!is_finite(size) || size == 0) return;
  std::int64_t ignored = 0;
  each_piece(list, partial, [&](const gradient_view& g, const step_piece& p, int thread) { return careful_chunk(g, p, f, order, size, thread, ignored); });
}
template <class Build = this_build>
AMPHORA_KERNEL void finish_norm(const double* partial, std::int64_t chunks, const gradient_facts* facts, double order, const double* unit, double* result) {
  const gradient_facts f = load_entry(facts);
  const bool known = order == 2 && !(f.limit > 0);  // the check has it
  const double sum = known ? 0.0 : fold_in_block(partial, chunks, !is_finite(order));
  if (threadIdx.x == 0) store(result, known ? f.norm * static_cast<double>(f.coefficient) : norm_of_sum(sum, order, unit ? load(unit) : 1.0));
}

/// The norm as facts has the gradients read, in any order. Two launches, four for orders that need a maximum first.
///
/// partial  [chunks]; result, largest: one double each. All device
template <class Build = this_build>
void launch_norm(cuda_context& context, const given_pieces& list, double* partial, const gradient_facts* facts, double order, double* result, double* largest) {
  const double* unit = nullptr;
  const auto pass = [&](double power, double* to) {
    if (list.chunks > 0) launch(context, "sum_terms", check_grid(context, list.chunks), check_threads, sum_terms<Build>, list, facts, partial, power, unit);
    launch(context, "finish_norm", 1, check_threads, finish_norm<Build>, partial, list.chunks, facts, power, unit, to);
  };
  if (takes_unit(order)) pass(infinite_order(), largest), unit = largest;
  pass(order, result);
}

}}}  // namespace amphora::detail
