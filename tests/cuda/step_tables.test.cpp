#include "step_model.hpp"

#include <amphora/cuda/step_tables.cuh>
#include <amphora/optimizer/sgd.hpp>
#include <amphora/optimizer/unscale.hpp>

#include <string>

namespace amp = amphora;
using namespace amphora::detail;

namespace step_user {

template <class Build = this_build> AMPHORA_KERNEL void note_piece(const given_pieces list, std::int64_t k, step_piece* to) { *to = list.piece(k); }

}  // namespace step_user

namespace {

const std::int64_t past_32_bits = std::int64_t(1) << 32;
const void* somewhere() { return reinterpret_cast<const void*>(std::uintptr_t(1) << 40); }
amp::gradient_view entry(const void* data, std::int64_t n, amp::format_id format = amp::format_id::f16) { return {{data, format}, n}; }

template <class F> std::string slug(F f) {
  try {
    f();
  } catch (const amp::error& e) {
    return e.rule();
  }
  return "";
}
bool is(const step_piece& p, std::int64_t from, int tensor, int n) { return p.from == from && p.tensor == tensor && p.n == n; }

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

TEST_CASE("B18 2^32 + 1 elements are 1048577 chunks, and the last one begins where it should") {
  amp::cuda_context context;
  const std::vector<amp::gradient_view> entries = {entry(somewhere(), past_32_bits + 1), entry(nullptr, 7), entry(somewhere(), 0), entry(somewhere(), 4097)};
  gradient_table table(context, 4, 1048579);
  table.send(context, entries.data());
  const step_pieces list = table.pieces();
  CHECK(list.chunks == 1048579);
  CHECK(is(check::read(context, list.table), 0, 0, 4096));
  CHECK(is(check::read(context, list.table + 1048575), past_32_bits - 4096, 0, 4096));
  CHECK(is(check::read(context, list.table + 1048576), past_32_bits, 0, 1));
  CHECK(is(check::read(context, list.table + 1048577), 0, 3, 4096));
  CHECK(is(check::read(context, list.table + 1048578), 4096, 3, 1));
}
TEST_CASE("B18 one gradient needs no table, however large it is") {
  amp::cuda_context context;
  gradient_tables tables;
  const amp::gradient_view large = entry(somewhere(), 3 * past_32_bits + 5);
  const given_pieces list = tables.find(context, &large, 1, "test");
  CHECK(list.table == nullptr);
  CHECK(list.chunks == 3145729);
  amp::tensor<step_piece, amp::cuda_context> piece(context, {1});
  for (std::int64_t k : {std::int64_t(0), past_32_bits / 4096, 3 * past_32_bits / 4096}) {
    launch(context, "note_piece", 1, 1, step_user::note_piece<>, list, k, piece.data());
    CHECK(is(check::read(context, piece.data()), k * 4096, 0, k == 3 * past_32_bits / 4096 ? 5 : 4096));
  }
}
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
TEST_CASE("lists outside an optimizer are found again by their contents; those of a capture stay") {
  amp::cuda_context context;
  std::vector<std::vector<amp::gradient_view>> lists;
  for (int k = 0; k < 12; ++k) lists.push_back({entry(somewhere(), 5000 + k), entry(nullptr, 1), entry(somewhere(), k + 1, amp::format_id::f32)});
  gradient_tables tables;
  const auto find = [&](int k) { return tables.find(context, lists[static_cast<std::size_t>(k)].data(), 3, "test"); };
  const auto table = find(0).table;
  cudaGraph_t graph = nullptr;
  require_cuda(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  CHECK(find(0).table == table);
  const std::string refused = slug([&] { find(1); });
  CHECK(refused == "capture");
  require_cuda(cudaStreamEndCapture(context.stream(), &graph), "cudaStreamEndCapture");
  require_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  for (int k = 1; k < 12; ++k) CHECK(is(check::read(context, find(k).table + 2), 0, 2, k + 1));
  CHECK(find(0).table == table);
  CHECK(is(check::read(context, table + 2), 0, 2, 1));
#if defined(AMPHORA_EMULATED_CUDA)
  const std::int64_t before = emulated::launches;
  find(11), find(5);
  CHECK(emulated::launches == before);
#endif
  const auto allocations = context.allocations();
  for (int k = 1; k < 12; ++k) CHECK(is(check::read(context, find(k).table + 2), 0, 2, k + 1));
  CHECK(context.allocations() == allocations);
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
