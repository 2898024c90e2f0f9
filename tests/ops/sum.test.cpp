#include <amphora/ops/sum.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::sum<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::mean<amp::o3<amp::bf16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<amp::bfloat16>>);

namespace {

template <class T> golden::tensor<T> repeated(test_context& context, std::initializer_list<float> values, std::size_t times) {
  std::vector<T> numbers;
  for (float v : values) numbers.insert(numbers.end(), times, amp::convert<amp::format_of_t<T>>(v));
  return check::given(context, {static_cast<std::int64_t>(numbers.size())}, numbers);
}
/// The one number of a scalar.
template <class T> float only(test_context& context, const golden::tensor<T>& x) { return static_cast<float>(amp::wait_read(context, x).at(0)); }

}  // namespace

TEST_CASE("sum, mean and their gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"sum", "mean"})) {
    const bool mean = c.data.at("op") == "mean";
    const amp::axes over = golden::axes_of(c);
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size());
      const auto value = mean ? amp::mean<P>(context, x, over) : amp::sum<P>(context, x, over);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, n * a.largest(), n);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = mean ? amp::mean_backward<P>(context, g, x, over) : amp::sum_backward<P>(context, g, x, over);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, c.grad_output().largest(), 1);
    });
  }
  CHECK(run > 200);
}

TEST_CASE("B47: sums of 16-bit numbers run in float") {
  test_context context;
  using f16 = amp::float16;
  CHECK(only(context, amp::mean<amp::o3<amp::f16>>(context, repeated<f16>(context, {40000}, 3))) == 40000);
  CHECK(only(context, amp::mean<amp::o1<amp::f16>>(context, repeated<f16>(context, {40000}, 3))) == 40000);
  CHECK(only(context, amp::sum<amp::o3<amp::f16>>(context, repeated<f16>(context, {32000, -32000}, 4))) == 0);
  CHECK(only(context, amp::sum<amp::o1<amp::f16>>(context, repeated<f16>(context, {1}, 262144))) == 262144);
  CHECK(only(context, amp::sum<amp::o1<amp::bf16>>(context, repeated<amp::bfloat16>(context, {0.5f}, 10000))) == 5000);
  CHECK(only(context, amp::sum<amp::o3<amp::bf16>>(context, repeated<amp::bfloat16>(context, {0.5f}, 10000))) == 4992);
  const auto columns = check::filled(context, {262144, 2}, f16(1.0f));  // and down a column
  CHECK(amp::wait_read(context, amp::sum<amp::o1<amp::f16>>(context, columns, amp::axes{0})) == std::vector<float>(2, 262144));
}

TEST_CASE("long sums in every direction stay within their bound") {
  test_context context;
  const auto x = check::random<float>(context, {37, 130, 9}, 1);
  const auto numbers = amp::wait_read(context, x);
  for (const amp::axes& over : {amp::axes{}, amp::axes{0}, amp::axes{1}, amp::axes{2}, amp::axes{0, 2}, amp::axes{0, 1}, amp::axes{1, 2}}) {
    const auto got = amp::wait_read(context, amp::sum<amp::o0<>>(context, x, over));
    std::vector<double> want(got.size());
    const auto set = amp::detail::axis_set::of(over, 3);
    for (int i = 0; i < 37; ++i)
      for (int j = 0; j < 130; ++j)
        for (int k = 0; k < 9; ++k) {
          int at = 0;
          if (!set.has[0]) at = i;
          if (!set.has[1]) at = at * 130 + j;
          if (!set.has[2]) at = at * 9 + k;
          want[static_cast<std::size_t>(at)] += static_cast<double>(numbers[static_cast<std::size_t>((i * 130 + j) * 9 + k)]);
        }
    const double terms = 37 * 130 * 9 / static_cast<double>(got.size());
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i) worst = (std::max)(worst, std::fabs(static_cast<double>(got[i]) - want[i]));
    CHECK(worst <= amp::f32::unit_roundoff * 71 * terms);  // at most 64 + 6 additions in float, then one rounding
  }
}

TEST_CASE("axes that are not there are errors") {
  test_context context;
  golden::tensor<float> x(context, {2, 3});
  CHECK_THROWS_WITH_AS(amp::sum<amp::o0<>>(context, x, amp::axes{2}), doctest::Contains("axis 2"), amp::error);
  CHECK_THROWS_WITH_AS(amp::sum<amp::o0<>>(context, x, amp::axes{1, -1}), doctest::Contains("named twice"), amp::error);
}
