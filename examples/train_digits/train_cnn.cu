// Built by nvcc where there is one; the tests build it for the emulated device.
#include <amphora/cuda_ops.cuh>

#include "cnn.hpp"
#include "train.hpp"

history train_cnn_on_cuda(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::cuda_context context;
  return train_on<cnn>(context, o, run, data, start);
}
