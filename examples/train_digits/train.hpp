// The training loop, for any model and level.
#pragma once
#include "batches.hpp"
#include "data.hpp"
#include "history.hpp"
#include "layers.hpp"
#include "levels.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>
#include <amphora/optimizer/state_file.hpp>
#include <amphora/policy/dispatch.hpp>
#include <amphora/scale/make_scaler.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using seconds = std::chrono::duration<double>;

/// The share of samples whose largest logit is at their label, in percent.
template <class Model, class Context>
double accuracy(Context& context, Model& net, batches<typename Model::image_type, Context>& samples) {
  samples.gather(0, samples.size());
  const std::vector<float> logits = amp::wait_read(context, net.forward(context, samples.images()));
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < samples.size(); ++i) {
    const float* row = logits.data() + i * classes;
    right += std::max_element(row, row + classes) - row == samples.host_labels()[static_cast<std::size_t>(i)];
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(samples.size());
}

/// Where a run stands: between two steps.
struct position {
  std::int32_t epoch = 0;   ///< complete ones
  std::int32_t batch = 0;   ///< of the running epoch
  std::int64_t step = 0;    ///< skipped ones included
  double loss_sum = 0;      ///< over the samples of the running epoch
  double epoch_loss = 0;    ///< mean of the last complete epoch
};

template <class Plan, class Context>
auto scaler_for(Context& context, const options& o) {
  if constexpr (std::is_same_v<amp::scale_rule_t<Plan>, amp::growth>) {
    amp::growth rule;
    rule.initial_scale = o.init_scale, rule.growth_interval = o.growth_interval;
    return amp::make_scaler<Plan>(context, rule);
  } else {
    return amp::make_scaler<Plan>(context);
  }
}

/// A run under one level: all that it holds between two steps, and what can be done with it.
///
/// Model    mlp, cnn or transformer under the level
/// Plan     digits_plan of the level
/// Context  the device that it runs on
template <class Model, class Plan, class Context>
class trainer {
  using plan = Plan;
  using image = typename Model::image_type;

 public:
  trainer(Context& context, const options& o, const chosen_run& run, const digits& data)
      : o_(o), run_(run), context_(context), net_(context_, o), scaler_(scaler_for<plan>(context_, o)),
        optimizer_(context_, rule_of(o), net_.parameters()), train_(context_, data.train), test_(context_, data.test) {
    // Pixels that are nearly always blank leave moments that decay for thousands of steps; below 2^-126 they would slow each of them.
    optimizer_.set_subnormals(amp::subnormals::flush);
    loss_.label_smoothing = o.label_smoothing, loss_.factor = 1 / static_cast<float>(o.accumulate);
    if (!o.resume.empty()) resume();
  }

  /// From where it stands to --epochs.
  ///
  /// start  of the program
  history run(steady::time_point start) {
    history result;
    result.run = run_;
    progress bar(run_, o_.epochs);
    status shown;
    shown.skipped = scaler_.wait_state(context_).skipped;
    std::vector<double> speeds;
    for (; at_.epoch < o_.epochs; ++at_.epoch) {
      train_.shuffle({purpose::order, o_.seed, static_cast<std::uint64_t>(at_.epoch)});
      seconds spent{0};
      const std::int64_t first = trained();
      while (trained() < train_.size()) {
        const auto begin = steady::now();
        result.steps.push_back(step());
        spent += steady::now() - begin;
        if (result.first_step == 0) result.first_step = seconds(steady::now() - start).count();
        shown = {at_.epoch, trained() / static_cast<double>(train_.size()), at_.loss_sum / trained(), shown.accuracy, result.steps.back().scale,
                 shown.skipped + result.steps.back().skipped, (trained() - first) / spent.count()};
        bar.step(shown);
        if (o_.save_every && at_.step % o_.save_every == 0 && trained() < train_.size()) save(at_);
      }
      speeds.push_back(shown.samples_per_second);
      at_.epoch_loss = at_.loss_sum / train_.size(), at_.loss_sum = 0, at_.batch = 0;
      result.epochs.push_back({at_.epoch + 1, at_.step, at_.epoch_loss, accuracy(context_, net_, test_)});
      shown.epoch = at_.epoch + 1, shown.part = 0, shown.loss = at_.epoch_loss, shown.accuracy = result.epochs.back().accuracy;
      bar.epoch(shown);
      position next = at_;
      ++next.epoch;
      save(next);
    }
    if (result.epochs.empty()) result.epochs.push_back({at_.epoch, at_.step, at_.epoch_loss, accuracy(context_, net_, test_)});
    const amp::scale_state scale = scaler_.wait_state(context_);
    result.scale = scale.scale, result.skipped = scale.skipped;
    result.bytes = net_.bytes();
    for (const amp::parameter_view& p : net_.parameters()) result.bytes += p.n * amp::adamw::states * std::int64_t(sizeof(float));
    if (speeds.size() > 1) speeds.erase(speeds.begin());  // the first epoch warms up
    std::sort(speeds.begin(), speeds.end());
    result.samples_per_second = speeds.empty() ? 0 : speeds[speeds.size() / 2];
    return result;
  }

 private:
  static amp::adamw rule_of(const options& o) {
    amp::adamw rule;
    rule.learning_rate = o.lr, rule.weight_decay = o.weight_decay;
    return rule;
  }
  /// Samples of the running epoch that were trained on.
  std::int64_t trained() const { return std::min(std::int64_t(at_.batch) * o_.batch, train_.size()); }

  /// Forward and backward over --accumulate batches, or what is left of the epoch, and one step of the optimizer.
  step_row step() {
    double loss_sum = 0;
    const std::int64_t first = trained();
    amp::ticket ticket;
    for (int micro = 0; micro < o_.accumulate && trained() < train_.size(); ++micro, ++at_.batch) {
      train_.gather(trained(), o_.batch);
      const auto loss = net_.loss(context_, train_.images(), train_.labels(), {loss_, micro > 0});
      const float value = amp::wait_read(context_, loss)[0];
      require_finite(value);
      loss_sum += static_cast<double>(value) * o_.accumulate * train_.labels().size();
      const auto scaled_loss = scaler_.scale(context_, loss);
      net_.backward(context_, scaled_loss);
      ticket = scaled_loss.ticket();
    }
    auto gradients = amp::scaled(optimizer_.gradients(), ticket);
    const auto outcome = o_.clip > 0 ? optimizer_.step(context_, std::move(gradients), amp::clip_global_norm{o_.clip})
                                     : optimizer_.step(context_, std::move(gradients));
    const step_row row = {at_.step + 1, at_.epoch, loss_sum / (trained() - first), scaler_.wait_scale(context_),
                          outcome.wait_result(context_) == amp::step_result::skipped};
    scaler_.update(context_, outcome);
    ++at_.step, at_.loss_sum += loss_sum;
    return row;
  }
  void require_finite(float loss) {
    if (std::isfinite(loss)) return;
    throw std::runtime_error(run_.name() + ": the loss of step " + std::to_string(at_.step + 1) + " is " + (std::isnan(loss) ? "NaN" : "infinite") +
                             "; the first tensor that is not finite is " + net_.first_non_finite(context_));
  }

  using identity = std::array<char, 400>;
  identity own_identity() const {
    identity characters{};
    const std::string text = o_.identity(run_);
    std::copy_n(text.begin(), std::min(text.size(), characters.size() - 1), characters.begin());
    return characters;
  }
  void save(position at) {
    if (o_.save.empty()) return;
    const identity run = own_identity();
    net_.with_state([&](auto... state) {
      amp::wait_save_state(context_, o_.save.c_str(), amp::saved("run", run), optimizer_, scaler_, amp::saved("epoch", at.epoch), amp::saved("batch", at.batch),
                           amp::saved("step", at.step), amp::saved("loss sum", at.loss_sum), amp::saved("epoch loss", at.epoch_loss), state...);
    });
  }
  void resume() {
    identity run = own_identity();
    net_.with_state([&](auto... state) {
      amp::load_state(context_, o_.resume.c_str(), amp::saved("run", run), optimizer_, scaler_, amp::saved("epoch", at_.epoch), amp::saved("batch", at_.batch),
                      amp::saved("step", at_.step), amp::saved("loss sum", at_.loss_sum), amp::saved("epoch loss", at_.epoch_loss), state...);
    });
    if (run != own_identity()) throw std::runtime_error(o_.resume + " was saved by another run (" + run.data() + "), not by this one (" + own_identity().data() + ")");
  }

  const options& o_;
  chosen_run run_;
  Context& context_;
  Model net_;
  decltype(scaler_for<plan>(std::declval<Context&>(), std::declval<const options&>())) scaler_;
  amp::mixed_optimizer<amp::adamw, Context> optimizer_;
  batches<image, Context> train_, test_;
  amp::cross_entropy_settings loss_;
  position at_;
};

/// f(level) for the level that the run names.
template <class Function>
auto at_level(const chosen_run& run, Function f) {
  return amp::dispatch<amp::o0<>, amp::o1<amp::f16>, amp::o1<amp::bf16>, amp::o2<amp::f16>, amp::o2<amp::bf16>, amp::o3<amp::f16>, amp::o3<amp::bf16>>(
      run.name().c_str(), f);
}
/// Trains a Model<Plan, Context>, where Plan is that of the run's level.
template <template <class, class> class Model, class Context>
history train_on(Context& context, const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  return at_level(run, [&](auto level) {
    using plan = digits_plan<decltype(level)>;
    return trainer<Model<plan, Context>, plan, Context>(context, o, run, data).run(start);
  });
}
