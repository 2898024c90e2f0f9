// A whole run in one file: optimizers, scalers, parameters and a program's own numbers; written and read whole or not at all.
#pragma once
#include <amphora/detail/state_arrays.hpp>  // state_image, state_contents
#include <amphora/detail/state_disk.hpp>    // write_atomically, read_whole
#include <amphora/detail/state_items.hpp>   // visit_item
#include <amphora/detail/state_visit.hpp>   // state_saving, state_checking, state_loading
#include <amphora/tensor/view.hpp>          // view

#include <cstddef>      // size_t
#include <cstring>      // strcmp
#include <type_traits>  // is_const_v, remove_const_t

namespace amphora { inline namespace AMPHORA_ABI {

namespace detail {

template <class Item, bool Kept> constexpr void require_kept() {
  static_assert(Kept, "amphora [unknown-storage-type]: a state file keeps bool, whole numbers of 1, 4 or 8 bytes, storage types of number formats, and arrays of them; save such parts of it");
}
template <class Item> constexpr void require_named() {
  static_assert(is_optimizer_v<Item> || is_scaler_v<Item>, "amphora [setting]: only an optimizer and a scaler have names of their own in a state file; write amphora::saved(\"name\", x)");
}
template <class Item> constexpr void require_variable() {
  static_assert(!std::is_const_v<Item>, "amphora [setting]: a constant cannot be loaded; name a variable");
}

}  // namespace detail

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
template <class Item> saved_item<Item> saved(const char* name, Item& item) {
  detail::require_kept<std::remove_const_t<Item>, detail::is_kept_item_v<std::remove_const_t<Item>>>();
  return {name, &item};
}
template <class T> saved_view<T> saved(const char* name, const view<T>& values) { return {name, values}; }

namespace detail {

/// Saving only reads; one walk serves all passes.
template <class Visit, class T> void visit_named(Visit& visit, const saved_item<T>& named) {
  visit_item(visit, named.name, const_cast<std::remove_const_t<T>&>(*named.item));
}
template <class Visit, class T> void visit_named(Visit& visit, const saved_view<T>& named) {
  visit.device(text(named.name), kept_type<std::remove_const_t<T>>(), named.values.shape(), const_cast<std::remove_const_t<T>*>(named.values.data()));
}

template <class T> const saved_item<T>& as_saved(const saved_item<T>& item) { return item; }
template <class T> const saved_view<T>& as_saved(const saved_view<T>& item) { return item; }
template <class T> inline constexpr bool is_saved_v = false;
template <class T> inline constexpr bool is_saved_v<saved_item<T>> = true;
template <class T> inline constexpr bool is_saved_v<saved_view<T>> = true;
template <class T, std::enable_if_t<!is_saved_v<std::remove_const_t<T>>, int> = 0> saved_item<T> as_saved(T& item) {
  require_named<std::remove_const_t<T>>();
  return {is_scaler_v<std::remove_const_t<T>> ? "scaler" : "optimizer", &item};
}
/// What a loaded item may not be.
template <class T> constexpr void require_loadable(const saved_item<T>&) { require_variable<T>(); }
template <class T> constexpr void require_loadable(const saved_view<T>&) { require_variable<T>(); }

template <class Visit, class... Items>
void visit_all(Visit& visit, const Items&... items) {
  const char* names[] = {items.name..., ""};
  for (std::size_t a = 0; a < sizeof...(Items); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (std::strcmp(names[a], names[b]) == 0) fail("state", "two items have the name '", names[a], "'; write amphora::saved(\"another name\", …)");
  (visit_named(visit, items), ...);
}

template <class Context, class... Items>
void load_contents(Context& context, state_contents&& file, const Items&... items) {
  (require_loadable(items), ...);
  state_checking<Context> check{{context, file}};
  visit_all(check, items...);
  if (!file.at_end()) fail("state", "'", file.path(), "' holds more: ", file.next(), "; load all objects that were saved");
  file.rewind();
  state_loading<Context> load{{context, file}};
  visit_all(load, items...);
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
  detail::load_contents(context, detail::state_contents(detail::read_whole(path), path), detail::as_saved(items)...);
}

}}  // namespace amphora
