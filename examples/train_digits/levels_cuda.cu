// Every level on a CUDA device. Built by nvcc where there is one; the tests build it for the emulated device.
#include "levels.hpp"

#include "train.hpp"

#include <amphora/cuda.cuh>

history train_level_on_cuda(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::cuda_context context;
  return train_on(context, o, run, data, start);
}
