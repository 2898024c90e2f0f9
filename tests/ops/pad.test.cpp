#include <amphora/ops/pad.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::pad<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::bfloat16>>(), {1, 1})), golden::tensor<amp::bfloat16>>, "stays what it is");

namespace {

amp::pad_settings settings_of(const golden::test_case& c) {
  amp::pad_settings result{};
  for (std::int64_t each : c.option("pad")) result.amount[result.count++] = each;
  const std::string mode = c.option("mode");
  result.mode = mode == "reflect" ? amp::pad_mode::reflect : mode == "replicate" ? amp::pad_mode::replicate : mode == "circular" ? amp::pad_mode::circular : amp::pad_mode::constant;
  if (result.mode == amp::pad_mode::constant) result.value = golden::number(c.option("value"));
  return result;
}

}  // namespace

TEST_CASE("pad agrees with the reference in every format and mode") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("transparent_indexing.json", {"pad"})) {
    const amp::pad_settings settings = settings_of(c);
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      const auto x = c.input("input").template to<typename setting::input>(context);
      const auto y = amp::pad<typename setting::policy>(context, x, settings);
      golden::compare(context, c.name(), y, c.output(), 0, 0, 0);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      golden::compare_sum(context, c, "input", amp::pad_backward<typename setting::policy>(context, g, x, settings), setting::roundoff, 16);
      ++run;
    });
  }
  CHECK(run == 164);
}

TEST_CASE("pad adds to a gradient, pads every axis by a constant, and is the same far along") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const amp::shape s{2, 3, 2, 5, 4};
  const auto x = check::random<double>(context, s, 1);
  const amp::pad_settings all{{1, 0, 2, 2, 0, 1, 1, 1, 0, 2}, amp::pad_mode::constant, 0.5};
  const auto y = amp::pad<policy>(context, x, all);
  CHECK(y.shape() == amp::shape{4, 5, 3, 9, 5});
  for (const amp::pad_mode mode : {amp::pad_mode::constant, amp::pad_mode::reflect, amp::pad_mode::replicate, amp::pad_mode::circular}) {
    const amp::pad_settings settings{{2, 3, -1, 4}, mode, 0.0};  // linear: ⟨pad(x), g⟩ = ⟨x, pad_backward(g)⟩
    const auto of_x = amp::pad<policy>(context, x, settings);
    const auto g = check::random<double>(context, of_x.shape(), 2);
    const auto gx = amp::pad_backward<policy>(context, g, x, settings);
    CHECK(std::fabs(check::dot(context, of_x, g) - check::dot(context, x, gx)) < 1e-11);
    auto twice = check::random<double>(context, s, 1);
    amp::pad_backward<policy>(context, amp::add_to(twice), g, settings);
    const auto a = amp::wait_read(context, twice), b = amp::wait_read(context, gx), c = amp::wait_read(context, x);
    int wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += a[i] != b[i] + c[i];
    CHECK(wrong == 0);
  }
  for (const std::int64_t n : {8, 1031, 4096}) {
    const auto row = check::random<amp::float16>(context, {2, n}, 3);
    const auto wide = amp::pad<policy>(context, row, {{8, 8}, amp::pad_mode::constant, 2.0});
    const auto from = amp::wait_read(context, row), to = amp::wait_read(context, wide);
    int wrong = 0;
    for (std::int64_t i = 0; i < 2 * (n + 16); ++i) {
      const std::int64_t column = i % (n + 16) - 8;
      wrong += static_cast<float>(to[static_cast<std::size_t>(i)]) != (column < 0 || column >= n ? 2 : static_cast<float>(from[static_cast<std::size_t>(i / (n + 16) * n + column)]));
    }
    CHECK(wrong == 0);
    CHECK(check::equal_bits(context, amp::pad_backward<policy>(context, wide, row, {8, 8}), row));
  }
}

TEST_CASE("pad says what does not fit before it writes") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto x = check::random<float>(context, {2, 4}, 1);
  CHECK_THROWS_WITH_AS(amp::pad_settings({1}), doctest::Contains("pad takes two amounts an axis"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pad<policy>(context, x, {0, 0, 0, 0, 1, 1}), doctest::Contains("pad is given amounts for 3 axes where x has shape [2, 4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pad<policy>(context, x, {-3, -2}), doctest::Contains("would leave less than nothing of axis 1 of [2, 4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pad<policy>(context, x, {{4, 0}, amp::pad_mode::reflect}), doctest::Contains("pad by (4, 0) reaches past axis 1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pad<policy>(context, x, {{5, 0}, amp::pad_mode::circular}), doctest::Contains("reaches past"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pad_backward<policy>(context, x, x, {1, 1}), doctest::Contains("pad_backward has a gradient of the value of shape [2, 4] where [2, 6] is due"), amp::error);
}
