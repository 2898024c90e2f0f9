// The device memory of an optimizer: state that no view points to, and the tables that a step reads and writes.
#pragma once
#include <amphora/optimizer/kernels.hpp>      // step_tables
#include <amphora/optimizer/rule.hpp>         // rule_traits
#include <amphora/optimizer/step_list.hpp>    // state_stride
#include <amphora/optimizer/step_table.hpp>   // step_counters, step_memory
#include <amphora/optimizer/sum_order.hpp>    // chunks_of
#include <amphora/tensor/parameter_view.hpp>  // parameter_view
#include <amphora/tensor/tensor.hpp>          // tensor

#include <cstdint>  // int64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Uninitialised arrays from the context. Moving it leaves their addresses as they are.
template <class Rule, class Context>
struct optimizer_memory {
  using traits = rule_traits<Rule>;
  using scalars_type = typename traits::scalars;
  using now_type = typename traits::now;
  static constexpr int sums = traits::needs_norms ? 2 : 1;  ///< in a chunk

  tensor<float, Context> state;             ///< of all parameters that brought none, one behind the other
  tensor<gradient_facts, Context> facts;    ///< [1]
  tensor<step_record, Context> record;      ///< [1]
  tensor<step_counters, Context> counters;  ///< [1]
  tensor<Rule, Context> rules;              ///< [groups]
  tensor<float, Context> rates;             ///< [groups]
  tensor<std::int64_t, Context> steps;      ///< [parameters]
  tensor<scalars_type, Context> scalars;    ///< [parameters]
  tensor<now_type, Context> nows;           ///< [parameters]
  tensor<real, Context> trusts;             ///< [parameters] where the rule needs norms, else [0]
  tensor<double, Context> partial;          ///< [sums, chunks]

  optimizer_memory(Context& context, const std::vector<parameter_view>& parameters, int groups)
      : optimizer_memory(context, own_floats(parameters), groups, static_cast<std::int64_t>(parameters.size()), chunks(parameters)) {}

  step_memory<Rule> tables() {
    return {facts.data(), record.data(), counters.data(), rules.data(), rates.data(), steps.data(), scalars.data(), nows.data(), trusts.data()};
  }

  /// What the constructor takes from the context, and that of the device's tables.
  static std::int64_t bytes(const std::vector<parameter_view>& parameters, int groups) {
    const auto n = static_cast<std::int64_t>(parameters.size());
    return bytes_of<float>(own_floats(parameters)) + bytes_of<gradient_facts>(1) + bytes_of<step_record>(1) + bytes_of<step_counters>(1) +
           bytes_of<Rule>(groups) + bytes_of<float>(groups) + bytes_of<std::int64_t>(n) + bytes_of<scalars_type>(n) + bytes_of<now_type>(n) +
           bytes_of<real>(traits::needs_norms ? n : 0) + bytes_of<double>(chunks(parameters) * sums) + step_tables<Context>::bytes(parameters);
  }

 private:
  optimizer_memory(Context& context, std::int64_t floats, std::int64_t groups, std::int64_t count, std::int64_t chunk_count)
      : state(context, {floats}), facts(context, {1}), record(context, {1}), counters(context, {1}), rules(context, {groups}), rates(context, {groups}),
        steps(context, {count}), scalars(context, {count}), nows(context, {count}), trusts(context, {traits::needs_norms ? count : 0}),
        partial(context, {chunk_count * sums}) {}

  template <class T> static constexpr std::int64_t bytes_of(std::int64_t n) { return step_tables<Context>::taken(n * static_cast<std::int64_t>(sizeof(T))); }
  static std::int64_t own_floats(const std::vector<parameter_view>& parameters) {
    std::int64_t floats = 0;
    for (const parameter_view& p : parameters) floats += p.state ? 0 : traits::states * state_stride(p.n);
    return floats;
  }
  static std::int64_t chunks(const std::vector<parameter_view>& parameters) {
    std::int64_t result = 0;
    for (const parameter_view& p : parameters) result += chunks_of(p.n);
    return result;
  }
};

}}}  // namespace amphora::detail
