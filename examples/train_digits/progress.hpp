// A bar that moves on a terminal; a line now and then where the output is a file or a pipe.
#pragma once
#include "options.hpp"

#include <chrono>
#include <cstdint>

struct status {
  int epoch = 0;                ///< of those that are complete
  double part = 0;              ///< of the running epoch, 0 to 1
  double loss = 0, accuracy = 0, scale = 1;
  std::int64_t skipped = 0;
  double samples_per_second = 0;
};

class progress {
 public:
  progress(const chosen_run& run, int epochs);
  ~progress();
  /// Redraws the bar, at most 20 times a second.
  void step(const status& now);
  void epoch(const status& now);

 private:
  void draw(const status& now);
  using clock = std::chrono::steady_clock;
  chosen_run run_;
  int epochs_;
  bool terminal_;
  bool drawn_ = false;
  clock::time_point last_{};
};
