// A plan gives each layer its policy: attention in f16, the perceptron in bf16, the head in float.
#include <amphora/amphora.hpp>
#include <amphora/policy/describe.hpp>

#include <iostream>
#include <type_traits>

namespace amp = amphora;

//! [plan]
namespace layer { struct attention; struct mlp; struct head; }

struct network : amp::plan<amp::o1<amp::f16>, amp::at<layer::mlp, amp::o1<amp::bf16>>, amp::at<layer::head, amp::o0<>>> {};

static_assert(std::is_same_v<amp::compute_t<amp::policy_at_t<network, layer::mlp>, amp::op::linear>, amp::bf16>);
static_assert(std::is_same_v<amp::loss_scale_t<network>, amp::dynamic_scale<>>);  // one layer in f16 is enough
//! [plan]

int main() {
  using namespace amphora;
  describe<network, on<layer::attention, op::linear>, on<layer::attention, op::softmax>, on<layer::mlp, op::linear>,
           on<layer::mlp, op::gelu>, on<layer::head, op::linear>, on<layer::head, op::cross_entropy>>(std::cout);
}
