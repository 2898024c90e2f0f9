#include <amphora/amphora.hpp>

#include "cnn.hpp"
#include "train.hpp"

history train_cnn(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::host_context context(o.threads);
  return train_on<cnn>(context, o, run, data, start);
}
