// A weight that several ops read, each in the format that its policy gives it.
#pragma once
#include <amphora/policy/cast_count.hpp>        // on
#include <amphora/policy/plan.hpp>              // policy_at_t
#include <amphora/policy/weights.hpp>           // master_t, model_t, gradient_t, require_may_step
#include <amphora/tensor/parameter_memory.hpp>  // parameter_memory

#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// One reader of a tied weight: an op, or an op in a layer of a plan.
template <class Plan, class Use> struct tied_use {
  using policy = Plan;
  using op = Use;
};
template <class Plan, class Layer, class Op> struct tied_use<Plan, on<Layer, Op>> {
  using policy = policy_at_t<Plan, Layer>;
  using op = Op;
};
template <class Plan, class Use> using tied_model_t = model_t<typename tied_use<Plan, Use>::policy, typename tied_use<Plan, Use>::op>;
template <class Plan, class Use> using tied_gradient_t = gradient_t<typename tied_use<Plan, Use>::policy, typename tied_use<Plan, Use>::op>;
template <class Plan, class Use>
inline constexpr bool tied_master_v = !std::is_same_v<master_t<typename tied_use<Plan, Use>::policy, typename tied_use<Plan, Use>::op>, none>;

/// The format that all have, or f32.
template <class... Formats> struct common_format;
template <class First, class... Rest> struct common_format<First, Rest...> {
  using type = std::conditional_t<(std::is_same_v<First, Rest> && ...), First, f32>;
};

/// parameter_memory with each format once, in the order of the uses.
template <bool HasMaster, class Gradient, class Context, class Seen, class... Left> struct tied_memory;
template <class... Formats> struct tied_seen {};
template <bool HasMaster, class Gradient, class Context, class... Seen>
struct tied_memory<HasMaster, Gradient, Context, tied_seen<Seen...>> {
  using type = parameter_memory<HasMaster, Gradient, Context, Seen...>;
};
template <bool HasMaster, class Gradient, class Context, class... Seen, class First, class... Left>
struct tied_memory<HasMaster, Gradient, Context, tied_seen<Seen...>, First, Left...>
    : tied_memory<HasMaster, Gradient, Context, std::conditional_t<(std::is_same_v<First, Seen> || ...), tied_seen<Seen...>, tied_seen<Seen..., First>>, Left...> {};

template <class Plan, class Context, class... Uses>
using tied_memory_t = typename tied_memory<(tied_master_v<Plan, Uses> || ...), typename common_format<tied_gradient_t<Plan, Uses>...>::type, Context, tied_seen<>,
                                           tied_model_t<Plan, Uses>...>::type;

}  // namespace detail

/// Owns the memory of one weight with several readers: one master, one gradient, and one copy for each distinct format.
///
/// The gradients of all readers are added into the one gradient: its format is theirs where they agree, and f32 otherwise.
/// There is a master as soon as one reader's policy asks for it.
///
///     amp::tied_parameter<network, amp::host_context, amp::on<layer::tokens, amp::op::embedding>, amp::on<layer::head, amp::op::linear>> w{…};
///     w.weights<amp::on<layer::head, amp::op::linear>>();
///
/// Plan  a policy or a plan
/// Uses  ops, or on<layer, op>
template <class Plan, class Context, class... Uses>
class tied_parameter : public detail::tied_memory_t<Plan, Context, Uses...> {
  static_assert((require_may_step<typename detail::tied_use<Plan, Uses>::policy, typename detail::tied_use<Plan, Uses>::op>() && ...));
  using memory = detail::tied_memory_t<Plan, Context, Uses...>;

 public:
  /// As parameter's.
  tied_parameter(Context& context, const char* name, const amphora::shape& shape, training trains = training::on)
      : memory(context, name, shape, trains, (is_stochastic_v<typename detail::tied_use<Plan, Uses>::policy, typename detail::tied_use<Plan, Uses>::op> && ...)) {}

  /// [shape], in the format in which Use reads it.
  template <class Use> auto weights() const {
    static_assert((std::is_same_v<Use, Uses> || ...), "amphora [unread-setting]: this tied parameter has no such reader; ask for one of those it was declared with");
    return memory::template weights_in<detail::tied_model_t<Plan, Use>>();
  }
};

}}  // namespace amphora
