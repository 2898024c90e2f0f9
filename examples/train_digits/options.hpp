// What the command line can ask for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// One training run's place in the table of levels.
struct chosen_run {
  int level;           ///< 0 to 3
  std::string format;  ///< f32, f16 or bf16
  std::string name() const { return "O" + std::to_string(level) + " " + format; }
};

struct options {
  std::string model = "mlp";    ///< or cnn, transformer
  std::string level = "O1", format = "f16";
  std::string device = "host";  ///< or cuda
  std::vector<int> hidden = {256, 128};  ///< of a cnn the channels of each convolution, of a transformer the width of each block
  int epochs = 30;      ///< in total, also after a resume
  int batch = 32;
  int accumulate = 1;   ///< batches a step
  float lr = 3e-3f;
  float clip = 1;       ///< largest norm of the gradients; 0 for no clipping
  float weight_decay = 0.01f;
  float label_smoothing = 0.1f;
  int growth_interval = 200;
  float init_scale = 65536;
  std::uint64_t seed = 1;
  int threads = 1;
  std::string save, resume, report, data = DIGITS_CSV;
  int save_every = 0;   ///< steps; 0 for the ends of epochs only
  bool describe = false;

  /// The runs that --level and --format name: O0 knows one format, the others two.
  std::vector<chosen_run> runs() const;
  /// All that a run's numbers depend on, in words: what a saved file must agree with to be resumed.
  std::string identity(const chosen_run& run) const;
};

/// Reads the command line. Ends the program with status 0 for --help and with one line and status 2 for what makes no sense.
options parse_options(int argc, char** argv);
