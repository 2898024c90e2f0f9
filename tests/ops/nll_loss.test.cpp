#include <amphora/ops/nll_loss.hpp>

#include <amphora/ops/softmax.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::nll_loss<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<std::int32_t>>())), golden::tensor<float>>);

TEST_CASE("nll_loss and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("nll_loss")) {
    const amp::nll_loss_settings settings{c.option("ignore_index"), golden::reduction_of(c)};
    const golden::array a = c.input("input");
    const auto t = c.input("target").to_index(context);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size()), size = 8 * (1 + a.largest());
      const auto check_all = [&](const auto& w) {
        const auto value = amp::nll_loss<P>(context, x, t, settings, w);
        golden::compare(context, c.name(), value, c.output(), setting::roundoff, n * size, n);
        const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
        golden::compare(context, c.name() + " x", amp::nll_loss_backward<P>(context, g, x, t, settings, w), c.gradient("input"), setting::roundoff, 8 * c.grad_output().largest(), n);
      };
      if (c.has("weight")) check_all(c.input("weight").template to<T>(context));
      else check_all(amp::no_weights{});
    });
  }
  CHECK(run == 25 * 7);
}

TEST_CASE("nll_loss of a log_softmax is cross_entropy, over many rows too, and its gradient is added where that is asked") {
  test_context context;
  constexpr std::int64_t rows = 9000, classes = 7;
  const auto x = check::random<double>(context, {rows, classes}, 1);
  std::vector<std::int32_t> indices(rows);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i % 11 == 3 ? -100 : static_cast<std::int32_t>(i * 5 % classes);
  const auto t = check::given(context, {rows}, indices);
  const auto w = check::given<double>(context, {classes}, {1, 0.5, 2, 1, 0.25, 3, 1});
  for (const auto r : {amp::reduction::mean, amp::reduction::sum}) {
    const double want = amp::wait_read(context, amp::cross_entropy<amp::o0<>>(context, x, t, {-100, 0, r}, w))[0];
    const auto logarithms = amp::log_softmax<amp::o0<>>(context, x, 1);
    CHECK(amp::wait_read(context, amp::nll_loss<amp::o0<>>(context, logarithms, t, {-100, r}, w))[0] == doctest::Approx(want).epsilon(1e-13));
    const auto one = check::filled(context, {}, 1.0);
    const auto g = amp::nll_loss_backward<amp::o0<>>(context, one, x, t, {-100, r}, w);
    auto twice = amp::nll_loss_backward<amp::o0<>>(context, one, x, t, {-100, r}, w);
    amp::nll_loss_backward<amp::o0<>>(context, amp::add_to(twice), one, x, t, {-100, r}, w);
    const auto a = amp::wait_read(context, g), b = amp::wait_read(context, twice);
    int wrong = 0, some = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += b[i] != 2 * a[i], some += a[i] != 0;
    CHECK(wrong == 0);
    CHECK(some == rows - (rows + 7) / 11);
  }
}

TEST_CASE("a target of nll_loss outside the classes is an error, or NaN where none can be raised") {
  test_context context;
  const auto x = check::given<float>(context, {2, 3}, {-1, -2, -3, -4, -5, -6});
  const auto t = check::given<std::int64_t>(context, {2}, {0, 3});
  if constexpr (tests_cuda) {
    CHECK(std::isnan(amp::wait_read(context, amp::nll_loss<amp::o0<>>(context, x, t))[0]));
    const auto each = amp::wait_read(context, amp::nll_loss<amp::o0<>>(context, x, t, {-100, amp::reduction::none}));
    CHECK(each[0] == 1);
    CHECK(std::isnan(each[1]));
  } else {
    CHECK_THROWS_WITH_AS(amp::nll_loss<amp::o0<>>(context, x, t), doctest::Contains("amphora [target]"), amp::error);
  }
  CHECK_THROWS_WITH_AS(amp::nll_loss<amp::o0<>>(context, x, check::given<std::int64_t>(context, {3}, {0, 1, 2})), doctest::Contains("[3] where [2] is due"), amp::error);
}
