#include "options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <type_traits>

namespace {

#if defined(DIGITS_CUDA)
constexpr bool has_cuda = true;
#else
constexpr bool has_cuda = false;
#endif

/// Accepts what is all of a Number and lies in [low, high]; a NaN lies nowhere.
template <class Number>
CLI::Validator in_range(Number low, Number high) {
  return CLI::Validator(
      [=](std::string& text) {
        Number value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc::invalid_argument || end != text.data() + text.size())
          return fmt::format("{} is no {}number", text.empty() ? "an empty text" : text, std::is_integral_v<Number> ? "whole " : "");
        if (error != std::errc() || !(value >= low && value <= high)) return fmt::format("{} is not in [{}, {}]", text, low, high);
        return std::string();
      },
      "");
}
CLI::Validator whole(std::int64_t low, std::int64_t high) { return in_range(low, high); }
CLI::Validator real(double low, double high) { return in_range(low, high); }

/// Whole numbers with commas between them. Says what is wrong, or nothing.
std::string read_sizes(const std::string& text, std::vector<int>& sizes) {
  sizes.clear();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    if (std::string wrong = whole(1, 65536)(part); !wrong.empty()) return wrong;
    sizes.push_back(std::stoi(part));
    at = comma + 1;
  }
  return {};
}

}  // namespace

std::vector<chosen_run> options::runs() const {
  std::vector<chosen_run> result;
  for (int number = 0; number <= 3; ++number) {
    if (level != "all" && level != "O" + std::to_string(number)) continue;
    if (number == 0) {
      result.push_back({0, "f32"});
    } else {
      for (const char* name : {"f16", "bf16"})
        if (format == "all" || format == name) result.push_back({number, name});
    }
  }
  return result;
}

std::string options::identity(const chosen_run& run) const {
  return fmt::format(
      "{} {}, hidden {}, batch {}, accumulate {}, lr {}, clip {}, weight decay {}, label smoothing {}, growth interval {}, "
      "init scale {}, seed {}",
      model, run.name(), fmt::join(hidden, ","), batch, accumulate, lr, clip, weight_decay, label_smoothing, growth_interval,
      init_scale, seed);
}

options parse_options(int argc, char** argv) {
  options o;
  CLI::App app("Trains a classifier of 1,797 handwritten digits in mixed precision and prints how it went.", "train_digits");
  app.get_formatter()->column_width(42);
  app.option_defaults()->always_capture_default();
  app.add_option("--model", o.model, "a multilayer perceptron, a convolutional net with batch norm, or a transformer over the rows")
      ->check(CLI::IsMember({"mlp", "cnn", "transformer"}))->type_name("MODEL");
  app.add_option("--level", o.level, "opt level: O0 is float, O1 casts op by op, O2 keeps float masters, O3 is all 16 bit")
      ->check(CLI::IsMember({"O0", "O1", "O2", "O3", "all"}))->type_name("LEVEL");
  app.add_option("--format", o.format, "the 16-bit format of O1, O2 and O3")->check(CLI::IsMember({"f16", "bf16", "all"}))->type_name("FORMAT");
  std::string hidden = fmt::format("{}", fmt::join(o.hidden, ","));
  auto* sizes = app.add_option("--hidden", hidden, "sizes of the hidden layers; of a cnn its channels, 16,32 unless said; of a transformer the width of each block, 64,64")->type_name("N,N,..")
      ->check([&](const std::string& text) { return read_sizes(text, o.hidden); }, "");
  app.add_option("--epochs", o.epochs, "how many in total, also after --resume")->check(whole(1, 1000000))->type_name("N");
  app.add_option("--batch", o.batch, "samples in a batch")->check(whole(1, 1000000))->type_name("N");
  app.add_option("--accumulate", o.accumulate, "batches whose gradients make one step")->check(whole(1, 1000000))->type_name("N");
  app.add_option("--lr", o.lr, "learning rate")->check(real(0, 1e30))->type_name("X");
  app.add_option("--clip", o.clip, "largest norm of the gradients, 0 for no clipping")->check(real(0, 1e30))->type_name("X");
  app.add_option("--weight-decay", o.weight_decay, "AdamW's decay")->check(real(0, 1e3))->type_name("X");
  app.add_option("--label-smoothing", o.label_smoothing, "share of a target that is spread over all classes")->check(real(0, 1))->type_name("X");
  app.add_option("--growth-interval", o.growth_interval, "clean steps until the scale doubles")->check(whole(1, 1000000000))->type_name("N");
  app.add_option("--init-scale", o.init_scale, "first loss scale")->check(real(0x1p-126, 0x1p126))->type_name("X");
  app.add_option("--seed", o.seed, "of weights and order of samples")->check(in_range<std::uint64_t>(0, UINT64_MAX))->type_name("N");
  app.add_option("--device", o.device, has_cuda ? "host or cuda" : "host; this program was built without CUDA")
      ->check(has_cuda ? CLI::IsMember({"host", "cuda"}) : CLI::IsMember({"host"}))->type_name("DEVICE");
  app.add_option("--threads", o.threads, "of the host; changes no number")->check(whole(1, 1024))->type_name("N");
  app.add_option("--save", o.save, "write the state here at the end of each epoch")->type_name("FILE");
  app.add_option("--save-every", o.save_every, "and after every N steps, 0 for not")->check(whole(0, 1000000000))->type_name("N");
  app.add_option("--resume", o.resume, "go on from a saved state")->type_name("FILE");
  app.add_option("--report", o.report, "write CSV files and, with gnuplot, an SVG into this folder")->type_name("DIR");
  app.add_option("--data", o.data, "the digits, as CSV")->type_name("FILE");
  app.add_flag("--describe", o.describe, "print which formats each layer uses, and train nothing");
  try {
    app.parse(argc, argv);
    if (sizes->count() == 0 && o.model == "cnn") o.hidden = {16, 32};
    if (sizes->count() == 0 && o.model == "transformer") o.hidden = {64, 64};
    if (o.model == "transformer" && (o.hidden.front() % 4 != 0 || std::any_of(o.hidden.begin(), o.hidden.end(), [&](int width) { return width != o.hidden.front(); })))
      throw CLI::ValidationError("--hidden", "all blocks of a transformer have one width, a multiple of its 4 heads");
    if (o.runs().size() != 1 && (!o.save.empty() || !o.resume.empty()))
      throw CLI::ValidationError("--save and --resume", "a file holds one run; choose one --level and one --format");
    if (o.save_every && o.save.empty()) throw CLI::ValidationError("--save-every", "there is no --save FILE to write");
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) std::exit(app.exit(e));  // --help
    fmt::print(stderr, "train_digits: {}\n", e.what());
    std::exit(2);
  }
  return o;
}
