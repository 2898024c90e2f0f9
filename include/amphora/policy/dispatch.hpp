// One of a closed list of policies, chosen when the program runs.
#pragma once
#include <amphora/error.hpp>                // fail
#include <amphora/policy/display_name.hpp>  // display_name_v
#include <amphora/policy/loss_scale.hpp>    // require_plan_or_policy
#include <amphora/policy/plan.hpp>          // policies

#include <type_traits>  // void_t
#include <utility>      // declval, forward

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The opt level of a policy, or of a plan's default, and the name of its format; -1 where it is none.
template <class Policy, class = void> struct level_of { static constexpr int value = -1; static constexpr const char* format = ""; };
template <class Policy> struct level_of<Policy, std::void_t<decltype(Policy::opt_level)>> {
  static constexpr int value = Policy::opt_level;
  static constexpr const char* format = Policy::format::name;
};
template <class Policies> struct first_level { static constexpr int value = -1; static constexpr const char* format = ""; };
template <class First, class... Rest> struct first_level<list<First, Rest...>> : level_of<First> {};
template <class Plan> struct level_at : first_level<typename policies<Plan>::t> {};

constexpr bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}
/// The whole name; or O2, o2, and with the format after a space, '-' or '_' (O2-bf16) for a level.
template <class Plan> constexpr bool is_called(const char* name) {
  if (same_text(name, display_name_v<Plan>)) return true;
  if (level_at<Plan>::value < 0 || (name[0] != 'O' && name[0] != 'o') || name[1] != '0' + level_at<Plan>::value) return false;
  return !name[2] || ((name[2] == ' ' || name[2] == '-' || name[2] == '_') && same_text(name + 3, level_at<Plan>::format));
}
template <class Is> constexpr int only_index(const Is* is, int size) {  // -1: none; -2: several
  int found = -1;
  for (int i = 0; i < size; ++i)
    if (is[i]) found = found == -1 ? i : -2;
  return found;
}
template <class... Plans> constexpr void append_choices(text& out) {
  const char* comma = "";
  ((out.append(comma), out.append(display_name_v<Plans>), comma = ", "), ...);
}
template <class... Plans> struct choices {
  void describe(text& out) const { append_choices<Plans...>(out); }
};

template <class Result, class Function, class First, class... Rest> Result call_at(int index, Function& function) {
  if constexpr (sizeof...(Rest) == 0) return static_cast<Result>(function(First{}));
  else return index == 0 ? static_cast<Result>(function(First{})) : call_at<Result, Function, Rest...>(index - 1, function);
}
template <class First, class... Rest, class Function> decltype(auto) dispatch_at(int index, Function& function) {
  (require_plan_or_policy<First>(), ..., require_plan_or_policy<Rest>());
  return call_at<decltype(function(First{})), Function, First, Rest...>(index, function);
}

}  // namespace detail

/// The position among Policies of the one called name; -1 where there is none, -2 where there are several.
///
/// name  as display_name gives it, e.g. mixed or o1<f16>; or for a level O1, o1, O1-bf16
template <class... Policies> constexpr int dispatch_index(const char* name) {
  const bool is[] = {detail::is_called<Policies>(name)...};
  return detail::only_index(is, static_cast<int>(sizeof...(Policies)));
}
/// The same by number: an opt level where all of Policies have one, else a position.
template <class... Policies> constexpr int dispatch_index(int number) {
  if ((... || (detail::level_at<Policies>::value < 0))) return number >= 0 && number < static_cast<int>(sizeof...(Policies)) ? number : -1;
  const bool is[] = {detail::level_at<Policies>::value == number...};
  return detail::only_index(is, static_cast<int>(sizeof...(Policies)));
}

/// function(Policy{}) for the one of Policies, policies or plans, that is called name.
///
/// Value   what function returns; the type is that of the first of Policies
/// Errors  unknown-policy  none is called so, or several are; says which there are
template <class... Policies, class Function> decltype(auto) dispatch(const char* name, Function&& function) {
  const int index = dispatch_index<Policies...>(name);
  if (index == -1) detail::fail("unknown-policy", "no policy is called '", name, "' here; choose one of ", detail::choices<Policies...>{});
  if (index < 0) detail::fail("unknown-policy", "several policies are called '", name, "'; choose one of ", detail::choices<Policies...>{});
  return detail::dispatch_at<Policies...>(index, function);
}
/// The same by number: an opt level where all of Policies have one, else a position.
template <class... Policies, class Function> decltype(auto) dispatch(int number, Function&& function) {
  const int index = dispatch_index<Policies...>(number);
  if (index == -1) detail::fail("unknown-policy", "no policy has the number ", number, " here; choose one of ", detail::choices<Policies...>{});
  if (index < 0) detail::fail("unknown-policy", "several policies have the number ", number, "; choose by name one of ", detail::choices<Policies...>{});
  return detail::dispatch_at<Policies...>(index, function);
}

}}  // namespace amphora
