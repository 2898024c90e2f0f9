// How a type is called in a table or a message, without run-time type information.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <type_traits>  // void_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <int Size> struct characters { char text[Size + 1] = {}; };

template <class T> constexpr const char* signature() { return __PRETTY_FUNCTION__; }
constexpr int length_of(const char* text) {
  int length = 0;
  while (text[length]) ++length;
  return length;
}

/// `amphora::o1<amphora::f16, amphora::op_lists<false> >` becomes `o1<f16, op_lists<false>>`.
template <int Size> constexpr characters<Size> without_scopes(const char* first, const char* last) {
  characters<Size> out;
  int size = 0, word = 0, depth = 0;  // word: where the name begins that a `::` would drop
  for (; first != last; ++first) {
    const char c = *first;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ':' && first + 1 != last && first[1] == ':' && depth == 0) {
      size = word, ++first;
      continue;
    }
    if (c == '>' && size > 0 && out.text[size - 1] == ' ') --size;
    out.text[size++] = c;
    if (depth == 0 && (c == '<' || c == ',' || c == ' ' || c == '>')) word = size;
  }
  for (int i = size; i < Size; ++i) out.text[i] = 0;
  return out;
}
template <class T> constexpr auto short_name() {
  constexpr int size = length_of(signature<T>());
  const char* text = signature<T>();
  const char* first = text + length_of("T = ");
  while (!(first[-1] == '=' || (first[-1] == ' ' && first[-2] == '=')) || *first == ' ' || *first == '=') ++first;
  const char* last = text + size;
  while (*--last != ']') {}
  return without_scopes<size>(first, last);
}
template <class T> inline constexpr auto short_name_v = short_name<T>();

template <class T> struct spelled { static constexpr const char* value = short_name_v<T>.text; };
template <class T, class = void> struct own_name : spelled<T> {};
template <class T> struct own_name<T, std::void_t<decltype(static_cast<const char*>(T::name))>> { static constexpr const char* value = T::name; };

}  // namespace detail

/// What describe, dispatch and messages call T: its `static constexpr const char* name`, else its name in the source without scopes.
///
/// T       any type, a declaration is enough
/// Extend  specialise it: `template <> struct amphora::display_name<layer::head> { static constexpr const char* value = "classifier"; };`
template <class T> struct display_name : detail::own_name<T> {};

template <class T> inline constexpr const char* display_name_v = display_name<T>::value;

namespace detail {
/// name<A, B>, with the arguments by their own display names: clang would leave default ones out.
template <class... Arguments> constexpr auto template_name(const char* name) {
  characters<(256 + ... + (length_of(display_name_v<Arguments>) + 2))> out;
  int size = 0;
  for (; *name && *name != '<' && size < 250; ++name) out.text[size++] = *name;
  out.text[size++] = '<';
  [[maybe_unused]] const char* before = "";
  [[maybe_unused]] const auto append = [&](const char* part) { while (*part) out.text[size++] = *part++; };
  ((append(before), append(display_name_v<Arguments>), before = ", "), ...);
  out.text[size] = '>';
  return out;
}
template <template <class...> class Template, class... Arguments> struct spelled<Template<Arguments...>> {
  static constexpr auto whole = template_name<Arguments...>(short_name_v<Template<Arguments...>>.text);
  static constexpr const char* value = whole.text;
};
}  // namespace detail

}}  // namespace amphora
