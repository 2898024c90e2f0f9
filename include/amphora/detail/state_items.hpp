// What a state file keeps of each kind of object: one walk, which saving, checking and loading all take.
#pragma once
#include <amphora/detail/state_visit.hpp>         // visit_value, visit_word, visit_equal
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/rule.hpp>             // rule_traits
#include <amphora/scale/scaler.hpp>               // scaler
#include <amphora/scale/state_text.hpp>           // max_state_text
#include <amphora/tensor/parameter_view.hpp>      // parameter_view
#include <amphora/tensor/tensor.hpp>              // tensor

#include <cstddef>      // size_t
#include <cstdint>      // int32_t, int64_t
#include <type_traits>  // enable_if_t, extent_v, is_array_v, void_t
#include <utility>      // declval
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class T> inline constexpr bool is_optimizer_v = false;
template <class Rule, class Context, class Schedule> inline constexpr bool is_optimizer_v<mixed_optimizer<Rule, Context, Schedule>> = true;
template <class T> inline constexpr bool is_scaler_v = false;
template <class Context, class Rule> inline constexpr bool is_scaler_v<scaler<Context, Rule>> = true;
template <class T> inline constexpr bool is_tensor_v = false;
template <class T, class Context> inline constexpr bool is_tensor_v<tensor<T, Context>> = true;
template <class T, class = void> inline constexpr bool is_parameter_v = false;
template <class T> inline constexpr bool is_parameter_v<T, std::void_t<decltype(std::declval<T&>().is_frozen(), std::declval<T&>().view(0))>> = true;
template <class T, class = void> inline constexpr bool has_fields_v = false;
template <class T> inline constexpr bool has_fields_v<T, std::void_t<decltype(T::fields(std::declval<T&>(), ignore_setting{}))>> = true;

template <class T, class = void> inline constexpr bool is_kept_array_v = false;
template <class T, std::size_t Size> inline constexpr bool is_kept_array_v<T[Size], void> = is_kept_v<T>;
template <class T> inline constexpr bool is_kept_array_v<T, std::void_t<decltype(std::declval<T&>().data()[0], std::declval<T&>().size())>> =
    is_kept_v<typename T::value_type>;
/// Whether a file can keep a T under a name.
template <class T> inline constexpr bool is_kept_item_v =
    is_kept_v<T> || is_kept_array_v<T> || is_parameter_v<T> || is_optimizer_v<T> || is_scaler_v<T>;  // a tensor is an array of the device

/// Weights in all their copies, as they are: nothing is converted on the way back.
template <class Visit>
void visit_weights(Visit& visit, const text& name, const parameter_view& p) {
  if (p.master) visit.device(text(name.c_str(), "/master"), state_type_of(format_id::f32), p.shape, p.master);
  if (p.model.data) visit.device(text(name.c_str(), "/model"), state_type_of(p.model.format), p.shape, p.model.data);
  for (int k = 0; k < parameter_view::max_copies; ++k)
    if (p.copies[k].data) visit.device(text(name.c_str(), "/copy ", k), state_type_of(p.copies[k].format), p.shape, p.copies[k].data);
}

template <class Visit, class Rule, class Context, class Schedule>
void visit_item(Visit& visit, const char* prefix, mixed_optimizer<Rule, Context, Schedule>& optimizer) {
  using traits = rule_traits<Rule>;
  const std::vector<parameter_view>& parameters = optimizer.parameters();
  visit_word(visit, text(prefix, "/rule"), traits::name);
  visit_equal(visit, text(prefix, "/parameters"), static_cast<std::int64_t>(parameters.size()));
  visit_equal(visit, text(prefix, "/groups"), static_cast<std::int32_t>(optimizer.groups()));
  for (int group = 0; group < optimizer.groups(); ++group) {
    Rule rule = optimizer.rule(group);
    const auto setting = [&](const char* name, auto& value) { visit_value(visit, text(prefix, "/group ", group, "/", name), value); };
    if constexpr (traits::has_settings) traits::settings(rule, setting);
    else setting("learning_rate", rule.learning_rate);
    traits::check(rule);
    if constexpr (Visit::loads) optimizer.set_rule(visit.context, group, rule);
  }
  std::int64_t taken = 0, skipped = 0;
  std::uint64_t seed = optimizer.seed();
  if constexpr (Visit::saves) taken = optimizer.wait_taken(visit.context), skipped = optimizer.wait_skipped(visit.context);
  visit_value(visit, text(prefix, "/taken"), taken);
  visit_value(visit, text(prefix, "/skipped"), skipped);
  visit_value(visit, text(prefix, "/seed"), seed);
  if constexpr (Visit::loads) optimizer.load_counters(visit.context, taken, skipped), optimizer.set_seed(seed);
  for (int k = 0; k < static_cast<int>(parameters.size()); ++k) {
    const parameter_view& p = parameters[static_cast<std::size_t>(k)];
    const text name(prefix, "/", k, "/", p.name);
    std::int64_t steps = 0;
    typename traits::scalars own{};
    if constexpr (Visit::saves) steps = optimizer.wait_step_count(visit.context, k), own = optimizer.wait_scalars(visit.context, k);
    visit_value(visit, text(name.c_str(), "/steps"), steps);
    if constexpr (has_fields_v<typename traits::scalars>) {
      traits::scalars::fields(own, [&](const char* field, auto& value) { visit_value(visit, text(name.c_str(), "/", field), value); });
    } else if constexpr (traits::has_scalars) {
      if constexpr (Visit::saves) visit.host(text(name.c_str(), "/own"), state_type::byte, {std::int64_t(sizeof own)}, &own);
      else visit.take(text(name.c_str(), "/own"), state_type::byte, {std::int64_t(sizeof own)}, &own);
    }
    if constexpr (Visit::loads) optimizer.load_step_count(visit.context, k, steps, own);
    visit_weights(visit, name, p);
    for (int which = 0; which < traits::states; ++which)
      visit.device(text(name.c_str(), "/state ", which), state_type_of(format_id::f32), p.shape, optimizer.state(k, which));
  }
}

template <class Visit, class Context, class Rule>
void visit_item(Visit& visit, const char* prefix, scaler<Context, Rule>& item) {
  const text name(prefix, "/state");
  if constexpr (Visit::saves) {
    std::vector<char> characters(max_state_text);
    const auto size = static_cast<std::int64_t>(item.wait_save(visit.context, characters.data(), characters.size()));
    visit.host(name, state_type::byte, {size}, characters.data());
  } else {
    const state_array array = visit.expect(name, "byte", {});
    const char* characters = reinterpret_cast<const char*>(array.data);
    if constexpr (Visit::loads) item.load(visit.context, characters, array.size);
    else item.check_load(characters, array.size);
  }
}

/// A number, an array of the host or the device, or a parameter.
template <class Visit, class T, std::enable_if_t<!is_optimizer_v<T> && !is_scaler_v<T>, int> = 0>
void visit_item(Visit& visit, const char* prefix, T& item) {
  if constexpr (is_kept_v<T>) {
    visit.host(text(prefix), kept_type<T>(), shape(), &item);
  } else if constexpr (is_tensor_v<T>) {
    visit.device(text(prefix), kept_type<typename T::value_type>(), item.shape(), item.data());
  } else if constexpr (is_parameter_v<T>) {
    visit_weights(visit, text(prefix), item.view());
  } else if constexpr (std::is_array_v<T> && is_kept_array_v<T>) {
    visit.host(text(prefix), kept_type<std::remove_extent_t<T>>(), {std::int64_t(std::extent_v<T>)}, item);
  } else if constexpr (is_kept_array_v<T>) {
    visit.host(text(prefix), kept_type<typename T::value_type>(), {static_cast<std::int64_t>(item.size())}, item.data());
  }
}

}}}  // namespace amphora::detail
