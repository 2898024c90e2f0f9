#include <amphora/host/cross_entropy.hpp>

#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("cross entropy and its gradient have the same bits on any number of threads") {
  const auto targets = [](amp::host_context& c) {
    check::tensor<std::int32_t> t(c, {700});
    for (int i = 0; i < 700; ++i) t.data()[i] = i % 37;
    return t;
  };
  check::same_bits_on_any_threads([&](amp::host_context& c) { return amp::cross_entropy<amp::o0<>>(c, check::random<float>(c, {700, 37}, 1), targets(c), {-100, 0.1}); });
  check::same_bits_on_any_threads([&](amp::host_context& c) {
    return amp::cross_entropy_backward<amp::o0<>>(c, check::random<float>(c, {}, 2), check::random<float>(c, {700, 37}, 1), targets(c), {5, 0.1});
  });
}
