#include <amphora/ops/index_put.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::index_put<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<amp::index_list>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");

namespace {

/// Calls f(indices) with those of a case.
template <class Function> void with_indices(test_context& context, const golden::test_case& c, const Function& f) {
  const golden::array first = c.input("indices.0");
  if (c.data.at("inputs").at("indices.0").at("dtype") == "bool") f(amp::index_list{golden::to_mask(context, first)});
  else if (c.has("indices.1")) f(amp::index_list{first.to_index(context), c.input("indices.1").to_index(context)});
  else f(amp::index_list{first.to_index(context)});
}

}  // namespace

TEST_CASE("index_put agrees with the reference in every format, masks among the indices") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("widening.json", {"index_put"})) {
    const bool accumulate = c.option("accumulate");
    with_indices(context, c, [&](const amp::index_list& indices) {
      golden::in_each_format([&](auto s) {
        using setting = decltype(s);
        using policy = typename setting::policy;
        const auto x = c.input("input").template to<typename setting::input>(context);
        const auto values = c.input("values").template to<typename setting::input>(context);
        const auto y = amp::index_put<policy>(context, x, indices, values, accumulate);
        golden::compare(context, c.name(), y, c.output(), accumulate ? setting::roundoff : 0, 8 * (1 + c.input("values").largest() + c.input("input").largest()), 8);
        const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
        const auto [gx, gv] = amp::index_put_backward<policy>(context, g, x, indices, values, accumulate);
        golden::compare(context, c.name() + " input", gx, c.gradient("input"), 0, 0, 0);
        golden::compare_sum(context, c, "values", gv, setting::roundoff, 8);
        ++run;
      });
    });
  }
  CHECK(run == 52);
}

TEST_CASE("of several values for one place the last one stays, or all are added in double in their order") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  constexpr std::int64_t n = 700, width = 3;
  std::vector<std::int32_t> where;
  for (std::int64_t i = 0; i < n; ++i) where.push_back(static_cast<std::int32_t>(i * i % 5) - 5);  // from the end
  const auto index = check::given<std::int32_t>(context, {n}, where);
  const auto x = check::random<float>(context, {6, width}, 1);
  const auto values = check::random<amp::float16>(context, {n, width}, 2);
  const auto set = amp::wait_read(context, amp::index_put<policy>(context, x, amp::index_list{index}, values)), added = amp::wait_read(context, amp::index_put<policy>(context, x, amp::index_list{index}, values, true));
  const auto before = amp::wait_read(context, x);
  const auto of = amp::wait_read(context, values);
  std::vector<float> want = before;
  std::vector<double> sums(6 * width);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t at = static_cast<std::size_t>(where[i] + 6) * width + j;
      want[at] = static_cast<float>(of[i * width + j]), sums[at] += static_cast<double>(of[i * width + j]);
    }
  int wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) wrong += set[i] != want[i], wrong += added[i] != static_cast<float>(sums[i]) + before[i];
  CHECK(wrong == 0);

  const auto g = check::random<float>(context, {6, width}, 3);
  auto gx = check::filled<float>(context, {6, width}, 2.0f);
  auto gv = check::filled<double>(context, {1, width}, 1.0);
  const auto narrow = check::random<amp::float16>(context, {1, width}, 4);
  amp::index_put_backward<policy>(context, g, x, amp::index_list{index}, narrow, amp::add_to(gx), amp::add_to(gv));
  const auto of_x = amp::wait_read(context, gx), slope = amp::wait_read(context, g);
  const auto of_v = amp::wait_read(context, gv);
  for (std::size_t i = 0; i < of_x.size(); ++i) wrong += of_x[i] != (i / width % 3 == 0 || i / width == 4 ? slope[i] + 2 : 2);  // rows 0, 3 and 4 were never set
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 1;
    for (std::int32_t row : where) sum += static_cast<double>(slope[static_cast<std::size_t>(row + 6) * width + j]);
    wrong += std::fabs(of_v[j] - sum) > n * amp::f32::unit_roundoff * 8;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a mask over long arrays puts values in their order; a wrong number of places is an error on the host, and NaN on CUDA") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const amp::shape s{30, 40};
  golden::array mask;
  mask.shape = s;
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < s.elements(); ++i) mask.values.push_back(i % 3 == 1);
  for (int i = 0; i < 400; ++i) numbers.push_back(static_cast<float>(i));
  const auto where = golden::to_mask(context, mask);
  const auto x = check::filled<float>(context, {30, 40, 2}, -1.0f);
  const auto values = check::given<float>(context, {400, 1}, numbers);
  const auto y = amp::wait_read(context, amp::index_put<policy>(context, x, amp::index_list{where}, values));
  int wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += y[i] != (i / 2 % 3 == 1 ? static_cast<float>(i / 6) : -1);
  CHECK(wrong == 0);
  numbers.pop_back();
  const auto few = check::given<float>(context, {399, 1}, numbers);
  if constexpr (tests_cuda) {
    const auto bad = amp::wait_read(context, amp::index_put<policy>(context, x, amp::index_list{where}, few, true));
    CHECK(std::isnan(bad.back()));
  } else {
    CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{where}, few), doctest::Contains("index_put has a mask of 400 places where values for 399 are given"), amp::error);
  }
  CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{where}, check::filled<float>(context, {}, 1.0f)), doctest::Contains("without an axis for the places of a mask"), amp::error);
  CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{where, where}, values), doctest::Contains("a mask stands alone"), amp::error);
}

TEST_CASE("index_put says what does not fit") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto x = check::filled<float>(context, {4, 2}, 1.0f), values = check::filled<float>(context, {2, 2}, 3.0f);
  const auto bad = check::given<std::int64_t>(context, {2}, {-4, 4});
  auto y = check::filled<float>(context, {4, 2}, 7.0f);
  if constexpr (tests_cuda) {
    amp::index_put<policy>(context, amp::into(y), x, amp::index_list{bad}, values);
    const auto set = amp::wait_read(context, y);
    CHECK(set[0] == 3);
    CHECK(set[2] == 1);
    CHECK(std::isnan(set[6]));
    CHECK(std::isnan(set[7]));
  } else {
    CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, amp::into(y), x, amp::index_list{bad}, values), doctest::Contains("amphora [index]: index_put has the index 4 at place 1, which is not within [-4, 4)"), amp::error);
    CHECK(check::equal_bits(context, y, check::filled<float>(context, {4, 2}, 7.0f)));
  }
  const auto good = check::given<std::int64_t>(context, {2}, {0, 1});
  CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{good}, check::filled<float>(context, {3, 2}, 1.0f)), doctest::Contains("index_put cannot broadcast [2, 2] with [3, 2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{good, good, good}, values), doctest::Contains("indices for more axes than x of shape [4, 2] has"), amp::error);
  CHECK_THROWS_WITH_AS(amp::index_put<policy>(context, x, amp::index_list{}, values), doctest::Contains("needs an index of at least one axis"), amp::error);
}
