// Recipes whose backward pass is the tape's, one of them through second derivatives, beside PyTorch's in float64 (tests/data/recipes).
#include <recipes/recipe.hpp>

#include <amphora/autograd.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace {

using policy = amp::o0<>;
using weight = amp::parameter<policy, amp::op::linear, context_type>;
using variable = amp::variable<float, context_type>;

struct model {
  weight w1, b1, w2, b2;

  model(context_type& context, const json& start) : w1(made(context, "w1", start)), b1(made(context, "b1", start)), w2(made(context, "w2", start)), b2(made(context, "b2", start)) {}
  static weight made(context_type& context, const char* name, const json& start) {
    const json& values = start.at("model0." + std::string(name));
    weight result(context, name, shape_of(values));
    amp::tensor<float, context_type> first(context, shape_of(values));
    amp::write(context, numbers(values), first);
    result.load(context, first);
    return result;
  }
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }
  /// The leaves of a graph; where it is not the first that is accumulated, they add.
  auto leaves(const amp::tape<context_type>& tape, bool add = false) {
    const auto leaf = [&](weight& w) { return add ? tape.accumulating_leaf(w) : tape.leaf(w); };
    return std::make_tuple(leaf(w1), leaf(b1), leaf(w2), leaf(b2));
  }
  std::vector<float> wait_master(context_type& context, int which) const {
    const weight* all[] = {&w1, &b1, &w2, &b2};
    return amp::wait_read(context, all[which]->master());
  }
};

template <class Leaves>
variable logits(const amp::tape<context_type>& tape, const batch& b, const Leaves& leaves) {
  const auto& [w1, b1, w2, b2] = leaves;
  return amp::linear<policy>(tape, amp::gelu<policy>(tape, amp::linear<policy>(tape, tape.constant(b.inputs), w1, b1)), w2, b2);
}

/// The mean, over the rows of all batches, of log Σ exp(logits) − the target's logit, from what has derivatives of both orders.
variable cross_entropy(const amp::tape<context_type>& tape, const variable& logits, const json& target_list, std::size_t batches = 1) {
  const auto targets = target_list.get<std::vector<std::int64_t>>();
  auto& context = tape.context();
  const std::int64_t rows = logits.shape()[0], classes = logits.shape()[1];
  std::vector<float> is_target(static_cast<std::size_t>(rows * classes)), ones(static_cast<std::size_t>(classes), 1), shares(static_cast<std::size_t>(rows), 1 / static_cast<float>(rows) / static_cast<float>(batches));
  for (std::size_t i = 0; i < targets.size(); ++i) is_target[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(targets[i])] = 1;
  const auto constant = [&](const std::vector<float>& values, const amp::shape& shape) {
    amp::tensor<float, context_type> result(context, shape);
    amp::write(context, values, result);
    return tape.constant(std::move(result));
  };
  const auto all = constant(ones, {classes});
  const auto normalizer = amp::log<policy>(tape, amp::matmul<policy>(tape, amp::exp<policy>(tape, logits), all));
  const auto picked = amp::matmul<policy>(tape, amp::mul<policy>(tape, logits, constant(is_target, {rows, classes})), all);
  return amp::matmul<policy>(tape, constant(shares, {rows}), amp::sub<policy>(tape, normalizer, picked));
}

}  // namespace

TEST_CASE_TEMPLATE("a recipe on a tape follows PyTorch's losses, scales and weights, for one batch a step and for several", Rule, amp::adamw, amp::sgd) {
  constexpr bool accumulates = std::is_same_v<Rule, amp::sgd>;
  const json data = recipe(accumulates ? "accumulation" : "typical"), settings = data["settings"];
  const std::size_t together = settings.value("accumulate", 1);
  REQUIRE(accumulates == (together > 1));
  context_type context;
  model net(context, data["start"]);
  const Rule rule = [&] {
    if constexpr (accumulates) return sgd_of(settings["optimizers"][0]);
    else return adamw_of(settings["optimizers"][0]);
  }();
  amp::mixed_optimizer<Rule, context_type> optimizer{context, rule, net.parameters()};
  amp::scaler<context_type> scaler(context, growth());
  std::vector<double> losses, scales;
  for (std::size_t i = 0; i < data["f64"]["loss"].size(); ++i) {
    const batch b(context, data, i);
    const amp::tape tape(context);
    const auto loss = cross_entropy(tape, logits(tape, b, net.leaves(tape, i % together > 0)), data["targets"][i], together);
    losses.push_back(amp::wait_read(context, loss.value())[0]);
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    if ((i + 1) % together) continue;
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    scales.push_back(scaler.wait_scale(context));
  }
  check_list(data, "loss", losses);
  check_scales(data, scales);
  check_weights(context, data, "model0", net);
}

TEST_CASE("a penalty on the gradients' norm, unscaled by hand and scaled again, follows PyTorch's losses, scales and weights") {
  const json data = recipe("gradient_penalty"), settings = data["settings"];
  context_type context;
  model net(context, data["start"]);
  amp::mixed_optimizer<amp::sgd, context_type> optimizer{context, sgd_of(settings["optimizers"][0]), net.parameters()};
  amp::scaler<context_type> scaler(context, growth());
  std::vector<double> losses, penalties, scales;
  for (std::size_t i = 0; i < data["f64"]["loss"].size(); ++i) {
    const batch b(context, data, i);
    const amp::tape tape(context);
    const auto leaves = net.leaves(tape);
    const auto fit = cross_entropy(tape, logits(tape, b, leaves), data["targets"][i]);

    const auto scaled_fit = scaler.scale(context, fit.value());
    const auto gradients = std::apply([&](const auto&... leaf) { return amp::grad(context, fit, tape.constant(scaled_fit.gradient()), amp::graph::create, leaf...); }, leaves);
    const auto inverse = tape.constant(amp::view<const float>(scaled_fit.ticket().inverse()));
    const auto square = [&](const auto& scaled_gradient) {
      const auto g = amp::reshape(tape, amp::mul<policy>(tape, scaled_gradient, inverse), {scaled_gradient.size()});
      return amp::matmul<policy>(tape, g, g);
    };
    const auto squares = std::apply([&](const auto& first, const auto&... rest) {
      auto sum = square(first);
      ((sum = amp::add<policy>(tape, sum, square(rest))), ...);
      return sum;
    }, gradients);
    const auto norm = amp::sqrt<policy>(tape, squares);
    const auto loss = amp::add<policy>(tape, fit, norm, settings["penalty"].get<double>());

    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()));
    scaler.update(context, outcome);
    losses.push_back(amp::wait_read(context, loss.value())[0]), penalties.push_back(amp::wait_read(context, norm.value())[0]);
    scales.push_back(scaler.wait_scale(context));
  }
  check_list(data, "loss", losses);
  check_list(data, "penalty", penalties);
  check_scales(data, scales);
  check_weights(context, data, "model0", net);
}
