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

/// One of the models on the host, or on a CUDA device in programs that are built with it (DIGITS_CUDA). Each is compiled by itself.
using train_function = history(const options&, const chosen_run&, const digits&, steady::time_point);
train_function train_mlp, train_cnn, train_transformer, train_mlp_on_cuda, train_cnn_on_cuda, train_transformer_on_cuda;

/// Prints which formats each layer of the model uses.
void describe_level(const options& o, const chosen_run& run);
