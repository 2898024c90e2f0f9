#include "levels.hpp"

#include "train.hpp"

#include <amphora/policy/describe.hpp>

#include <fmt/format.h>

#include <iostream>

namespace {

/// f(level) for the level that the run names.
template <class F>
auto at_level(const chosen_run& run, F f) {
  return amp::dispatch<amp::o0<>, amp::o1<amp::f16>, amp::o1<amp::bf16>, amp::o2<amp::f16>, amp::o2<amp::bf16>, amp::o3<amp::f16>, amp::o3<amp::bf16>>(
      run.name().c_str(), f);
}

}  // namespace

history train_level(const options& o, const chosen_run& run, const digits& data, steady::time_point start) {
  return at_level(run, [&](auto level) { return trainer<decltype(level)>(o, run, data).run(start); });
}

void describe_level(const chosen_run& run) {
  std::cout << run.name() << '\n';
  at_level(run, [](auto level) {
    using namespace amp;
    describe<digits_plan<decltype(level)>, on<layer::hidden, op::linear>, on<layer::hidden, op::relu>, on<layer::head, op::linear>, on<layer::head, op::cross_entropy>>(std::cout);
  });
  std::cout << std::endl;
}
