#include <amphora/ops/gather.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::gather<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::bfloat16>>(), 0, std::declval<golden::tensor<int>>())), golden::tensor<amp::bfloat16>>, "stays what it is");
static_assert(std::is_same_v<decltype(amp::scatter_add<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 0, std::declval<golden::tensor<int>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");

TEST_CASE("gather agrees with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("transparent_indexing.json", {"gather"})) {
    const int axis = c.option("dim");
    const auto index = c.input("index").to_index(context);
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      const auto x = c.input("input").template to<typename setting::input>(context);
      const auto y = amp::gather<typename setting::policy>(context, x, axis, index);
      golden::compare(context, c.name(), y, c.output(), 0, 0, 0);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      golden::compare_sum(context, c, "input", amp::gather_backward<typename setting::policy>(context, g, x, axis, index), setting::roundoff, 8);
      ++run;
    });
  }
  CHECK(run == 28);
}

TEST_CASE("scatter_add agrees with the reference in every format") {
  test_context context;
  int run = 0, gradients = 0;
  for (const auto& c : golden::cases("widening.json", {"scatter_add"})) {
    const int axis = c.option("dim");
    const auto index = c.input("index").to_index(context);
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      using policy = typename setting::policy;
      const auto x = c.input("input").template to<typename setting::input>(context);
      const auto source = c.input("src").template to<typename setting::input>(context);
      const auto y = amp::scatter_add<policy>(context, x, axis, index, source);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, 8 * (1 + c.input("src").largest() + c.input("input").largest()), 8);
      ++run;
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto [gx, gs] = amp::scatter_add_backward<policy>(context, g, x, axis, index, source);
      golden::compare(context, c.name() + " input", gx, c.gradient("input"), 0, 0, 0);
      golden::compare(context, c.name() + " src", gs, c.gradient("src"), 0, 0, 0);
      ++gradients;
    });
  }
  CHECK(run == 32);
  CHECK(gradients == 24);
}

TEST_CASE("scatter_add adds in double in the order of the indices and rounds once; what no index stands beside has gradient 0") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  constexpr std::int64_t n = 1000;
  std::vector<std::int32_t> where;
  for (std::int64_t i = 0; i < n; ++i) where.push_back(static_cast<std::int32_t>(i * i % 3));
  const auto index = check::given<std::int32_t>(context, {n}, where);
  const auto x = check::random<amp::float16>(context, {4}, 1), source = check::random<amp::float16>(context, {n + 8}, 2);
  const auto y = amp::wait_read(context, amp::scatter_add<policy>(context, x, 0, index, source));
  const auto before = amp::wait_read(context, x), terms = amp::wait_read(context, source);
  std::vector<double> want(4);
  for (std::size_t i = 0; i < n; ++i) want[static_cast<std::size_t>(where[i])] += static_cast<double>(terms[i]);
  for (std::size_t i = 0; i < 4; ++i) CHECK(static_cast<float>(y[i]) == static_cast<float>(amp::convert<amp::f16>(static_cast<float>(want[i]) + static_cast<float>(before[i]))));
  const auto g = check::given<float>(context, {4}, {1, 2, 3, 4});
  auto gs = check::filled<float>(context, {n + 8}, 10.0f), fresh = check::filled<float>(context, {n + 8}, 10.0f);
  amp::scatter_add_backward<policy>(context, g, x, 0, index, source, amp::no_gradient{}, amp::add_to(gs));
  amp::scatter_add_backward<policy>(context, g, x, 0, index, source, amp::no_gradient{}, amp::into(fresh));
  const auto added = amp::wait_read(context, gs), written = amp::wait_read(context, fresh);
  int wrong = 0;
  for (std::size_t i = 0; i < n + 8; ++i) {
    const float slope = i < n ? static_cast<float>(where[i] + 1) : 0;
    wrong += added[i] != 10 + slope, wrong += written[i] != slope;
  }
  CHECK(wrong == 0);
}

TEST_CASE("gather and its gradient have the bits of a plain loop, in long lines and on any axis") {
  using policy = amp::o0<>;
  test_context context;
  const amp::shape s{3, 40, 5};
  const auto x = check::random<float>(context, s, 1);
  std::vector<std::int64_t> where;
  for (std::int64_t i = 0; i < 3 * 200 * 4; ++i) where.push_back(i * 31 % 40);
  const auto index = check::given<std::int64_t>(context, {3, 200, 4}, where);
  const auto y = amp::gather<policy>(context, x, 1, index);
  const auto from = amp::wait_read(context, x), to = amp::wait_read(context, y);
  auto sums = amp::wait_read(context, check::filled<double>(context, s, 0.0));
  int wrong = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<std::size_t>((i / 800 * 40 + where[static_cast<std::size_t>(i)]) * 5 + i % 4);
    wrong += to[static_cast<std::size_t>(i)] != from[at], sums[at] += static_cast<double>(to[static_cast<std::size_t>(i)]);
  }
  CHECK(wrong == 0);
  const auto gx = amp::wait_read(context, amp::gather_backward<policy>(context, y, x, 1, index));
  for (std::size_t i = 0; i < sums.size(); ++i) wrong += gx[i] != static_cast<float>(sums[i]);  // 24-bit numbers of one size: exact in double
  CHECK(wrong == 0);
}

TEST_CASE("an index outside is an error on the host; on CUDA what it would have read is NaN, and what it would have added to the nearest place") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto x = check::random<float>(context, {3}, 1), source = check::filled<float>(context, {2}, 1.0f);
  const auto bad = check::given<std::int64_t>(context, {2}, {1, 3});
  auto y = check::filled<float>(context, {3}, 7.0f), taken = check::filled<float>(context, {2}, 7.0f);
  if constexpr (tests_cuda) {
    amp::scatter_add<policy>(context, amp::into(y), x, 0, bad, source), amp::gather<policy>(context, amp::into(taken), x, 0, bad);
    const auto sums = amp::wait_read(context, y), from = amp::wait_read(context, x), read = amp::wait_read(context, taken);
    CHECK(sums[0] == from[0]);
    CHECK(sums[1] == from[1] + 1);
    CHECK(std::isnan(sums[2]));
    CHECK(read[0] == from[1]);
    CHECK(std::isnan(read[1]));
  } else {
    CHECK_THROWS_WITH_AS(amp::scatter_add<policy>(context, amp::into(y), x, 0, bad, source), doctest::Contains("amphora [index]: scatter_add has the index 3 at place 1, which is not within [0, 3)"), amp::error);
    CHECK_THROWS_WITH_AS(amp::gather<policy>(context, amp::into(taken), x, 0, bad), doctest::Contains("gather has the index 3"), amp::error);
    CHECK(check::equal_bits(context, y, check::filled<float>(context, {3}, 7.0f)));
  }
  const auto wide = check::random<float>(context, {3, 2}, 1);
  CHECK_THROWS_WITH_AS(amp::gather<policy>(context, wide, 0, bad), doctest::Contains("gather has indices of shape [2] for [3, 2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::gather<policy>(context, wide, 1, check::given<std::int64_t>(context, {4, 1}, {0, 0, 0, 0})), doctest::Contains("which reach past [3, 2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::gather<policy>(context, check::random<float>(context, {0}, 1), 0, bad), doctest::Contains("2 indices into an axis of nothing"), amp::error);
}
