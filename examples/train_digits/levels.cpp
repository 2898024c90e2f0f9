#include "levels.hpp"

#include "train.hpp"

#include <amphora/amphora.hpp>
#include <amphora/policy/describe.hpp>

#include <iostream>

history train_level(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
#if defined(DIGITS_CUDA)
  if (o.device == "cuda") return train_level_on_cuda(o, run, data, start);
#endif
  amp::host_context context(o.threads);
  return train_on(context, o, run, data, start);
}

void describe_level(const chosen_run& run) {
  std::cout << run.name() << '\n';
  at_level(run, [](auto level) {
    using namespace amp;
    describe<digits_plan<decltype(level)>, on<layer::hidden, op::linear>, on<layer::hidden, op::relu>, on<layer::head, op::linear>, on<layer::head, op::cross_entropy>>(std::cout);
  });
  std::cout << std::endl;
}
