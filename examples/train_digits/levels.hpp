// The closed list of levels and formats, and what can be done with one of them that is named when the program runs.
#pragma once
#include "data.hpp"
#include "history.hpp"
#include "options.hpp"

#include <chrono>

using steady = std::chrono::steady_clock;

/// Trains under the run's level on the device that the options name.
///
/// start   of the program, for the time to the first step
/// Errors  amphora::error, std::runtime_error: the loss is not finite, or a file cannot be read or written
history train_level(const options& o, const chosen_run& run, const digits& data, steady::time_point start);

/// The same on a CUDA device, in programs that are built with it (DIGITS_CUDA).
history train_level_on_cuda(const options& o, const chosen_run& run, const digits& data, steady::time_point start);

/// Prints which formats each layer uses.
void describe_level(const chosen_run& run);
