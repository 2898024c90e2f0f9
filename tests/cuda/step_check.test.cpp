#include "step_model.hpp"

#include <amphora/cuda/step_check.cuh>
#include <amphora/optimizer/sgd.hpp>

#include <cmath>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

const std::int64_t far = std::int64_t(1) << 32;

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

}  // namespace

TEST_CASE("B18 a chunk past 2^32 elements is checked where it lies") {
  amp::cuda_context context;
  std::vector<float> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 1000;
  values[17] = std::numeric_limits<float>::quiet_NaN();
  amp::tensor<float, amp::cuda_context> memory(context, {3000});
  amp::write(context, values, memory);
  const auto moved = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(memory.data()) - static_cast<std::uintptr_t>(far) * sizeof(float));
  const std::vector<amp::gradient_view> entries = {{{moved, amp::format_id::f32}, far + 3000}};
  amp::tensor<amp::gradient_view, amp::cuda_context> gradients(context, {1});
  amp::tensor<step_piece, amp::cuda_context> table(context, {1});
  const step_piece piece = {far, 0, 3000};
  amp::scale_kernels<amp::cuda_device>::write(context, entries.data(), gradients.data(), sizeof(amp::gradient_view));
  amp::scale_kernels<amp::cuda_device>::write(context, &piece, table.data(), sizeof piece);
  amp::tensor<double, amp::cuda_context> partial(context, {1});
  amp::tensor<amp::gradient_facts, amp::cuda_context> facts(context, {1});
  for (amp::on_overflow choice : {amp::on_overflow::skip, amp::on_overflow::zero}) {
    amp::gradient_facts start;
    start.choice = choice;
    amp::scale_kernels<amp::cuda_device>::write(context, &start, facts.data(), sizeof start);
    launch(context, "check", 1, check_threads, check_gradients_alone<>, given_pieces(step_pieces{gradients.data(), table.data(), 1}), partial.data(), facts.data());
    launch(context, "finish_check", 1, check_threads, finish_check<>, partial.data(), std::int64_t(1), facts.data());
    const amp::gradient_facts found = check::read(context, facts.data());
    CHECK(found.non_finite == 1);
    amp::gradient_facts expected = start;
    std::int64_t count = 0;
    const double sum = checked_squares<level_base>(amp::gradient_view({values.data(), amp::format_id::f32}, 3000), 0, 3000, expected, count);
    CHECK(same_bits(found.norm, std::sqrt(sum)));
  }
}
TEST_CASE("what the last block leaves lets the next launch count anew") {
  amp::cuda_context context;
  check::model<amp::cuda_context> m(context, check::mixed, 0, 0);
  std::vector<amp::gradient_view> gradients;
  for (const auto& p : m.parameters(false)) gradients.emplace_back(p.gradient, p.n);
  amp::mixed_optimizer<amp::plain_sgd, amp::cuda_context> optimizer(context, {amp::plain_sgd{}, amp::plain_sgd{}}, m.parameters(false));
  m.set_gradients(check::fill::infinite, 9);
  std::int64_t infinities = 0;
  for (int step = 0; step < 3; ++step) {
    const auto outcome = optimizer.step(context, amp::gradient_list(gradients));
    CHECK(outcome.wait_result(context) == amp::step_result::skipped);
    const std::int64_t found = optimizer.wait_facts(context).non_finite;
    CHECK(found > 0);
    CHECK((step == 0 || found == infinities));
    infinities = found;
  }
}
