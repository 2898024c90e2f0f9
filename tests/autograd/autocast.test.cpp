// A few ops as PyTorch ran them in 16 bits and under autocast on the CPU: what it had then, and the float64 truth.
#include <amphora/autograd/attention.hpp>
#include <amphora/autograd/conv.hpp>
#include <amphora/autograd/cross_entropy.hpp>
#include <amphora/autograd/gelu.hpp>
#include <amphora/autograd/linear.hpp>
#include <amphora/autograd/matmul.hpp>
#include <amphora/autograd/normalization.hpp>
#include <amphora/autograd/softmax.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/convolution_case.hpp>
#include <ops/loss_case.hpp>
#include <ops/truths.hpp>

#include <set>

namespace amp = amphora;

namespace {

/// Calls then(value) with what a case's op gives of its inputs, in their order.
template <class Policy, class X, class Then> void run_op(test_context& context, const amp::tape<test_context>& tape, const golden::test_case& c, const std::vector<X>& x, const Then& then) {
  const std::string op = c.data.at("op");
  if (op == "linear") return x.size() == 3 ? then(amp::linear<Policy>(tape, x[0], x[1], x[2])) : then(amp::linear<Policy>(tape, x[0], x[1]));
  if (op == "matmul") return then(amp::matmul<Policy>(tape, x[0], x[1]));
  if (op == "gelu") return then(amp::gelu<Policy>(tape, x[0], c.option("approximate") == "tanh" ? amp::gelu_form::tanh : amp::gelu_form::erf));
  if (op == "softmax") return then(amp::softmax<Policy>(tape, x[0], c.option("dim")));
  if (op == "log_softmax") return then(amp::log_softmax<Policy>(tape, x[0], c.option("dim")));
  if (op == "conv2d") {
    const auto how = golden::convolution_options_of(c);
    return x.size() == 3 ? then(amp::conv2d<Policy>(tape, x[0], x[1], x[2], how)) : then(amp::conv2d<Policy>(tape, x[0], x[1], amp::no_bias{}, how));
  }
  if (op == "layer_norm") {
    const std::vector<std::int64_t> extents = c.option("normalized_shape");
    const double eps = c.option("eps");
    return x.size() == 3 ? then(amp::layer_norm<Policy>(tape, x[0], x[1], x[2], eps)) : then(amp::layer_norm<Policy>(tape, x[0], amp::shape(extents.data(), static_cast<int>(extents.size())), amp::no_bias{}, eps));
  }
  if (op == "log_softmax_nll") {
    const auto target = tape.constant(c.input("target").to_index(context));
    return then(amp::nll_loss<Policy>(tape, amp::log_softmax<Policy>(tape, x[0], c.option("dim")), target, amp::nll_loss_settings{c.option("ignore_index"), golden::reduction_of(c)}));
  }
  if (op == "cross_entropy") {
    const amp::cross_entropy_settings settings{c.option("ignore_index"), c.option("label_smoothing"), golden::reduction_of(c)};
    return x.size() == 2 ? then(amp::cross_entropy<Policy>(tape, x[0], x[1], settings)) : then(amp::cross_entropy<Policy>(tape, x[0], tape.constant(c.input("target").to_index(context)), settings));
  }
  REQUIRE(op == "scaled_dot_product_attention");
  amp::attention_settings settings;
  settings.causal = c.option("is_causal");
  if (!c.has("attn_mask")) return then(amp::scaled_dot_product_attention<Policy>(tape, x[0], x[1], x[2], amp::no_mask{}, settings));
  const auto mask = c.input("attn_mask");
  then(amp::scaled_dot_product_attention<Policy>(tape, x[0], x[1], x[2], truths(context, mask.shape, mask.values), settings));
}

/// Whether numbers are as near to the truth as PyTorch's were, but for a rounding of 16 bits, or in f32 the few of one more function of the upstream gradient. Where
/// PyTorch's are not finite and the truth is, any will do.
template <class T> void compare_errors(test_context& context, const std::string& name, const amp::view<const T>& got, const golden::array& theirs, const golden::array& truth, double upstream) {
  INFO(name);
  const std::vector<double> ours = values(context, got);
  REQUIRE(ours.size() == truth.values.size());
  double error = 0, allowed = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double t = truth.values[i];
    if (!std::isfinite(t)) {
      CHECK((std::isnan(t) ? std::isnan(ours[i]) : ours[i] == t));
    } else if (std::isfinite(theirs.values[i])) {
      error = (std::max)(error, std::fabs(ours[i] - t)), allowed = (std::max)(allowed, std::fabs(theirs.values[i] - t));
    }
  }
  CHECK(error <= allowed + amp::format_of_t<T>::unit_roundoff * (sizeof(T) == 2 ? truth.largest() : 4 * (truth.largest() + upstream)));
}

/// The cases in one of PyTorch's modes, under a policy, from leaves of a type.
template <class Policy, class T> void run_mode(const char* mode) {
  test_context context;
  const amp::tape<test_context> tape(context);
  const std::set<std::string> same_list{"linear", "matmul", "conv2d", "scaled_dot_product_attention", "cross_entropy"};  // PyTorch's list for CPUs leaves the others as they come
  for (const auto& c : golden::cases("autocast_cpu.json", {"linear", "matmul", "conv2d", "softmax", "log_softmax", "log_softmax_nll", "layer_norm", "cross_entropy", "gelu", "scaled_dot_product_attention"})) {
    const auto &theirs = c.data.at("runs").at(mode), &truth = c.data.at("runs").at("f64");
    std::vector<amp::variable<T, test_context>> leaves;
    std::vector<std::string> names;
    for (const char* name : {"input", "query", "key", "value", "weight", "other", "bias", "target"}) {
      if (!truth.at("grads").contains(name)) continue;
      leaves.push_back(tape.leaf(c.input(name).to<T>(context)));
      names.push_back(name);
    }
    run_op<Policy>(context, tape, c, leaves, [&](const auto& y) {
      using out = typename std::decay_t<decltype(y)>::value_type;
      const std::string name = c.name() + " in PyTorch's mode " + mode;
      if (same_list.count(c.data.at("op")) != 0 && std::string(mode).find("autocast") == 0) CHECK_MESSAGE(amp::format_of_t<out>::name == theirs.at("output").at("dtype").template get<std::string>(), name);
      compare_errors<out>(context, name, y.value(), golden::array(theirs.at("output")), golden::array(truth.at("output")), 0);
      const golden::array upstream(c.data.at("grad_output"));
      amp::backward(context, y, upstream.template to<out>(context).view());
      for (std::size_t i = 0; i < leaves.size(); ++i)
        compare_errors<T>(context, name + ", gradient of " + names[i], leaves[i].gradient().value(), golden::array(theirs.at("grads").at(names[i])), golden::array(truth.at("grads").at(names[i])), upstream.largest());
    });
  }
}

}  // namespace

TEST_CASE("under O1 of floats values and gradients are as near to the truth as under PyTorch's autocast") {
  run_mode<amp::o1<amp::bf16>, float>("autocast_bf16_of_f32");
  run_mode<amp::o1<amp::f16>, float>("autocast_f16_of_f32");
}
TEST_CASE("under O1 of 16-bit numbers values and gradients are as near to the truth as under PyTorch's autocast") { run_mode<amp::o1<amp::bf16>, amp::bfloat16>("autocast_bf16_of_bf16"); }
TEST_CASE("under O3 values and gradients are as near to the truth as PyTorch's in 16 bits") { run_mode<amp::o3<amp::f16>, amp::float16>("f16"); }
