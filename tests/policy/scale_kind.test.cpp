#include <amphora/policy/scale_kind.hpp>

#include <type_traits>  // is_same_v

namespace amp = amphora;

struct my_rule {};
static_assert(amp::is_scale_kind_v<amp::no_scale> && amp::is_scale_kind_v<amp::static_scale> && amp::is_scale_kind_v<amp::dynamic_scale<>>);
static_assert(amp::is_scale_kind_v<amp::dynamic_scale<my_rule>> && std::is_same_v<amp::dynamic_scale<my_rule>::rule, my_rule>);
static_assert(std::is_same_v<amp::dynamic_scale<>::rule, amp::growth>);
static_assert(!amp::is_scale_kind_v<int> && !amp::is_scale_kind_v<my_rule> && !amp::is_scale_kind_v<void>);
