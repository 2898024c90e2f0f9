#include "step_model.hpp"

#include <amphora/cuda/gradient_table.cuh>
#include <amphora/cuda/gradient_tables.cuh>

namespace amp = amphora;
using namespace amphora::detail;

namespace step_user {

template <class Build = this_build> AMPHORA_KERNEL void note_piece(const given_pieces list, std::int64_t k, step_piece* to) { *to = list.piece(k); }

}  // namespace step_user

namespace {

const std::int64_t past_32_bits = std::int64_t(1) << 32;
const void* somewhere() { return reinterpret_cast<const void*>(std::uintptr_t(1) << 40); }
amp::gradient_view entry(const void* data, std::int64_t n, amp::format_id format = amp::format_id::f16) { return {{data, format}, n}; }

bool is(const step_piece& p, std::int64_t from, int tensor, int n) { return p.from == from && p.tensor == tensor && p.n == n; }

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
  CHECK_THROWS_WITH_AS(find(1), doctest::Contains("amphora [capture]: test: this list of gradients is a new one"), amp::error);
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
