#include <amphora/host/dropout.hpp>

#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("dropout has the same bits on any number of threads") {
  check::same_bits_on_any_threads([](amp::host_context& c) { return amp::dropout<amp::o0<>>(c, check::random<amp::bfloat16>(c, {20001}, 1), {0.3, 5, 6}); });
}
