#include <amphora/host/map.hpp>

#include <amphora/host/reduce.hpp>
#include <amphora/ops/add.hpp>
#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("elementwise ops have the same bits on any number of threads and leave the memory around alone") {
  check::same_bits_on_any_threads([](amp::host_context& c) {
    return amp::add<amp::o0<>>(c, check::random<float>(c, {7, 2000, 5}, 1), check::random<float>(c, {2000, 1}, 2), 0.3);
  });
  amp::host_context c;
  for (const std::int64_t n : {0, 1, 63, 64, 65, 1023, 1025}) {
    check::tensor<amp::float16> guarded(c, {n + 2});
    const auto x = check::random<amp::float16>(c, {n + 1}, 1);
    guarded.data()[0] = guarded.data()[n + 1] = amp::float16(7.0f);
    amp::add<amp::policy<>>(c, amp::into(amp::view<amp::float16>(guarded.data() + 1, {n})), amp::view<const amp::float16>(x.data() + 1, {n}), amp::view<const amp::float16>(x.data(), {n}));
    CHECK(static_cast<float>(guarded.data()[0]) == 7);
    CHECK(static_cast<float>(guarded.data()[n + 1]) == 7);
    for (std::int64_t i = 0; i < n; ++i)
      CHECK(guarded.data()[i + 1].bits() == amp::float16(static_cast<float>(x.data()[i]) + static_cast<float>(x.data()[i + 1])).bits());
  }
}
