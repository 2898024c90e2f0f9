// Whole training recipes through the public interface, beside PyTorch's in float64 (tests/data/recipes).
#include <recipes/recipe.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

template <class Policy> using weight = amp::parameter<Policy, amp::op::linear, context_type>;

/// gelu(x · w1ᵀ + b1) · w2ᵀ + b2.
template <class Policy>
struct model {
  using logits_type = amp::tensor<amp::storage_t<amp::output_t<Policy, amp::op::linear, amp::f32>>, context_type>;
  weight<Policy> w1, b1, w2, b2;
  amp::view<const float> x;
  logits_type before_gelu, hidden, logits;

  model(context_type& context, const json& start, const std::string& name, const json& frozen)
      : w1(made(context, "w1", start, name, frozen)), b1(made(context, "b1", start, name, frozen)),
        w2(made(context, "w2", start, name, frozen)), b2(made(context, "b2", start, name, frozen)) {}

  static weight<Policy> made(context_type& context, const char* own, const json& start, const std::string& model, const json& frozen) {
    const json& values = start.at(model + "." + own);
    const bool trains = std::find(frozen.begin(), frozen.end(), model + "." + own) == frozen.end();
    weight<Policy> result(context, own, shape_of(values), trains ? amp::training::on : amp::training::frozen);
    amp::tensor<float, context_type> first(context, shape_of(values));
    amp::write(context, numbers(values), first);
    result.load(context, first);
    return result;
  }
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  void forward(context_type& context, amp::view<const float> inputs) {
    x = inputs;
    before_gelu = amp::linear<Policy>(context, x, w1.weights(), b1.weights());
    hidden = amp::gelu<Policy>(context, before_gelu);
    logits = amp::linear<Policy>(context, hidden, w2.weights(), b2.weights());
  }
  /// put  amp::into or amp::add_to
  template <class Gradient, class Put>
  void backward(context_type& context, const Gradient& of_logits, Put put) {
    auto of_hidden = amp::linear_backward<Policy>(context, of_logits, hidden, w2.weights()).x;
    amp::linear_backward<Policy>(context, of_logits, hidden, w2.weights(), amp::no_gradient{}, put(w2.gradient()), put(b2.gradient()));
    if (w1.is_frozen()) return;
    const auto of_sum = amp::gelu_backward<Policy>(context, of_hidden, before_gelu);
    amp::linear_backward<Policy>(context, of_sum, x, w1.weights(), amp::no_gradient{}, put(w1.gradient()), put(b1.gradient()));
  }
  /// What the optimizer updates.
  std::vector<float> wait_master(context_type& context, int which) const {
    const weight<Policy>* all[] = {&w1, &b1, &w2, &b2};
    return amp::wait_read(context, all[which]->master());
  }
  /// As after a backward pass that overflowed somewhere.
  void overflow(context_type& context) {
    const auto gradient = w1.gradient();
    using number = typename decltype(gradient)::value_type;
    amp::write(context, {number(HUGE_VALF)}, amp::view<number>(gradient.data(), {1}));
  }
};

const auto overwrite = [](auto gradient) { return amp::into(gradient); };
const auto accumulate = [](auto gradient) { return amp::add_to(gradient); };

/// What all recipes with one model share: forward, loss, backward, a step for every so many batches, update.
template <class Policy>
struct run_of_one {
  context_type context;
  json data;
  model<Policy> net;
  std::vector<double> losses, scales, norms;

  explicit run_of_one(const std::string& name) : data(recipe(name)), net(context, data.at("start"), "model0", data.at("settings").value("frozen", json::array())) {}

  template <class Rule, class Clip>
  void train(const Rule& rule, const Clip& clip) {
    const json settings = data.at("settings");
    const std::size_t together = settings.value("accumulate", 1), steps = data.at("f64").at("loss").size();
    amp::mixed_optimizer<Rule, context_type> optimizer{context, rule, net.parameters()};
    amp::scaler<context_type> scaler(context, growth());
    amp::cross_entropy_settings loss_settings;
    loss_settings.factor = 1 / static_cast<float>(together);
    for (std::size_t i = 0; i < steps; ++i) {
      const batch b(context, data, i);
      net.forward(context, b.inputs.view());
      const auto loss = amp::cross_entropy<Policy>(context, net.logits, b.targets, loss_settings);
      losses.push_back(wait_number(context, loss));
      const auto scaled_loss = scaler.scale(context, loss);
      const auto of_logits = amp::cross_entropy_backward<Policy>(context, scaled_loss.gradient(), net.logits, b.targets, loss_settings);
      if (i % together == 0) net.backward(context, of_logits, overwrite);
      else net.backward(context, of_logits, accumulate);
      if (holds(settings.value("overflow_at", json::array()), i)) net.overflow(context);
      if ((i + 1) % together) continue;
      const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), clip);
      norms.push_back(read_device(context, optimizer.norm()));
      scaler.update(context, outcome);
      scales.push_back(scaler.wait_scale(context));
    }
  }
  void check() {
    check_list(data, "loss", losses);
    check_scales(data, scales);
    check_weights(context, data, "model0", net);
  }
};

}  // namespace

TEST_CASE("a typical recipe follows PyTorch's losses, scales and weights") {
  run_of_one<amp::o0<>> run("typical");
  run.train(adamw_of(run.data["settings"]["optimizers"][0]), amp::no_clip{});
  run.check();
}

TEST_CASE("gradients are clipped by the norm that they have without the scale") {
  run_of_one<amp::o0<>> run("clipped");
  run.train(adamw_of(run.data["settings"]["optimizers"][0]), amp::clip_global_norm{run.data["settings"]["clip"].get<float>()});
  run.check();
  check_list(run.data, "total_norm", run.norms);
}

TEST_CASE("an overflow skips its step, lowers the scale and leaves no other trace") {
  run_of_one<amp::o0<>> run("overflow");
  run.train(adamw_of(run.data["settings"]["optimizers"][0]), amp::no_clip{});
  run.check();
}

TEST_CASE("three batches accumulated make one step") {
  run_of_one<amp::o0<>> run("accumulation");
  run.train(sgd_of(run.data["settings"]["optimizers"][0]), amp::no_clip{});
  run.check();
}

TEST_CASE("a frozen layer stays, and the rest trains") {
  run_of_one<amp::o0<>> run("frozen_layer");
  run.train(adamw_of(run.data["settings"]["optimizers"][0]), amp::no_clip{});
  run.check();
  CHECK(run.net.wait_master(run.context, 0) == numbers(run.data["start"]["model0.w1"]));
}

TEST_CASE("two models, two losses of both and two optimizers share one scaler, and only the one that overflows skips") {
  using policy = amp::o0<>;
  const json data = recipe("two_models"), settings = data["settings"];
  context_type context;
  model<policy> first(context, data["start"], "model0", json::array()), second(context, data["start"], "model1", json::array());
  amp::mixed_optimizer<amp::sgd, context_type> sgd{context, sgd_of(settings["optimizers"][0]), first.parameters()};
  amp::mixed_optimizer<amp::adamw, context_type> adamw{context, adamw_of(settings["optimizers"][1]), second.parameters()};
  amp::scaler<context_type> scaler(context, growth());
  std::vector<double> losses, scales;
  for (std::size_t i = 0; i < data["f64"]["scale"].size(); ++i) {
    const batch b(context, data, i);
    first.forward(context, b.inputs.view()), second.forward(context, b.inputs.view());
    const auto of_first_model = amp::wait_read(context, first.logits), of_second_model = amp::wait_read(context, second.logits);
    std::vector<float> mixed(of_first_model.size()), slope_first(mixed.size()), slope_second(mixed.size());
    amp::tensor<float, context_type> of_first(context, first.logits.shape()), of_second(context, first.logits.shape()), mix(context, first.logits.shape());
    std::vector<amp::ticket> tickets;
    for (const json& factors : settings["losses"]) {
      const float p = factors[0], q = factors[1];
      for (std::size_t k = 0; k < mixed.size(); ++k) mixed[k] = p * of_first_model[k] + q * of_second_model[k];
      amp::write(context, mixed, mix);
      const auto loss = amp::cross_entropy<policy>(context, mix, b.targets);
      losses.push_back(wait_number(context, loss));
      const auto scaled_loss = scaler.scale(context, loss);
      const auto of_mix = amp::cross_entropy_backward<policy>(context, scaled_loss.gradient(), mix, b.targets);
      const auto slope = amp::wait_read(context, of_mix);
      for (std::size_t k = 0; k < slope.size(); ++k) slope_first[k] += p * slope[k], slope_second[k] += q * slope[k];
      tickets.push_back(scaled_loss.ticket());
    }
    amp::write(context, slope_first, of_first), amp::write(context, slope_second, of_second);
    first.backward(context, of_first, overwrite), second.backward(context, of_second, overwrite);
    const bool overflow = holds(settings["overflow_at"], i);
    if (overflow) first.overflow(context);
    const auto of_sgd = sgd.step(context, amp::scaled(sgd.gradients(), tickets[0], tickets[1]));
    const auto of_adamw = adamw.step(context, amp::scaled(adamw.gradients(), tickets[0], tickets[1]));
    CHECK(of_sgd.wait_result(context) == (overflow ? amp::step_result::skipped : amp::step_result::stepped));
    CHECK(of_adamw.wait_result(context) == amp::step_result::stepped);
    scaler.update(context, of_sgd, of_adamw);
    scales.push_back(scaler.wait_scale(context));
  }
  check_list(data, "loss", losses);
  check_scales(data, scales);
  check_weights(context, data, "model0", first);
  check_weights(context, data, "model1", second);
}

TEST_CASE_TEMPLATE("in 16 bits the losses of a typical recipe stay within some roundoffs of float64's", Policy, amp::o1<amp::f16>, amp::o1<amp::bf16>,
                   amp::o2<amp::f16>, amp::o2<amp::bf16>) {
  run_of_one<Policy> run("typical");
  run.train(adamw_of(run.data["settings"]["optimizers"][0]), amp::no_clip{});
  const double u = amp::unit_roundoff_v<amp::compute_t<Policy, amp::op::linear, amp::f32>>;
  for (std::size_t i = 0; i < run.losses.size(); ++i) {
    const double want = run.data["f64"]["loss"][i];
    // Two layers of roundings forward and backward, and i steps of AdamW, each of which passes an error on about once.
    CHECK(std::abs(run.losses[i] - want) <= u * (4 + static_cast<double>(i)) * (1 + want));
  }
  check_scales(run.data, run.scales);
}
