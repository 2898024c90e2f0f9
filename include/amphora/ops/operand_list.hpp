// Operands in a list whose length is known when the program runs.
#pragma once
#include <amphora/ops/operand.hpp>  // operand, is_operand_v, is_gradient_choice_v
#include <amphora/tensor/view.hpp>  // view

#include <iterator>     // begin, end
#include <type_traits>  // decay_t, enable_if_t, void_t
#include <utility>      // declval
#include <variant>      // visit
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What a std::vector, an array or any other range holds; void of what is no range.
template <class List, class = void> struct listed { using t = void; };
template <class List> struct listed<List, std::void_t<decltype(std::begin(std::declval<const List&>()) != std::end(std::declval<const List&>()))>> {
  using t = std::decay_t<decltype(*std::begin(std::declval<const List&>()))>;
};
template <class List> using listed_t = typename listed<List>::t;
template <class List> inline constexpr bool is_operand_list_v = is_operand_v<listed_t<List>>;
template <class List> using if_operands_t = std::enable_if_t<is_operand_list_v<List>, int>;

template <class T> using view_list = std::vector<view<const T>>;
template <class List> auto views_of(const List& list) {
  view_list<typename listed_t<List>::value_type> result;
  for (const auto& x : list) result.push_back(operand(x));
  return result;
}
/// Calls function(target) with what the target of a list is, which may be a std::variant of several kinds.
template <class Target, class Function> void at_target(const Target& target, const Function& function) {
  if constexpr (is_gradient_choice_v<Target>) function(target);
  else std::visit(function, target);
}

}}}  // namespace amphora::detail
