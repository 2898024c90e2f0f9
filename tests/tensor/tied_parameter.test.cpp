#include <amphora/tensor/tied_parameter.hpp>

#include <amphora/op/contraction.hpp>
#include <amphora/op/transparent.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/optimizer/sgd.hpp>
#include <amphora/policy/opt_level.hpp>

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <vector>

using namespace amphora;

namespace layer { struct tokens; struct head; struct tail; }
namespace {
struct network : plan<o1<f16>, at<layer::head, o1<bf16>>, at<layer::tail, o1<f16>>> {};
using tokens = on<layer::tokens, op::embedding>;
using head = on<layer::head, op::linear>;
using tail = on<layer::tail, op::linear>;
template <class P, class Use> using read_type = typename decltype(std::declval<const P&>().template weights<Use>())::value_type;
template <class P> using gradient_type = typename decltype(std::declval<P&>().gradient())::value_type;
using shared = tied_parameter<network, test_context, tokens, head, tail>;
}  // namespace

static_assert(std::is_same_v<read_type<shared, tokens>, float>);
static_assert(std::is_same_v<read_type<shared, head>, bfloat16>);
static_assert(std::is_same_v<read_type<shared, tail>, float16>);
static_assert(std::is_same_v<gradient_type<shared>, float>);  // its readers disagree
static_assert(std::is_same_v<gradient_type<tied_parameter<o1<f16>, test_context, op::linear, op::matmul>>, float16>);

TEST_CASE("a tied weight has one copy for each distinct format, one master, one gradient") {
  test_context context;
  shared w{context, "embedding", {4, 2}};
  CHECK(w.bytes() == 8 * (4 + 2 + 2 + 4));
  tied_parameter<o1<f16>, test_context, op::linear, op::matmul, op::linear> same{context, "same", {4, 2}};
  CHECK(same.bytes() == 8 * (4 + 2 + 2));
  CHECK(same.weights<op::linear>().data() == same.weights<op::matmul>().data());
  tied_parameter<o3<f16>, test_context, op::linear, op::matmul> low{context, "low", {4, 2}};
  CHECK(low.bytes() == 8 * (2 + 2));
  CHECK(low.view().masterless);
}

TEST_CASE("a step writes every copy from the one master") {
  test_context context;
  shared w{context, "embedding", {3}};
  const std::vector<float> start{1, 2, 3};
  const device_array<float> given(context, start);
  w.load(context, given.view());
  mixed_optimizer<sgd, test_context> optimizer{context, sgd{0.1f}, {w.view()}};
  write(context, std::vector<float>(3, 0.3f), w.gradient());
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == step_result::stepped);
  const auto master = wait_read(context, w.weights<tokens>());
  const auto brains = wait_read(context, w.weights<head>());
  const auto halves = wait_read(context, w.weights<tail>());
  for (std::size_t i = 0; i < 3; ++i) {
    const float right = start[i] - 0.1f * 0.3f;
    CHECK(master[i] == right);
    CHECK(brains[i].bits() == bfloat16(right).bits());
    CHECK(halves[i].bits() == float16(right).bits());
  }
}
