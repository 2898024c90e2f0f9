// Built by nvcc where there is one; the tests build it for the emulated device.
#include <amphora/cuda_ops.cuh>

#include "mlp.hpp"
#include "train.hpp"

history train_mlp_on_cuda(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::cuda_context context;
  return train_on<mlp>(context, o, run, data, start);
}
