#include <amphora/tensor/parameter.hpp>

#include <amphora/op/contraction.hpp>
#include <amphora/op/normalization.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/optimizer/sgd.hpp>
#include <amphora/policy/opt_level.hpp>

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace amphora;

namespace {
template <class Policy, class Op> using on_device = parameter<Policy, Op, test_context>;
struct nearest_bf16 : policy<params<bf16>, compute<bf16>, master<none>> {};
struct stochastic_bf16 : policy<params<bf16, stochastic>, compute<bf16>> {};
struct float_gradients : amend<o1<f16>, gradient<f32>> {};
template <class P> using read_type = typename decltype(std::declval<const P&>().weights())::value_type;
template <class P> using gradient_type = typename decltype(std::declval<P&>().gradient())::value_type;
}  // namespace

// What the op reads, and the gradient's type, follow from policy and op.
static_assert(std::is_same_v<read_type<on_device<o1<f16>, op::linear>>, float16>);
static_assert(std::is_same_v<read_type<on_device<o1<f16>, op::layer_norm>>, float>);
static_assert(std::is_same_v<read_type<on_device<o2<bf16>, op::linear>>, bfloat16>);
static_assert(std::is_same_v<read_type<on_device<o2<f16>, op::batch_norm>>, float>);
static_assert(std::is_same_v<gradient_type<on_device<o1<f16>, op::linear>>, float16>);
static_assert(std::is_same_v<gradient_type<on_device<float_gradients, op::linear>>, float>);
static_assert(on_device<o2<f16>, op::linear>::has_master && !on_device<o3<f16>, op::linear>::has_master);
static_assert(std::is_nothrow_move_constructible_v<on_device<o1<f16>, op::linear>> && !std::is_copy_constructible_v<on_device<o1<f16>, op::linear>>);

TEST_CASE("a parameter starts with zeros and says its name, shape and bytes") {
  test_context context;
  on_device<o1<f16>, op::linear> w{context, "w", {3, 5}};
  CHECK(w.name() == std::string("w"));
  CHECK(w.shape() == shape{3, 5});
  CHECK(w.bytes() == 15 * (4 + 2 + 2));
  on_device<o0<>, op::linear> plain{context, "w", {3, 5}};
  CHECK(plain.bytes() == 15 * (4 + 4));
  on_device<o3<f16>, op::linear> low{context, "w", {3, 5}};
  CHECK(low.bytes() == 15 * (2 + 2));
  CHECK(wait_read(context, w.master()) == std::vector<float>(15));
  for (const auto& numbers : {wait_read(context, w.weights()), wait_read(context, w.gradient()), wait_read(context, low.weights())}) {
    CHECK(numbers.size() == 15);
    for (float16 x : numbers) CHECK(x.bits() == 0);
  }
}

TEST_CASE("loading refreshes the master and what is read, each rounded once") {
  test_context context;
  on_device<o1<f16>, op::linear> w{context, "w", {2}};
  const device_array<float> values(context, {1 + 0x1p-11f + 0x1p-20f, 70000.0f});
  w.load(context, values.view());
  CHECK(wait_read(context, w.master()) == values.get());
  CHECK(static_cast<float>(read_device(context, w.weights().data())) == 1 + 0x1p-10f);
  CHECK(static_cast<float>(read_device(context, w.weights().data() + 1)) > 70000.0f);  // infinite: what the format says
  const device_array<double> doubles(context, {0.1, -2.5});
  w.load(context, doubles.view());
  CHECK(read_device(context, w.master().data()) == 0.1f);
  CHECK(read_device(context, w.weights().data() + 1).bits() == float16(-2.5f).bits());
}

TEST_CASE("loading another shape is refused and changes nothing") {
  test_context context;
  on_device<o1<f16>, op::linear> w{context, "layer1.weight", {2, 3}};
  const device_array<float> values(context, {1, 2, 3, 4, 5, 6});
  w.load(context, view<const float>{values.data(), {2, 3}});
  try {
    w.load(context, view<const float>{values.data(), {3, 2}});
    FAIL("not refused");
  } catch (const error& e) {
    CHECK(std::string(e.rule()) == "shape");
    CHECK(std::string(e.what()).find("layer1.weight") != std::string::npos);
  }
  CHECK(read_device(context, w.master().data() + 5) == 6);
}

TEST_CASE("a view has the pointers that the policy asks for") {
  test_context context;
  on_device<o1<f16>, op::linear> both{context, "both", {4}};
  const parameter_view a = both.view(3);
  CHECK(a.master == both.master().data());
  CHECK(a.model.data == both.weights().data());
  CHECK(a.model.format == format_id::f16);
  CHECK(a.gradient.data == both.gradient().data());
  CHECK(a.group == 3);
  CHECK(!a.masterless);
  on_device<o0<>, op::linear> single{context, "single", {4}};
  CHECK(single.view().master == single.weights().data());
  CHECK(single.view().model.data == nullptr);
  on_device<o3<f16>, op::linear> low{context, "low", {4}};
  CHECK(low.view().master == nullptr);
  CHECK(low.view().model.data == low.weights().data());
  CHECK(low.view().masterless);
  CHECK(!low.view().stochastic);
  on_device<stochastic_bf16, op::linear> chance{context, "chance", {4}};
  CHECK(chance.view().masterless);
  CHECK(chance.view().stochastic);
}

TEST_CASE("a frozen parameter has no gradient and stays where it is") {
  test_context context;
  on_device<o1<f16>, op::linear> moving{context, "moving", {2}}, frozen{context, "frozen", {2}, training::frozen};
  const device_array<float> values(context, {1, 2});
  moving.load(context, values.view()), frozen.load(context, values.view());
  CHECK(frozen.is_frozen());
  CHECK(frozen.gradient().size() == 0);
  CHECK(frozen.bytes() == 2 * (4 + 2));
  frozen.zero_gradient(context);
  mixed_optimizer<adamw, test_context> optimizer{context, adamw{0.1f}, {moving.view(), frozen.view()}};
  write(context, std::vector<float16>(2, float16(1.0f)), moving.gradient());
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == step_result::stepped);
  CHECK(read_device(context, moving.master().data()) < 1);
  CHECK(read_device(context, frozen.master().data()) == 1);  // weight decay included
  CHECK(optimizer.wait_step_count(context, 1) == 0);
}

TEST_CASE("B30: loaded weights are not overwritten by an old master") {
  test_context context;
  on_device<o2<f16>, op::linear> w{context, "w", {1}};
  const device_array<float> old(context, {0.9f}), fresh(context, {5});
  w.load(context, old.view());
  adamw rule;
  rule.weight_decay = 0, rule.learning_rate = 0.01f;
  mixed_optimizer<adamw, test_context> optimizer{context, rule, {w.view()}};
  write(context, std::vector<float16>{float16(1.0f)}, w.gradient());
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == step_result::stepped);
  const float mean = read_device(context, optimizer.state(0, 0));
  REQUIRE(mean > 0);
  w.load(context, fresh.view());
  CHECK(read_device(context, optimizer.state(0, 0)) == mean);
  CHECK(optimizer.wait_step_count(context, 0) == 1);
  w.zero_gradient(context);
  // Without momentum nothing moves it, so that what is seen is the load alone.
  mixed_optimizer<sgd, test_context> still{context, sgd{1.0f}, {w.view()}};
  CHECK(still.step(context, still.gradients()).wait_result(context) == step_result::stepped);
  CHECK(read_device(context, w.master().data()) == 5);
  CHECK(static_cast<float>(read_device(context, w.weights().data())) == 5);
  // With the first optimizer, the kept moments move it a little from 5, not from 0.9.
  CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == step_result::stepped);
  CHECK(read_device(context, w.master().data()) == doctest::Approx(5).epsilon(0.01));
}

TEST_CASE("B32: bf16 weights by nearest rounding lose what stochastic rounding keeps") {
  test_context context;
  on_device<nearest_bf16, op::linear> lost{context, "lost", {256}};
  on_device<stochastic_bf16, op::linear> kept{context, "kept", {256}};
  const device_array<float> ones(context, 256, 1.0f);
  lost.load(context, ones.view()), kept.load(context, ones.view());
  adamw rule;
  rule.learning_rate = 1e-2f;
  mixed_optimizer<adamw, test_context> optimizer{context, rule, {lost.view(), kept.view()}};
  for (int step = 0; step < 1000; ++step) CHECK(optimizer.step(context, optimizer.gradients()).wait_result(context) == step_result::stepped);
  double mean = 0;
  for (bfloat16 x : wait_read(context, lost.weights())) CHECK(static_cast<float>(x) == 1);
  for (bfloat16 x : wait_read(context, kept.weights())) mean += static_cast<float>(x) / 256;
  // e^-0.1, within four standard errors of 256 walks of about 25 steps of 2^-8.
  CHECK(mean == doctest::Approx(0.904837).epsilon(4 * 5 * 0x1p-8 / 16));
}

TEST_CASE("a view stays valid when its parameter moves") {
  test_context context;
  std::vector<on_device<o1<f16>, op::linear>> layers;
  layers.emplace_back(context, "first", shape{8});
  const parameter_view before = layers[0].view();
  for (int k = 0; k < 20; ++k) layers.emplace_back(context, "more", shape{8});
  CHECK(layers[0].view().master == before.master);
  CHECK(layers[0].view().model.data == before.model.data);
  CHECK(layers[0].view().gradient.data == before.gradient.data);
}
