// What an op reads and writes: views and tensors of any format, and the words for memory of the caller's own.
#pragma once
#include <amphora/format/format.hpp>     // f64, bits_v
#include <amphora/format/format_id.hpp>  // format_id, format_id_v
#include <amphora/tensor/tensor.hpp>     // tensor
#include <amphora/tensor/view.hpp>       // view

#include <type_traits>  // conditional_t, is_same_v, remove_const_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Says that a result goes to the caller's memory and replaces what stands there: `linear<Policy>(context, into(y), x, w, b)`.
///
/// T  a storage type; for an op's value it must hold the format that the policy gives, a gradient takes any
template <class T>
struct into {
  view<T> target;
  explicit constexpr into(view<T> memory) : target(memory) {}
  template <class Context> explicit into(tensor<T, Context>& memory) : target(memory.view()) {}
};
template <class T> into(view<T>) -> into<T>;
template <class T, class Context> into(tensor<T, Context>&) -> into<T>;

/// Says that a gradient is added to what stands in the caller's memory: the sum is made in float and rounded once.
template <class T>
struct add_to {
  view<T> target;
  explicit constexpr add_to(view<T> memory) : target(memory) {}
  template <class Context> explicit add_to(tensor<T, Context>& memory) : target(memory.view()) {}
};
template <class T> add_to(view<T>) -> add_to<T>;
template <class T, class Context> add_to(tensor<T, Context>&) -> add_to<T>;

/// Says that a gradient is not wanted, and not computed.
struct no_gradient {};

namespace detail {

template <class T> const view<const T>& operand(const view<const T>& x) { return x; }  // a view is ten words: not copied
template <class T, std::enable_if_t<!std::is_const_v<T>, int> = 0> view<const T> operand(const view<T>& x) { return x; }
template <class T, class Context> view<const T> operand(const tensor<T, Context>& x) { return x.view(); }

template <class X> inline constexpr bool is_operand_v = false;
template <class T> inline constexpr bool is_operand_v<view<T>> = true;
template <class T, class Context> inline constexpr bool is_operand_v<tensor<T, Context>> = true;

/// The format of a view or tensor.
template <class X> using given_t = typename X::format;

/// What a kernel reads: memory in one format, read as if it had been cast to another (the same where nothing is cast).
template <class Given, class Read = Given>
struct source {
  const void* data = nullptr;
};
/// What a kernel writes.
template <class Format>
struct target {
  void* data = nullptr;
  bool add = false;
};

template <class Read, class T> source<format_of_t<T>, Read> read_as(const view<const T>& x) { return {x.data()}; }
template <class T> source<format_of_t<T>> read(const view<const T>& x) { return {x.data()}; }
template <class T> target<format_of_t<T>> write(const view<T>& y) { return {y.data(), false}; }

template <class T> const view<T>& memory_of(const into<T>& y) { return y.target; }
template <class T> const view<T>& memory_of(const add_to<T>& y) { return y.target; }
template <class T> target<format_of_t<T>> gradient_target(const into<T>& y) { return {y.target.data(), false}; }
template <class T> target<format_of_t<T>> gradient_target(const add_to<T>& y) { return {y.target.data(), true}; }

/// The same memory under another shape of as many elements.
template <class T> into<T> reshaped(const into<T>& y, const shape& other) { return into<T>(y.target.reshaped(other)); }
template <class T> add_to<T> reshaped(const add_to<T>& y, const shape& other) { return add_to<T>(y.target.reshaped(other)); }
inline no_gradient reshaped(no_gradient, const shape&) { return {}; }

template <class T> inline constexpr bool is_gradient_target_v = false;
template <class T> inline constexpr bool is_gradient_target_v<into<T>> = true;
template <class T> inline constexpr bool is_gradient_target_v<add_to<T>> = true;
template <class T> inline constexpr bool is_gradient_choice_v = is_gradient_target_v<T> || std::is_same_v<T, no_gradient>;

/// Arithmetic is in float, and in double as soon as one of the formats is f64.
template <class... Formats> using arithmetic_t = std::conditional_t<(std::is_same_v<Formats, f64> || ...), double, float>;
/// That as a format.
template <class... Formats> using arithmetic_format_t = std::conditional_t<(std::is_same_v<Formats, f64> || ...), f64, f32>;

/// The call, the name of an operand and the two shapes, where they must agree.
inline void require_shape(const char* call, const char* name, const shape& have, const shape& want) {
  if (have != want) fail("shape", call, " has ", name, " of shape ", have, " where ", want, " is due");
}

}  // namespace detail
}}  // namespace amphora
