#include <amphora/amphora.hpp>

#include "mlp.hpp"
#include "train.hpp"

history train_mlp(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::host_context context(o.threads);
  return train_on<mlp>(context, o, run, data, start);
}
