#include <amphora/ops/dropout.hpp>

#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>

#include <vector>

namespace amp = amphora;

namespace {
std::vector<bool> kept(test_context& context, std::int64_t n, const amp::dropout_settings& s) {
  const auto ones = check::filled<float>(context, {n}, 1);
  std::vector<bool> result;
  for (const float y : amp::wait_read(context, amp::dropout<amp::o0<>>(context, ones, s))) result.push_back(y != 0);
  return result;
}
}  // namespace

TEST_CASE("what is kept is scaled up, what is dropped is 0, and about the right share of it") {
  test_context context;
  constexpr int n = 100003;
  for (const double p : {0.1, 0.5, 0.9}) {
    const auto x = check::random<float>(context, {n}, 1);
    const auto given = amp::wait_read(context, x), y = amp::wait_read(context, amp::dropout<amp::o0<>>(context, x, {p, 42, 7}));
    int dropped = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (y[i] == 0) ++dropped;
      else CHECK(y[i] == given[i] * static_cast<float>(1 / (1 - p)));
    }
    CHECK(std::fabs(dropped - p * n) <= 5 * std::sqrt(n * p * (1 - p)));  // five standard deviations
  }
}

TEST_CASE("the mask is a function of seed, stream and place alone") {
  test_context context;
  const amp::dropout_settings s{0.5, 1, 2};
  const auto mask = kept(context, 50000, s);
  CHECK(mask != kept(context, 50000, {0.5, 2, 2}));
  CHECK(mask != kept(context, 50000, {0.5, 1, 3}));
  CHECK(mask != kept(context, 50000, {0.5, 1 + (std::uint64_t(1) << 32), 2}));  // all 64 bits count
  CHECK(mask != kept(context, 50000, {0.5, 1, 2 + (std::uint64_t(1) << 63)}));
  const auto start = kept(context, 1001, s);
  CHECK(std::equal(start.begin(), start.end(), mask.begin()));
  const auto x = check::random<amp::float16>(context, {5000}, 3);
  const auto given = amp::wait_read(context, x), y = amp::wait_read(context, amp::dropout<amp::o1<amp::f16>>(context, x, s));
  for (std::size_t i = 0; i < 5000; ++i) CHECK((static_cast<float>(y[i]) != 0) == (mask[i] && static_cast<float>(given[i]) != 0));
}

TEST_CASE("Philox gives its published numbers") {
  constexpr auto zeros = amp::detail::philox({{0, 0, 0, 0}}, 0);  // known answers of Random123
  static_assert(zeros.word[0] == 0x6627e8d5u && zeros.word[1] == 0xe169c58du && zeros.word[2] == 0xbc57ac4cu && zeros.word[3] == 0x9b00dbd8u);
  test_context context;
  const auto ones = check::filled<float>(context, {4}, 1);
  const auto y = amp::wait_read(context, amp::dropout<amp::o0<>>(context, ones, {0x70000000 / 4294967296.0, 0, 0}));  // 0x6627e8d5 is below, the others above
  CHECK(y[0] == 0);
  for (std::size_t i = 1; i < 4; ++i) CHECK(y[i] > 1);
}

TEST_CASE("the gradient goes through the same mask") {
  test_context context;
  const amp::dropout_settings s{0.25, 9, 4};
  const auto x = check::random<float>(context, {77, 13}, 1), g = check::random<float>(context, {77, 13}, 2);
  const auto forward = amp::dropout<amp::o0<>>(context, g, s), backward = amp::dropout_backward<amp::o0<>>(context, g, x, s);
  CHECK(amp::wait_read(context, forward) == amp::wait_read(context, backward));
}

TEST_CASE("probability 0 keeps all, 1 keeps nothing, and others are refused") {
  test_context context;
  const float infinity = std::numeric_limits<float>::infinity();
  const auto x = check::filled(context, {100}, infinity);
  const auto all = amp::dropout<amp::o0<>>(context, x, {0, 1, 1}), nothing = amp::dropout<amp::o0<>>(context, x, {1, 1, 1});
  CHECK(amp::wait_read(context, all) == std::vector<float>(100, infinity));
  CHECK(amp::wait_read(context, nothing) == std::vector<float>(100, 0));
  CHECK_THROWS_WITH_AS(amp::dropout<amp::o0<>>(context, x, {1.5, 1, 1}), doctest::Contains("probability = 1.5"), amp::error);
}
