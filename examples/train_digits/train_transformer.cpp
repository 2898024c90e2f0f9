#include <amphora/amphora.hpp>

#include "transformer.hpp"
#include "train.hpp"

history train_transformer(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  amp::host_context context(o.threads);
  return train_on<transformer>(context, o, run, data, start);
}
