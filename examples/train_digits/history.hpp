// What a run leaves behind: a row for each step and epoch, and the line of the final table.
#pragma once
#include "options.hpp"

#include <cstdint>
#include <vector>

struct step_row {
  std::int64_t step;
  int epoch;
  double loss;   ///< mean over the step's samples
  double scale;  ///< that the step's gradients carried
  bool skipped;
};

struct epoch_row {
  int epoch;
  std::int64_t step;
  double loss;      ///< mean over the epoch's samples
  double accuracy;  ///< on the test set, in percent
};

struct history {
  chosen_run run;
  std::vector<step_row> steps;
  std::vector<epoch_row> epochs;
  double scale = 1;
  std::int64_t skipped = 0;
  std::int64_t bytes = 0;        ///< of weights, gradients and optimizer
  double samples_per_second = 0; ///< in training; the median of the epochs
  double first_step = 0;         ///< seconds from the program's start to the end of the first step
};
