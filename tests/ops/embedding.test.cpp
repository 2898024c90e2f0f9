#include <amphora/ops/embedding.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::embedding<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<std::int64_t>>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<amp::bfloat16>>, "stays what it is");

namespace {

amp::embedding_settings settings_of(const golden::test_case& c) {
  amp::embedding_settings result;
  if (!c.option("padding_idx").is_null()) result.padding_idx = c.option("padding_idx");
  result.scale_grad_by_freq = c.option("scale_grad_by_freq");
  return result;
}
template <class T> golden::tensor<T> indices(test_context& context, const amp::shape& s, const std::vector<T>& values) { return check::given<T>(context, s, values); }

}  // namespace

TEST_CASE("embedding agrees with the reference in every format, with indices of both widths") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("transparent_indexing.json", {"embedding"})) {
    const amp::embedding_settings settings = settings_of(c);
    const golden::array where = c.input("input");
    const auto wide = where.to_index(context);
    const auto narrow = indices(context, where.shape, std::vector<std::int32_t>(where.values.begin(), where.values.end()));
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      using policy = typename setting::policy;
      const auto w = c.input("weight").template to<typename setting::input>(context);
      const auto y = amp::embedding<policy>(context, wide, w, settings);
      golden::compare(context, c.name(), y, c.output(), 0, 0, 0);
      CHECK(check::equal_bits(context, y, amp::embedding<policy>(context, narrow, w, settings)));
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto gw = amp::embedding_backward<policy>(context, g, wide, w, settings);
      golden::compare_sum(context, c, "weight", gw, setting::roundoff, 12);
      CHECK(check::equal_bits(context, gw, amp::embedding_backward<policy>(context, g, narrow, w, settings)));
      ++run;
    });
  }
  CHECK(run == 36);
}

TEST_CASE("an embedding's gradient is summed in the order of the indices, the same on every run, and in more than float") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  constexpr std::int64_t rows = 5, width = 3, n = 1500;  // several runs of a sort on CUDA
  std::vector<std::int64_t> where;
  for (std::int64_t i = 0; i < n; ++i) where.push_back(i % 7 < 4 ? 2 : i * i % rows);
  const auto index = indices(context, {n}, where);
  const auto g = check::random<amp::float16>(context, {n, width}, 1);
  auto half = check::filled<amp::float16>(context, {rows, width}, amp::convert<amp::f16>(1.0f));
  golden::tensor<double> sums(context, {rows, width});
  amp::embedding_backward<policy>(context, amp::into(sums), g, index), amp::embedding_backward<policy>(context, amp::add_to(half), g, index);
  std::vector<double> want(rows * width);
  const auto terms = amp::wait_read(context, g);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < width; ++j) want[static_cast<std::size_t>(where[i]) * width + j] += static_cast<double>(terms[i * width + j]);
  const auto got = amp::wait_read(context, sums);
  const auto rounded = amp::wait_read(context, half);
  int wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    wrong += got[i] != want[i];  // 11-bit numbers add exactly in double
    wrong += static_cast<float>(rounded[i]) != static_cast<float>(amp::convert<amp::f16>(static_cast<float>(want[i]) + 1));
  }
  CHECK(wrong == 0);
  CHECK(check::equal_bits(context, amp::embedding_backward<policy>(context, check::random<float>(context, {n, width}, 2), index, check::random<float>(context, {rows, width}, 3)),
                          amp::embedding_backward<policy>(context, check::random<float>(context, {n, width}, 2), index, check::random<float>(context, {rows, width}, 3))));
  const auto scaled = amp::embedding_backward<policy>(context, check::filled<float>(context, {n, width}, 3.0f), index, check::random<float>(context, {rows, width}, 3), {0, true});
  const auto means = amp::wait_read(context, scaled);
  for (std::size_t i = 0; i < means.size(); ++i) wrong += means[i] != (i < width || i / width == 3 ? 0 : 3);  // row 3 is never asked for
  CHECK(wrong == 0);
}

TEST_CASE("rows of any width are looked up bit by bit, at odd places too") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  for (const std::int64_t width : {0, 1, 8, 24, 513, 1040})
    for (const std::int64_t skip : {0, 1}) {
      auto memory = check::random<amp::float16>(context, {9 * width + skip}, 1);
      const amp::view<const amp::float16> w(memory.data() + skip, {9, width});
      const auto index = indices<std::int64_t>(context, {2, 2}, {8, 0, 3, 8});
      const auto y = amp::wait_read(context, amp::embedding<policy>(context, index, w));
      const auto from = amp::wait_read(context, w);
      const std::int64_t rows[] = {8, 0, 3, 8};
      int wrong = 0;
      for (std::int64_t i = 0; i < 4 * width; ++i) wrong += static_cast<float>(y[static_cast<std::size_t>(i)]) != static_cast<float>(from[static_cast<std::size_t>(rows[i / width] * width + i % width)]);
      CHECK(wrong == 0);
    }
}

#if defined(_OPENMP) && !defined(AMPHORA_TEST_CUDA)
TEST_CASE("an embedding's gradient has the same bits on any number of threads") {
  amp::host_context one(1), four(4);
  std::vector<std::int64_t> where;
  for (std::int64_t i = 0; i < 5000; ++i) where.push_back(i * 7 % 11);
  const auto gradient = [&](amp::host_context& context) {
    const auto w = check::random<float>(context, {11, 8}, 1);
    return amp::wait_read(context, amp::embedding_backward<amp::o0<>>(context, check::random<float>(context, {5000, 8}, 2), indices(context, {5000}, where), w));
  };
  CHECK(gradient(one) == gradient(four));
}
#endif

TEST_CASE("an index outside an embedding is an error on the host, and NaN where nobody waits to see it") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto w = check::random<float>(context, {4, 2}, 1);
  const auto bad = indices<std::int64_t>(context, {3}, {1, 4, -1});
  auto y = check::filled<float>(context, {3, 2}, 7.0f), gw = check::filled<float>(context, {4, 2}, 7.0f);
  const auto g = check::filled<float>(context, {3, 2}, 1.0f);
  if constexpr (tests_cuda) {
    amp::embedding<policy>(context, amp::into(y), bad, w), amp::embedding_backward<policy>(context, amp::into(gw), g, bad);
    const auto value = amp::wait_read(context, y), from = amp::wait_read(context, w), gradient = amp::wait_read(context, gw);
    for (std::size_t i = 0; i < 6; ++i) CHECK((i < 2 ? value[i] == from[2 + i] : std::isnan(value[i])));
    for (std::size_t i = 0; i < 8; ++i) CHECK(gradient[i] == (i / 2 == 1 ? 1 : 0));
  } else {
    CHECK_THROWS_WITH_AS(amp::embedding<policy>(context, amp::into(y), bad, w), doctest::Contains("amphora [index]: embedding has the index 4 at place 1, which is not within [0, 4)"), amp::error);
    CHECK_THROWS_WITH_AS(amp::embedding_backward<policy>(context, amp::into(gw), g, bad), doctest::Contains("embedding_backward has the index 4"), amp::error);
    CHECK(check::equal_bits(context, y, check::filled<float>(context, {3, 2}, 7.0f)));
    CHECK(check::equal_bits(context, gw, check::filled<float>(context, {4, 2}, 7.0f)));
  }
  const auto good = indices<std::int64_t>(context, {3}, {0, 1, 2});
  CHECK_THROWS_WITH_AS(amp::embedding<policy>(context, good, g, {7}), doctest::Contains("padding_idx = 7 where there are 3 rows"), amp::error);
  CHECK_THROWS_WITH_AS(amp::embedding<policy>(context, good, check::random<float>(context, {4}, 1)), doctest::Contains("needs weights of shape [rows, width], not [4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::embedding<policy>(context, good, check::random<float>(context, {0, 2}, 1)), doctest::Contains("looks up 3 rows of none"), amp::error);
  CHECK_THROWS_WITH_AS(amp::embedding_backward<policy>(context, g, indices<std::int64_t>(context, {2}, {0, 1}), w), doctest::Contains("of shape [3, 2] where [2, 2] is due"), amp::error);
}
