// The three passes over what a state file holds: saving, checking, loading. Each item is walked by one function for all three.
#pragma once
#include <amphora/detail/state_arrays.hpp>  // state_image, state_contents
#include <amphora/error.hpp>                // fail
#include <amphora/format/format_of.hpp>     // format_of_t, is_storage_v
#include <amphora/scale/kernels.hpp>        // scale_kernels

#include <cstddef>      // size_t
#include <cstdint>      // int32_t, int64_t, uint32_t, uint64_t
#include <cstring>      // memcmp, memcpy, strlen
#include <type_traits>  // is_same_v, is_enum_v
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How one C++ type is kept: a storage type by its format, a whole number by its width and sign.
template <class T> constexpr state_type kept_type() {
  if constexpr (is_storage_v<T>) return state_type_of(format_id_v<format_of_t<T>>);
  else if constexpr (std::is_same_v<T, bool>) return state_type::boolean;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return state_type::byte;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return std::is_signed_v<T> ? state_type::i32 : state_type::u32;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return std::is_signed_v<T> ? state_type::i64 : state_type::u64;
  else return static_cast<state_type>(0);
}
template <class T> inline constexpr bool is_kept_v = width_of(kept_type<T>()) != 0;

/// Gathers everything into an image; reads the objects, and waits for the device.
template <class Context>
struct state_saving {
  static constexpr bool saves = true, loads = false;
  Context& context;
  state_image& image;

  void host(const text& name, state_type type, const shape& shape, void* numbers) {
    unsigned char* to = image.add(name.c_str(), type, shape);
    const std::size_t size = static_cast<std::size_t>(shape.elements() * width_of(type));
    if (size > 0) std::memcpy(to, numbers, size);
    swap_unless_little(to, size, width_of(type));
  }
  void device(const text& name, state_type type, const shape& shape, void* numbers) {
    unsigned char* to = image.add(name.c_str(), type, shape);
    const std::size_t size = static_cast<std::size_t>(shape.elements() * width_of(type));
    if (size > 0) scale_kernels<typename Context::device>::wait_read(context, numbers, to, size);
    swap_unless_little(to, size, width_of(type));
  }
};

/// What the checking and the loading pass share: the file must hold the arrays that the objects have, in their order.
template <class Context>
struct state_reading {
  static constexpr bool saves = false;
  Context& context;
  state_contents& file;

  state_array expect(const text& name, const char* type, const shape& shape) {
    if (file.at_end()) fail("state", "'", file.path(), "' ends where ", name.c_str(), " (", type, " ", shape, ") was expected");
    const state_array array = file.next();
    if (!array.is_named(name.c_str())) fail("state", "'", file.path(), "' holds ", array, " where ", name.c_str(), " (", type, " ", shape, ") was expected; load the objects that were saved, in their order");
    return array;
  }
  state_array expect(const text& name, state_type type, const shape& shape) {
    const state_array array = expect(name, name_of(type), shape);
    if (array.type != type || array.shape != shape) fail("state", "'", file.path(), "' holds ", array, ", which is ", name_of(type), " ", shape, " here");
    return array;
  }
  void take(const text& name, state_type type, const shape& shape, void* numbers) {
    const state_array array = expect(name, type, shape);
    if (array.size > 0) std::memcpy(numbers, array.data, array.size);
    swap_unless_little(numbers, array.size, width_of(type));
  }
};

/// Reads numbers of the host into what it is given (copies, in this pass) and changes no object.
template <class Context>
struct state_checking : state_reading<Context> {
  static constexpr bool loads = false;
  void host(const text& name, state_type type, const shape& shape, void*) { this->expect(name, type, shape); }
  void device(const text& name, state_type type, const shape& shape, void*) { this->expect(name, type, shape); }
};

/// Writes into the objects. Runs after a checking pass, so nothing here can fail.
template <class Context>
struct state_loading : state_reading<Context> {
  static constexpr bool loads = true;
  void host(const text& name, state_type type, const shape& shape, void* numbers) { this->take(name, type, shape, numbers); }
  void device(const text& name, state_type type, const shape& shape, void* numbers) {
    const state_array array = this->expect(name, type, shape);
    if (array.size == 0) return;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    std::vector<unsigned char> swapped(array.data, array.data + array.size);
    swap_unless_little(swapped.data(), array.size, width_of(type));
    scale_kernels<typename Context::device>::write(this->context, swapped.data(), numbers, array.size);
#else
    scale_kernels<typename Context::device>::write(this->context, array.data, numbers, array.size);
#endif
  }
};

/// A number that an object has: saved; read into value in both other passes (the caller keeps a copy of its own).
template <class Visit, class T>
void visit_value(Visit& visit, const text& name, T& value) {
  static_assert(is_kept_v<T>, "amphora [unknown-storage-type]: a state file keeps bool, whole numbers of 1, 4 or 8 bytes, and storage types of number formats");
  if constexpr (Visit::saves) visit.host(name, kept_type<T>(), shape(), &value);
  else visit.take(name, kept_type<T>(), shape(), &value);
}
/// A number that must be the same here and in the file.
template <class Visit, class T>
void visit_equal(Visit& visit, const text& name, const T& value) {
  T other = value;
  visit_value(visit, name, other);
  if constexpr (!Visit::saves)
    if (other != value) fail("state", "'", visit.file.path(), "' has ", name.c_str(), " = ", other, ", which is ", value, " here");
}
/// A word that must be the same here and in the file.
template <class Visit>
void visit_word(Visit& visit, const text& name, const char* word) {
  const shape size = {static_cast<std::int64_t>(std::strlen(word))};
  if constexpr (Visit::saves) {
    visit.host(name, state_type::byte, size, const_cast<char*>(word));
  } else {
    const state_array array = visit.expect(name, "byte", size);
    text other("");
    other.append(reinterpret_cast<const char*>(array.data), array.size);
    if (array.type != state_type::byte || std::strcmp(other.c_str(), word) != 0)
      fail("state", "'", visit.file.path(), "' has ", name.c_str(), " = ", other.c_str(), ", which is ", word, " here");
  }
}

}}}  // namespace amphora::detail
