#include "step_model.hpp"

#include <amphora/cuda/step_update.cuh>
#include <amphora/optimizer/adamw.hpp>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

using context_type = amp::cuda_context;
using kernels = amp::scale_kernels<amp::cuda_device>;
template <class T> T* moved_back(T* p, std::int64_t elements) { return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) - static_cast<std::uintptr_t>(elements) * sizeof(T)); }

constexpr std::int64_t size = 1003;

/// One update of 1003 weights that begin at element `from` of a tensor: weights, state, bf16 weights and rounded ones.
struct far_update {
  std::vector<float> weights, state;
  std::vector<amp::bfloat16> model, stochastic;

  far_update(std::int64_t from, std::int64_t stride_past, bool flush = false) {
    context_type context;
    const amp::adamw rule{0.1f};
    amp::tensor<float, context_type> w(context, {size}), s(context, {2 * (size + stride_past)});
    amp::tensor<amp::bfloat16, context_type> low(context, {size}), rounded(context, {size}), g(context, {size});
    std::vector<float> ones(size), zeros(static_cast<std::size_t>(s.size()));
    std::vector<amp::bfloat16> gradients(size);
    for (std::size_t i = 0; i < size; ++i) ones[i] = static_cast<float>(i % 7), gradients[i] = amp::convert<amp::bf16>(static_cast<float>(i) / 256 - 2);
    ones[3] = 1e-40f, gradients[3] = amp::bfloat16::from_bits(0);
    amp::write(context, ones, w), amp::write(context, zeros, s), amp::write(context, gradients, g);
    const std::vector<amp::parameter_view> parameters = {{w.data(), low.data(), g.data(), s.data(), size}};
    optimizer_memory<amp::adamw, context_type> memory(context, parameters, 1);
    step_memory<amp::adamw> tables = memory.tables();
    const auto send = [&](auto* to, const auto& value) { kernels::write(context, &value, to, sizeof value); };
    send(tables.facts, amp::gradient_facts()), kernels::write(context, &rule, memory.rules.data(), sizeof rule), send(tables.nows, rule.at(0.1f, 1)), send(tables.steps, std::int64_t(1));
    step_tensor tensor = {};
    tensor.master = moved_back(w.data(), from), tensor.targets[0] = amp::model_pointer(moved_back(low.data(), from), amp::format_id::bf16);
    tensor.state = moved_back(s.data(), from), tensor.stride = size + stride_past, tensor.n = from + size;
    amp::tensor<step_tensor, context_type> tensors(context, {1});
    amp::tensor<amp::gradient_view, context_type> entries(context, {1});
    amp::tensor<step_piece, context_type> pieces(context, {1});
    send(tensors.data(), tensor), send(entries.data(), amp::gradient_view({moved_back(g.data(), from), amp::format_id::bf16}, from + size));
    send(pieces.data(), step_piece{from, 0, size});
    const step_update work = {{entries.data(), pieces.data(), 1}, tensors.data(), 42, flush};
    send(tables.record, amp::step_record{amp::step_result::skipped, 1, 0});
    launch(context, "update", 3, update_threads, update_pieces<amp::adamw>, work, tables);
    CHECK(amp::wait_read(context, w) == ones);
    send(tables.record, amp::step_record{amp::step_result::stepped, 0, 0});
    launch(context, "update", 3, update_threads, update_pieces<amp::adamw>, work, tables);
    weights = amp::wait_read(context, w), state = amp::wait_read(context, s), model = amp::wait_read(context, low);
    state.resize(size);
    tensor.master = nullptr, tensor.stochastic = true, tensor.targets[0] = amp::model_pointer(moved_back(rounded.data(), from), amp::format_id::bf16);
    send(tensors.data(), tensor), amp::write(context, model, rounded);
    launch(context, "update", 1, update_threads, update_pieces<amp::adamw>, work, tables);
    stochastic = amp::wait_read(context, rounded);
  }
};

bool equal(const std::vector<amp::bfloat16>& a, const std::vector<amp::bfloat16>& b) { return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 2) == 0; }

}  // namespace

TEST_CASE("B18 a chunk past 2^32 elements is updated where it lies, as any other") {
  const far_update near(0, 0), far(std::int64_t(1) << 32, 0), farther((std::int64_t(5) << 32) + 4096, 1);
  CHECK(near.weights[0] != 0);
  CHECK(near.weights == far.weights);
  CHECK(near.weights == farther.weights);
  CHECK(near.state == far.state);
  CHECK(near.state == farther.state);
  CHECK(equal(near.model, far.model));
  CHECK(equal(near.model, farther.model));
  CHECK(!equal(near.stochastic, far.stochastic));  // element 2^32 has random bits of its own
  CHECK(!equal(far.stochastic, farther.stochastic));
}
TEST_CASE("the random bits of an element past 2^32 are those of its number") {
  const std::int64_t from = std::int64_t(3) << 32;
  const far_update far(from, 0);
  const amp::adamw rule{0.1f};
  const amp::stochastic_rounding random{42, 0, 1};
  std::size_t different = 0;
  for (std::size_t i = 0; i < size; ++i) {
    // The second update of the test starts from the first one's state and rounded weights.
    amp::real w = amp::convert<amp::f32>(far.model[i]), first[2] = {0.0f, 0.0f}, before = static_cast<float>(i % 7);
    const amp::real g = i == 3 ? 0.0f : amp::convert<amp::f32>(amp::convert<amp::bf16>(static_cast<float>(i) / 256 - 2));
    const auto now = rule.at(0.1f, 1);
    rule(g, before, first, now), rule(g, w, first, now);
    different += random(bit_cast<std::uint32_t>(w.x), from + static_cast<std::int64_t>(i)).bits() != far.stochastic[i].bits();
  }
  CHECK(different == 0);
}
TEST_CASE("subnormal weights are read as 0 where the optimizer is told to flush them") {
  const far_update kept(0, 0, false), flushed(0, 0, true);
  CHECK(kept.weights[3] != 0);
  CHECK(flushed.weights[3] == 0);
  CHECK(kept.weights[4] == flushed.weights[4]);
}
