// A small run whose state is saved and loaded: three parameters of other formats, an optimizer, a scaler, a number of the program.
#pragma once
#include <amphora/op/contraction.hpp>      // linear
#include <amphora/op/normalization.hpp>    // layer_norm
#include <amphora/optimizer/nadam.hpp>     // nadam
#include <amphora/optimizer/state_file.hpp>  // wait_save_state, load_state
#include <amphora/policy/opt_level.hpp>    // o1, o3
#include <amphora/scale/make_scaler.hpp>   // make_scaler
#include <amphora/scale/scaled_loss.hpp>   // scaled_loss
#include <amphora/tensor/parameter.hpp>    // parameter
#include <amphora/tensor/transfer.hpp>     // write, wait_read

#include <device.hpp>  // test_context

#include <unistd.h>  // getpid

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace state_run {

using bytes = std::vector<unsigned char>;

/// A folder of its own for each test, removed at its end.
struct folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("amphora_state_" + std::to_string(::getpid()));
  folder() { std::filesystem::create_directories(path); }
  ~folder() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
};

inline bytes read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return bytes(std::istreambuf_iterator<char>(in), {});
}
inline void write(const std::string& path, const bytes& content) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  if (!content.empty()) std::fwrite(content.data(), 1, content.size(), out);
  std::fclose(out);
}

/// Gives a parameter weights of the host's.
template <class Context, class Parameter>
void load_weights(Context& context, Parameter& parameter, std::vector<float> weights) {
  weights.resize(static_cast<std::size_t>(parameter.size()));
  amphora::tensor<float, Context> there(context, parameter.shape());
  amphora::write(context, weights, there);
  parameter.load(context, there);
}

template <class Rule = amphora::nadam, class Context = test_context>
struct run {
  Context context;
  amphora::parameter<amphora::o1<amphora::f16>, amphora::op::linear, Context> w;
  amphora::parameter<amphora::o1<amphora::f16>, amphora::op::layer_norm, Context> gain;
  amphora::parameter<amphora::o3<amphora::bf16>, amphora::op::linear, Context> low;
  amphora::mixed_optimizer<Rule, Context> optimizer;
  amphora::scaler<Context> scale;
  amphora::tensor<float, Context> loss;
  std::int64_t epoch = 0;

  explicit run(const Rule& rule = {}, const char* name = "w", amphora::shape size = {2, 3})
      : w(context, name, size), gain(context, "gain", {5}), low(context, "low", {3}),
        optimizer(context, rule, {w.view(), gain.view(), low.view()}), scale(amphora::make_scaler<amphora::o1<amphora::f16>>(context)), loss(context, {1}) {
    amphora::write(context, std::vector<float>{1}, loss);
  }

  void load_weights() {
    const std::vector<float> start = {0.5f, -1.25f, 3, 0.1f, 0.2f, -0.3f};
    state_run::load_weights(context, w, start), state_run::load_weights(context, gain, start), state_run::load_weights(context, low, start);
  }
  void step(int number) {
    auto scaled_loss = scale.scale(context, loss);
    const float s = amphora::wait_read(context, scaled_loss.value())[0];
    std::vector<amphora::float16> of_w;
    std::vector<float> of_gain;
    for (int i = 0; i < 6; ++i) of_w.emplace_back(s * 0x1p-16f * static_cast<float>(i - number));
    for (int i = 0; i < 5; ++i) of_gain.push_back(s * 0.25f * static_cast<float>(number - i));
    if (number % 4 == 3) of_gain[2] = INFINITY;  // a skipped step
    amphora::write(context, of_w, w.gradient()), amphora::write(context, of_gain, gain.gradient());
    amphora::write(context, std::vector<amphora::bfloat16>(3, amphora::bfloat16(s * 0.1f)), low.gradient());
    auto outcome = optimizer.step(context, amphora::scaled(optimizer.gradients(), scaled_loss.ticket()));
    scale.update(context, outcome);
    ++epoch;
  }
  void save(const std::string& path) { amphora::wait_save_state(context, path.c_str(), optimizer, scale, amphora::saved("epoch", epoch)); }
  void load(const std::string& path) { amphora::load_state(context, path.c_str(), optimizer, scale, amphora::saved("epoch", epoch)); }
  /// As load does with what it read; thousands of files would take minutes.
  void load(const bytes& content) {
    namespace detail = amphora::detail;
    detail::load_contents(context, detail::state_contents(content, "memory"), detail::as_saved(optimizer), detail::as_saved(scale), amphora::saved("epoch", epoch));
  }
};

}  // namespace state_run
