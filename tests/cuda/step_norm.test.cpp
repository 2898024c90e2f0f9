#include "step_model.hpp"

#include <amphora/cuda/step_norm.cuh>

#include <cmath>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

bool equal_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

}  // namespace

TEST_CASE("one block adds the sums of any number of chunks in the host's order") {
  amp::cuda_context context;
  for (std::int64_t count : {0, 1, 127, 128, 129, 2047, 2048, 5000, 20001})
    for (double order : {1.0, std::numeric_limits<double>::infinity()}) {
      CAPTURE(count);
      std::mt19937 random(7);
      std::vector<double> partial(static_cast<std::size_t>(count));
      for (double& x : partial) x = static_cast<double>(random()) * (random() % 2 ? 1e-20 : 1.0);
      amp::tensor<double, amp::cuda_context> sums(context, {count}), result(context, {1});
      amp::tensor<amp::gradient_facts, amp::cuda_context> facts(context, {1});
      amp::write(context, partial, sums);
      const amp::gradient_facts start;
      amp::scale_kernels<amp::cuda_device>::write(context, &start, facts.data(), sizeof start);
      launch(context, "finish_norm", 1, check_threads, finish_norm<>, sums.data(), count, facts.data(), order, static_cast<const double*>(nullptr), result.data());
      CHECK(equal_bits(check::read(context, result.data()), fold_columns(partial.data(), count, !is_finite(order))));
    }
}
TEST_CASE("a norm of any order is the host's; the Euclidean one is read, not summed, where nothing was cut") {
  amp::cuda_context context;
  amp::host_context host(1);
  std::vector<float> values(10000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(static_cast<int>(i * 7919 % 2001) - 1000) / 100;
  amp::tensor<float, amp::cuda_context> memory(context, {10000});
  amp::tensor<double, amp::cuda_context> partial(context, {3}), result(context, {2});
  amp::tensor<amp::gradient_facts, amp::cuda_context> facts(context, {1});
  amp::write(context, values, memory);
  amp::gradient_facts f;
  f.norm = 77, f.coefficient = 0.5f, f.inverse = 0.25f;
  const amp::gradient_view on_host({values.data(), amp::format_id::f32}, 10000), on_device({memory.data(), amp::format_id::f32}, 10000);
  for (float limit : {0.0f, 0.75f})
    for (double order : {0.0, 1.0, 1.5, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
      CAPTURE(limit);
      CAPTURE(order);
      f.limit = limit;
      amp::scale_kernels<amp::cuda_device>::write(context, &f, facts.data(), sizeof f);
      launch_norm(context, given_pieces(on_device), partial.data(), facts.data(), order, result.data(), result.data() + 1);
      double sums[3], expected = 0;
      amp::step_kernels<amp::host_device>::norm(host, &on_host, 1, sums, &f, order, &expected);
      const double found = check::read(context, result.data());
      if (takes_unit(order)) CHECK(found == doctest::Approx(expected).epsilon(1e-12));  // CUDA's pow is not libm's
      else CHECK(equal_bits(found, expected));
      if (order == 2 && limit == 0) CHECK(found == 38.5);
    }
}
