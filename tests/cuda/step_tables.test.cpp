#include "step_model.hpp"

#include <amphora/cuda/step_tables.cuh>
#include <amphora/optimizer/sgd.hpp>

#include <string>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

template <class F> std::string slug(F f) {
  try {
    f();
  } catch (const amp::error& e) {
    return e.rule();
  }
  return "";
}

/// Two sets of gradients for the same three parameters.
struct two_sets {
  amp::cuda_context& context;
  check::model<amp::cuda_context> a, b;
  amp::mixed_optimizer<amp::sgd, amp::cuda_context> optimizer;

  explicit two_sets(amp::cuda_context& its_context)
      : context(its_context), a(context, layouts(), 1, 0), b(context, layouts(), 1, 0), optimizer(context, amp::sgd{0.5f}, a.parameters(true)) {
    a.set_gradients(check::fill::plain, 1), b.set_gradients(check::fill::plain, 2);
  }
  static std::vector<check::layout> layouts() { return {{5000, amp::format_id::f16, amp::format_id::f16}, {3, amp::format_id::f32, amp::format_id::f16}, {100, amp::format_id::bf16, amp::format_id::none}}; }
  static std::vector<amp::gradient_view> gradients(check::model<amp::cuda_context>& m) {
    std::vector<amp::gradient_view> result;
    for (const auto& p : m.parameters(true)) result.emplace_back(p.gradient, p.n);
    return result;
  }
  double norm_after_step(check::model<amp::cuda_context>& m) {
    static_cast<void>(optimizer.step(context, amp::gradient_list(gradients(m))));
    return check::read(context, optimizer.norm());
  }
};

/// A graph of what work does.
template <class F> cudaGraphExec_t captured(amp::cuda_context& context, F work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  require_cuda(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  work();
  require_cuda(cudaStreamEndCapture(context.stream(), &graph), "cudaStreamEndCapture");
  require_cuda(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
  require_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return made;
}

}  // namespace

TEST_CASE("an optimizer's tables are sent when its list changes, and not otherwise") {
  amp::cuda_context context;
  two_sets both(context);
  const double a = both.norm_after_step(both.a), b = both.norm_after_step(both.b);
  CHECK(a != b);
  CHECK(both.norm_after_step(both.b) == b);
  CHECK(both.norm_after_step(both.a) == a);
#if defined(AMPHORA_EMULATED_CUDA)
  const auto launches = [&](check::model<amp::cuda_context>& m) {
    const std::int64_t before = emulated::launches;
    both.norm_after_step(m);
    return emulated::launches - before;
  };
  CHECK(launches(both.a) == 2);
  CHECK(launches(both.b) == 3);  // the pointers; the pieces stay
  CHECK(launches(both.b) == 2);
#endif
}
TEST_CASE("parameters at other addresses are stepped there") {
  amp::cuda_context context;
  two_sets both(context);
  both.norm_after_step(both.a);
  const auto a = both.a.bytes(), b = both.b.bytes();
  both.optimizer.set_parameters(both.b.parameters(true));
  both.norm_after_step(both.b);
  CHECK((both.a.bytes() == a));
  CHECK((both.b.bytes() != b));
}
TEST_CASE("a capture does not take a list that is not on the device yet, and keeps one that it has used") {
  amp::cuda_context context;
  two_sets both(context);
  const auto gradients_a = two_sets::gradients(both.a), gradients_b = two_sets::gradients(both.b);
  const double a = both.norm_after_step(both.a);
  std::string refused;
  const auto other_list = [&] { static_cast<void>(both.optimizer.step(context, amp::gradient_list(gradients_b))); };
  const cudaGraphExec_t graph = captured(context, [&] { refused = slug(other_list); });
  CHECK(refused == "capture");
  require_cuda(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
  CHECK(both.norm_after_step(both.a) == a);
  const cudaGraphExec_t step = captured(context, [&] { static_cast<void>(both.optimizer.step(context, amp::gradient_list(gradients_a))); });
  const double b = both.norm_after_step(both.b);
  CHECK(a != b);
  for (int replay = 0; replay < 2; ++replay) {
    require_cuda(cudaGraphLaunch(step, context.stream()), "cudaGraphLaunch");
    CHECK(check::read(context, both.optimizer.norm()) == a);
    CHECK(both.norm_after_step(both.b) == b);
  }
  CHECK(both.optimizer.wait_taken(context) == 7);
  require_cuda(cudaGraphExecDestroy(step), "cudaGraphExecDestroy");
}
TEST_CASE("an optimizer fits into the workspace that it asks for, and steps in it") {
  amp::cuda_context outer;
  const auto layouts = std::vector<check::layout>{{5000, amp::format_id::f16, amp::format_id::f16}, {1, amp::format_id::f32, amp::format_id::f16}};
  check::model<amp::cuda_context> m(outer, layouts, 1, 0);
  m.set_gradients(check::fill::plain, 1);
  const std::int64_t bytes = amp::mixed_optimizer<amp::sgd, amp::cuda_context>::workspace_bytes(m.parameters(false));
  amp::tensor<unsigned char, amp::cuda_context> memory(outer, {bytes});
  amp::cuda_context context(outer.stream(), nullptr, {memory.data(), static_cast<std::size_t>(bytes)});
  amp::mixed_optimizer<amp::sgd, amp::cuda_context> optimizer(context, amp::sgd{}, m.parameters(false));
  const auto outcome = optimizer.step(context, optimizer.gradients(), amp::clip_global_norm{1.0f});
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  CHECK(context.workspace_used() <= static_cast<std::size_t>(bytes));
}
