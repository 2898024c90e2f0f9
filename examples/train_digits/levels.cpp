#include "levels.hpp"

#include "layers.hpp"
#include "train.hpp"

#include <amphora/amphora.hpp>
#include <amphora/policy/describe.hpp>

#include <iostream>

history train_level(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
#if defined(DIGITS_CUDA)
  if (o.device == "cuda") {
    if (o.model == "cnn") return train_cnn_on_cuda(o, run, data, start);
    if (o.model == "transformer") return train_transformer_on_cuda(o, run, data, start);
    return train_mlp_on_cuda(o, run, data, start);
  }
#endif
  if (o.model == "cnn") return train_cnn(o, run, data, start);
  if (o.model == "transformer") return train_transformer(o, run, data, start);
  return train_mlp(o, run, data, start);
}

void describe_level(const options& o, const chosen_run& run) {
  std::cout << run.name() << '\n';
  at_level(run, [&](auto level) {
    using namespace amp;
    using plan = digits_plan<decltype(level)>;
    using layer::head, layer::hidden;
    if (o.model == "cnn") describe<plan, on<hidden, op::conv2d>, on<hidden, op::batch_norm>, on<hidden, op::relu>, on<head, op::linear>, on<head, op::cross_entropy>>(std::cout);
    else if (o.model == "transformer")
      describe<plan, on<hidden, op::linear>, on<hidden, op::add>, on<hidden, op::layer_norm>, on<hidden, op::scaled_dot_product_attention>, on<hidden, op::gelu>,
               on<head, op::linear>, on<head, op::cross_entropy>>(std::cout);
    else describe<plan, on<hidden, op::linear>, on<hidden, op::relu>, on<head, op::linear>, on<head, op::cross_entropy>>(std::cout);
  });
  std::cout << std::endl;
}
