// A whole run in one file: optimizers, scalers, parameters and a program's own numbers; written and read whole or not at all.
#pragma once
#include <amphora/detail/state_arrays.hpp>        // state_image, state_contents
#include <amphora/detail/state_disk.hpp>          // write_atomically, read_whole
#include <amphora/detail/state_visit.hpp>         // state_saving, state_checking, state_loading
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/rule.hpp>             // rule_traits
#include <amphora/scale/scaler.hpp>               // scaler
#include <amphora/scale/state_text.hpp>           // max_state_text
#include <amphora/tensor/parameter_view.hpp>      // parameter_view
#include <amphora/tensor/tensor.hpp>              // tensor
#include <amphora/tensor/view.hpp>                // view

#include <cstdint>      // int64_t
#include <cstring>      // strcmp
#include <type_traits>  // is_const_v, void_t
#include <utility>      // declval
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// Something and its name in a file.
template <class Item> struct saved_item {
  const char* name;
  Item* item;
};
/// An array on the device and its name in a file.
template <class T> struct saved_view {
  const char* name;
  view<T> values;
};

/// Names what is saved beside the first optimizer and the first scaler: `saved("epoch", epoch)`.
///
/// item  a number or bool; a std::vector, std::array or array of them, whose size must be the same on loading; a tensor or
///       parameter; an optimizer or scaler, where there are several
template <class Item> saved_item<Item> saved(const char* name, Item& item) { return {name, &item}; }
template <class T> saved_view<T> saved(const char* name, const view<T>& values) { return {name, values}; }

namespace detail {

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
  } else if constexpr (std::is_array_v<T>) {
    visit.host(text(prefix), kept_type<std::remove_extent_t<T>>(), {std::int64_t(std::extent_v<T>)}, item);
  } else {
    static_assert(is_kept_v<typename T::value_type>, "amphora [unknown-storage-type]: a state file keeps bool, whole numbers of 1, 4 or 8 bytes, and storage types of number formats");
    visit.host(text(prefix), kept_type<typename T::value_type>(), {static_cast<std::int64_t>(item.size())}, item.data());
  }
}

/// Saving only reads; one walk serves all passes.
template <class Visit, class T> void visit_named(Visit& visit, const saved_item<T>& named) {
  static_assert(Visit::saves || !std::is_const_v<T>, "amphora [setting]: a constant cannot be loaded; name a variable");
  visit_item(visit, named.name, const_cast<std::remove_const_t<T>&>(*named.item));
}
template <class Visit, class T> void visit_named(Visit& visit, const saved_view<T>& named) {
  static_assert(Visit::saves || !std::is_const_v<T>, "amphora [setting]: a constant cannot be loaded; name a variable");
  visit.device(text(named.name), kept_type<std::remove_const_t<T>>(), named.values.shape(), const_cast<std::remove_const_t<T>*>(named.values.data()));
}

template <class T> const saved_item<T>& as_saved(const saved_item<T>& item) { return item; }
template <class T> const saved_view<T>& as_saved(const saved_view<T>& item) { return item; }
template <class T, std::enable_if_t<is_optimizer_v<std::remove_const_t<T>>, int> = 0> saved_item<T> as_saved(T& item) { return {"optimizer", &item}; }
template <class T, std::enable_if_t<is_scaler_v<std::remove_const_t<T>>, int> = 0> saved_item<T> as_saved(T& item) { return {"scaler", &item}; }

template <class Visit, class... Items>
void visit_all(Visit& visit, const Items&... items) {
  const char* names[] = {items.name..., ""};
  for (std::size_t a = 0; a < sizeof...(Items); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (std::strcmp(names[a], names[b]) == 0) fail("state", "two items have the name '", names[a], "'; write amphora::saved(\"another name\", …)");
  (visit_named(visit, items), ...);
}

}  // namespace detail

/// Writes everything that a resumed run needs, bit by bit: weights, masters and moments, each tensor's step count, settings,
/// counters, the scaler, and what the program names. Waits for the device.
///
///     amp::wait_save_state(context, "run.state", optimizer, scaler, amp::saved("epoch", epoch));
///
/// items   an optimizer ("optimizer"), a scaler ("scaler"), and saved("name", …) for anything else, in an order of your own
/// Effect  writes path.partial, makes it durable and renames it: path is the old file or the whole new one at any moment.
///         Equal states give equal files: there is no time and no padding in it. Gradients are not saved
/// Errors  state  two items of one name, or the disk refuses; the old file is as it was
template <class Context, class... Items>
void wait_save_state(Context& context, const char* path, Items&&... items) {
  detail::state_image image;
  detail::state_saving<Context> visit{context, image};
  detail::visit_all(visit, detail::as_saved(items)...);
  image.finish();
  detail::write_atomically(path, image.preamble, image.directory, image.data);
}

/// Reads what wait_save_state wrote, into the same items in the same order. An optimizer takes over the file's settings too.
///
/// Effect  all items, or none: the file is read and checked as a whole first
/// Errors  state    no such file; cut short, changed or foreign; another rule, or other names, shapes or formats than the items have
///         setting, scale-bounds, pending-gradients  as the items' own functions
///         Nothing is changed then
template <class Context, class... Items>
void load_state(Context& context, const char* path, Items&&... items) {
  detail::state_contents file(detail::read_whole(path), path);
  detail::state_checking<Context> check{{context, file}};
  detail::visit_all(check, detail::as_saved(items)...);
  if (!file.at_end()) detail::fail("state", "'", path, "' holds more: ", file.next(), "; load all objects that were saved");
  file.rewind();
  detail::state_loading<Context> load{{context, file}};
  detail::visit_all(load, detail::as_saved(items)...);
}

}}  // namespace amphora
