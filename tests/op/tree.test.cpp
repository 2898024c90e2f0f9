#include <amphora/op/tree.hpp>

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
namespace role = amp::role;

namespace mine {  // a branch and ops of a user, outside the library
struct tile_role;
struct stencil { using parent = op::sensitive; using reads = amp::roles<role::compute, tile_role>; static constexpr amp::reason why = amp::reason::speed; };
struct blur { using parent = stencil; };
struct swiglu { using parent = op::contraction; };
struct exotic { using parent = op::any; };
struct lost { using parent = int; };
struct declared;
}  // namespace mine

// parents
static_assert(std::is_same_v<amp::parent_t<mine::blur>, mine::stencil> && std::is_same_v<amp::parent_t<op::any>, void>);
static_assert(std::is_same_v<amp::parent_t<int>, void> && std::is_same_v<amp::parent_t<mine::declared>, void>);
static_assert(amp::is_below_v<mine::blur, mine::blur> && amp::is_below_v<mine::blur, op::sensitive> && amp::is_below_v<mine::blur, op::any>);
static_assert(!amp::is_below_v<op::sensitive, mine::blur> && !amp::is_below_v<mine::blur, op::contraction> && !amp::is_below_v<int, op::any>);
static_assert(amp::is_op_v<op::any> && amp::is_op_v<mine::blur> && !amp::is_op_v<int> && !amp::is_op_v<void> && !amp::is_op_v<mine::lost>);

// what is not said is inherited
static_assert(amp::reads_v<mine::blur, mine::tile_role> && !amp::reads_v<mine::blur, role::accumulate>);
static_assert(amp::reads_v<mine::swiglu, role::params> && amp::reads_v<mine::exotic, role::output> && !amp::reads_v<mine::swiglu, mine::tile_role>);
static_assert(!amp::reads_v<int, role::params> && !amp::reads_v<mine::lost, role::params> && !amp::reads_v<op::any, role::scale>);
static_assert(amp::reason_v<mine::blur> == amp::reason::speed && amp::reason_v<mine::swiglu> == amp::reason::speed);
static_assert(amp::reason_v<mine::exotic> == amp::reason::none && amp::reason_v<int> == amp::reason::none);

// classes
static_assert(std::is_same_v<amp::class_t<mine::blur>, op::sensitive> && std::is_same_v<amp::class_t<op::forbidden>, op::forbidden>);
static_assert(std::is_same_v<amp::class_t<mine::exotic>, mine::exotic> && std::is_same_v<amp::class_t<op::any>, op::any> && std::is_same_v<amp::class_t<int>, int>);
