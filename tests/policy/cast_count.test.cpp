#include <amphora/policy/cast_count.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0 … o3

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32;

namespace layer { struct first; struct second; struct head; }
using amp::on;
template <class Plan> constexpr int casts = amp::cast_count_v<Plan, on<layer::first, op::linear>, on<layer::first, op::gelu>, on<layer::second, op::linear>,
                                                                on<layer::second, op::softmax>, on<layer::head, op::linear>, on<layer::head, op::cross_entropy>>;

static_assert(casts<amp::o0<>> == 0);                                   // everything is f32
static_assert(casts<amp::o1<f16>> == 2);                                // f32 data into the first, f32 probabilities into the head
static_assert(casts<amp::o2<f16>> == 1 && casts<amp::o3<bf16>> == 1);   // the data
static_assert(casts<amp::plan<amp::o1<f16>, amp::at<layer::second, amp::o1<bf16>>, amp::at<layer::head, amp::o0<>>>> == 2);
static_assert(casts<amp::plan<amp::o0<>, amp::at<layer::second, amp::o2<f16>>>> == 2);  // into it and out of it
static_assert(amp::cast_count_v<amp::policy<amp::compute<f32>, amp::output<f16>>, on<layer::head, op::softmax>> == 1);  // an output
static_assert(amp::cast_count_v<amp::policy<amp::compute<bf16>, amp::output<amp::e5m2>>, on<layer::head, op::linear>> == 2);
static_assert(amp::cast_count_v<amp::o1<f16>> == 0 && amp::cast_count_v<int, on<layer::head, op::linear>> == 0 && amp::cast_count_v<amp::o1<f16>, int> == 0);
static_assert(amp::cast_count_v<amp::o1<f16>, on<layer::head, int>> == 0 && amp::cast_count_v<void> == 0);
