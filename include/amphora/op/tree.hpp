// The root of the op tree, its five classes, and the questions that a tag answers.
#pragma once
#include <amphora/op/role.hpp>  // role, roles

#include <type_traits>  // is_same_v, void_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Why an op stands in its class.
enum class reason {
  none,            ///< not said; also the answer for what is no op
  safety,          ///< the values or the gradient leave a 16-bit range, or the sum loses its terms
  speed,           ///< it is faster there, and as good
  missing_kernel,  ///< no kernel takes another mix of formats
};

/// Tags of ops. An op names its `parent`, a branch or another op; what it does not say itself it inherits:
/// `reads`, the roles that it reads, and `why`, the reason for its class.
namespace op {

struct any {
  using parent = void;
  using reads = roles<role::params, role::compute, role::accumulate, role::output>;
  static constexpr amphora::reason why = reason::none;
};
/// Low precision in, float sums. Operands stand in memory in the compute format.
struct contraction { using parent = any; static constexpr amphora::reason why = reason::speed; };
/// Float inside, whatever came in: converted in registers, stored once.
struct sensitive { using parent = any; static constexpr amphora::reason why = reason::safety; };
/// The widest input format.
struct promoting {
  using parent = any;
  using reads = roles<role::compute, role::output>;
  static constexpr amphora::reason why = reason::missing_kernel;
};
/// The format that came in.
struct transparent {
  using parent = any;
  using reads = roles<role::compute, role::output>;
  static constexpr amphora::reason why = reason::speed;
};
/// Refused in a low precision.
struct forbidden { using parent = any; static constexpr amphora::reason why = reason::safety; };

}  // namespace op

namespace detail {
template <class T, class = void> struct parent_of { using type = void; };
template <class T> struct parent_of<T, std::void_t<typename T::parent>> { using type = typename T::parent; };
}  // namespace detail

/// The parent of an op or a branch; void for the root, and for what is no op.
template <class Op> using parent_t = typename detail::parent_of<Op>::type;

/// Whether Op is Branch or stands anywhere below it; false for what is no op.
template <class Op, class Branch>
inline constexpr bool is_below_v = std::is_same_v<Op, Branch> || is_below_v<parent_t<Op>, Branch>;
template <class Branch> inline constexpr bool is_below_v<void, Branch> = false;

/// Whether T is an op or a branch: its parents lead to op::any.
template <class T> inline constexpr bool is_op_v = is_below_v<T, op::any>;

/// Whether Op, or the branch nearest above it that says so, reads Role; false for what is no op.
template <class Op, class Role, class = void> inline constexpr bool reads_v = reads_v<parent_t<Op>, Role>;
template <class Role> inline constexpr bool reads_v<void, Role, void> = false;
template <class Op, class Role>
inline constexpr bool reads_v<Op, Role, std::void_t<typename Op::reads>> = Op::reads::template has<Role>;

/// Why Op stands in its class; reason::none for what is no op.
template <class Op, class = void> inline constexpr reason reason_v = reason_v<parent_t<Op>>;
template <> inline constexpr reason reason_v<void, void> = reason::none;
template <class Op> inline constexpr reason reason_v<Op, std::void_t<decltype(Op::why)>> = Op::why;

namespace detail {
template <class Op> struct class_of;
template <class Op, class Parent = parent_t<Op>> struct class_below { using type = typename class_of<Parent>::type; };
template <class Op> struct class_below<Op, op::any> { using type = Op; };
template <class Op> struct class_below<Op, void> { using type = Op; };
template <class Op> struct class_of : class_below<Op> {};
}  // namespace detail

/// The child of op::any that Op stands under: op::contraction, op::sensitive, … or a user's own branch.
template <class Op> using class_t = typename detail::class_of<Op>::type;

}}  // namespace amphora
