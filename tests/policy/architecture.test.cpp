#include <amphora/policy/architecture.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o1

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32;

struct turing;
struct ampere;
struct ada;
struct unsaid;
template <> inline constexpr int amphora::oldest_architecture_v<turing> = 75;
template <> inline constexpr int amphora::oldest_architecture_v<ampere> = 80;
template <> inline constexpr int amphora::oldest_architecture_v<ada> = 89;

template <class Device, class Format, class Op = op::linear> constexpr bool runs = amp::is_built_for_v<Device, amp::o1<Format>, Op, Format, Format>;
static_assert(runs<turing, f16> && !runs<turing, bf16> && !runs<turing, amp::e4m3> && runs<turing, f32>);
static_assert(runs<ampere, bf16> && !runs<ampere, amp::e5m2> && runs<ada, amp::e4m3> && runs<ada, amp::e5m2>);
static_assert(runs<unsaid, bf16> && runs<unsaid, amp::e4m3>);                         // nothing said, nothing refused
static_assert(runs<turing, bf16, op::relu> && runs<turing, bf16, op::softmax>);       // only products ask
static_assert(!amp::is_built_for_v<turing, amp::policy<amp::compute<amp::tf32>>, op::conv2d, f32> && amp::is_built_for_v<turing, amp::o1<bf16>, op::linear, amp::f64, amp::f64>);
static_assert(amp::require_call_on<ampere, amp::o1<bf16>, op::linear, bf16, bf16>() && amp::require_call_on<turing, amp::o1<f16>, op::linear, f16, f16>());
static_assert(amp::needed_architecture_v<f16> == 0 && amp::needed_architecture_v<int> == 0 && amp::oldest_architecture_v<int> == 0);
