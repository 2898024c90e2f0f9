#include <amphora/ops/l1_loss.hpp>
#include <amphora/ops/likelihood_loss.hpp>
#include <amphora/ops/margin_loss.hpp>
#include <amphora/ops/cast.hpp>
#include <amphora/ops/sum.hpp>

#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::huber_loss<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the loss is f32 at every level");
static_assert(std::is_same_v<decltype(amp::kl_div<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<double>>(), std::declval<golden::tensor<double>>())), golden::tensor<double>>);

namespace {

template <class Function> void in_formats(const Function& f) {
  f(golden::setting<amp::o0<>, amp::f64>{});
  f(golden::setting<amp::o0<>, amp::f32>{});
  f(golden::setting<amp::o1<amp::f16>, amp::f16>{});
}

template <class T, class Go> void each_gradient(const golden::tensor<T>& g, const Go& go) { go(g, 0); }
template <class A, class B, class Go> void each_gradient(const amp::gradient_pair<A, B>& g, const Go& go) { go(g.first, 0), go(g.second, 1); }
template <class A, class B, class C, class Go> void each_gradient(const amp::gradient_triple<A, B, C>& g, const Go& go) { go(g.first, 0), go(g.second, 1), go(g.third, 2); }

/// Runs value(policy, context, case, x…) and gradients(policy, context, case, g, x…) of an op's cases, which gives a tensor, a pair or a triple.
///
/// terms  a bound of a loss and of its slopes, given the largest number of each operand
template <class Terms, class Value, class Gradients, class... Names>
int run(const char* op, const Terms& terms, const Value& value, const Gradients& gradients, const Names&... names) {
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases(op)) {
    in_formats([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!(c.input(names).template is_exact_in<T>() && ...)) return;
      ++run;
      const typename setting::policy policy{};
      const double size = terms(c, c.input(names).largest()...), n = static_cast<double>((c.input(names).values.size() + ...));
      const auto go = [&](const auto&... x) {
        const auto y = value(policy, context, c, x...);
        golden::compare(context, c.name(), y, c.output(), setting::roundoff, n * size, n);
        const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
        const auto of = gradients(policy, context, c, g, x...);
        const auto one = [&](const auto& gx, const char* name) {
          const golden::array want = c.gradient(name);
          golden::compare(context, c.name() + " " + name, gx, want, setting::roundoff, size * (1 + c.grad_output().largest()) + want.largest(), n);
        };
        const char* const name[] = {names...};
        each_gradient(of, [&](const auto& gx, int k) { one(gx, name[k]); });
      };
      go(c.input(names).template to<T>(context)...);
    });
  }
  return run;
}

const auto range = [](const auto&, double x, double t) { return (1 + x + t) * (1 + x + t); };
double number(const golden::test_case& c, const char* name) { return c.option(name).get<double>(); }

amp::poisson_nll_settings poisson(const golden::test_case& c) { return {golden::reduction_of(c), c.option("log_input"), c.option("full"), number(c, "eps")}; }
amp::gaussian_nll_settings gaussian(const golden::test_case& c) { return {golden::reduction_of(c), c.option("full"), number(c, "eps")}; }
amp::kl_div_settings divergence(const golden::test_case& c) { return {golden::reduction_of(c), c.option("log_target"), c.option("reduction") == "batchmean"}; }

}  // namespace

TEST_CASE("l1, smooth l1 and Huber losses and their gradients agree with the reference") {
  CHECK(run("l1_loss", range, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::l1_loss<decltype(p)>(context, x, t, golden::reduction_of(c)); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::l1_loss_backward<decltype(p)>(context, g, x, t, golden::reduction_of(c)); }, "input", "target") == 12 * 3);
  CHECK(run("smooth_l1_loss", range, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::smooth_l1_loss<decltype(p)>(context, x, t, golden::reduction_of(c), number(c, "beta")); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::smooth_l1_loss_backward<decltype(p)>(context, g, x, t, golden::reduction_of(c), number(c, "beta")); }, "input", "target") == 21 * 3);
  CHECK(run("huber_loss", range, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::huber_loss<decltype(p)>(context, x, t, golden::reduction_of(c), number(c, "delta")); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::huber_loss_backward<decltype(p)>(context, g, x, t, golden::reduction_of(c), number(c, "delta")); }, "input", "target") == 15 * 3);
}

TEST_CASE("soft margin, hinge embedding and margin ranking losses and their gradients agree with the reference, and none overflows") {
  CHECK(run("soft_margin_loss", range, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::soft_margin_loss<decltype(p)>(context, x, t, golden::reduction_of(c)); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::soft_margin_loss_backward<decltype(p)>(context, g, x, t, golden::reduction_of(c)); }, "input", "target") == 9 * 3);
  CHECK(run("hinge_embedding_loss", range, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::hinge_embedding_loss<decltype(p)>(context, x, t, golden::reduction_of(c), number(c, "margin")); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::hinge_embedding_loss_backward<decltype(p)>(context, g, x, t, golden::reduction_of(c), number(c, "margin")); }, "input", "target") == 6 * 3);
  CHECK(run("margin_ranking_loss", [](const auto&, double x, double y, double) { return 1 + x + y; },
            [](auto p, auto& context, const auto& c, const auto& x, const auto& y, const auto& t) { return amp::margin_ranking_loss<decltype(p)>(context, x, y, t, golden::reduction_of(c), number(c, "margin")); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& y, const auto& t) { return amp::margin_ranking_loss_backward<decltype(p)>(context, g, x, y, t, golden::reduction_of(c), number(c, "margin")); },
            "input1", "input2", "target") == 12 * 3);
}

TEST_CASE("likelihood losses and divergences and their gradients agree with the reference") {
  const auto exponential = [](const auto&, double x, double t) { return std::exp((std::min)(x, 20.0)) + (1 + t) * (20 + x + t); };
  CHECK(run("poisson_nll_loss", exponential, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::poisson_nll_loss<decltype(p)>(context, x, t, poisson(c)); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::poisson_nll_loss_backward<decltype(p)>(context, g, x, t, poisson(c)); }, "input", "target") == 15 * 3);
  CHECK(run("gaussian_nll_loss", [](const auto& c, double x, double t, double) {
              double smallest = 1;
              for (double v : c.input("var").values) smallest = (std::min)(smallest, (std::max)(v, number(c, "eps")));
              return (1 + x + t) * (1 + x + t) / smallest / smallest;
            },
            [](auto p, auto& context, const auto& c, const auto& x, const auto& t, const auto& v) { return amp::gaussian_nll_loss<decltype(p)>(context, x, t, v, gaussian(c)); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t, const auto& v) { return amp::gaussian_nll_loss_backward<decltype(p)>(context, g, x, t, v, gaussian(c)); },
            "input", "target", "var") == 12 * 3);
  CHECK(run("kl_div", [](const auto&, double x, double t) { return std::exp(t) * (4 + x + t); }, [](auto p, auto& context, const auto& c, const auto& x, const auto& t) { return amp::kl_div<decltype(p)>(context, x, t, divergence(c)); },
            [](auto p, auto& context, const auto& c, const auto& g, const auto& x, const auto& t) { return amp::kl_div_backward<decltype(p)>(context, g, x, t, divergence(c)); }, "input", "target") == 14 * 3);
}

TEST_CASE("a loss that is reduced in one pass has the bits of its elements added up, for any length, place and broadcast") {
  test_context context;
  const auto same = [&](const auto& x, const auto& t) {
    const auto each = amp::huber_loss<amp::o1<amp::f16>>(context, x, t, amp::reduction::none, 0.5);
    CHECK(check::equal_bits(context, amp::huber_loss<amp::o1<amp::f16>>(context, x, t, amp::reduction::sum, 0.5), amp::sum<amp::o1<amp::f16>>(context, each)));
    CHECK(check::equal_bits(context, amp::huber_loss<amp::o1<amp::f16>>(context, x, t, amp::reduction::mean, 0.5), amp::mean<amp::o1<amp::f16>>(context, each)));
  };
  for (const std::int64_t length : {1, 7, 64, 4097, 20000}) {
    CAPTURE(length);
    const auto x = check::random<amp::float16>(context, {length + 1}, 1);
    const auto t = check::random<float>(context, {length + 1}, 2);
    same(amp::view<const amp::float16>(x.data(), {length}), amp::view<const float>(t.data(), {length}));
    same(amp::view<const amp::float16>(x.data() + 1, {length}), amp::view<const float>(t.data() + 1, {length}));
    same(amp::view<const amp::float16>(x.data(), {length}), amp::view<const float>(t.data(), {1}));
  }
  const auto rows = check::random<amp::float16>(context, {130, 72}, 3);
  const auto row = check::random<float>(context, {72}, 4), column = check::random<float>(context, {130, 1}, 5);
  same(rows, row), same(rows, column);
  const auto none = check::filled(context, {0}, 1.0f);
  CHECK(std::isnan(amp::wait_read(context, amp::huber_loss<amp::o0<>>(context, none, none))[0]));
  CHECK(amp::wait_read(context, amp::huber_loss<amp::o0<>>(context, none, none, amp::reduction::sum))[0] == 0);
}

TEST_CASE("a loss under a policy has the bits of its operands cast by hand") {
  test_context context;
  const auto x = check::random<amp::float16>(context, {3, 50}, 1), t = check::random<amp::float16>(context, {50}, 2);
  const auto wide_x = amp::cast<amp::f32>(context, x), wide_t = amp::cast<amp::f32>(context, t);
  CHECK(check::equal_bits(context, amp::soft_margin_loss<amp::o1<amp::f16>>(context, x, t), amp::soft_margin_loss<amp::o0<>>(context, wide_x, wide_t)));
  CHECK(check::equal_bits(context, amp::huber_loss<amp::o3<amp::f16>>(context, x, t), amp::huber_loss<amp::o0<>>(context, wide_x, wide_t)));
  const auto g = check::filled(context, {}, 1024.0f);
  const auto [gx, gt] = amp::huber_loss_backward<amp::o1<amp::f16>>(context, g, x, t);
  const auto [wide_gx, wide_gt] = amp::huber_loss_backward<amp::o0<>>(context, g, wide_x, wide_t);
  CHECK(check::equal_bits(context, gx, amp::cast<amp::f16>(context, wide_gx)));
  CHECK(check::equal_bits(context, gt, amp::cast<amp::f16>(context, wide_gt)));
  CHECK_THROWS_WITH_AS(amp::huber_loss<amp::o0<>>(context, x, t, amp::reduction::mean, 0), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::smooth_l1_loss<amp::o0<>>(context, x, t, amp::reduction::mean, -1), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::l1_loss<amp::o0<>>(context, x, check::filled(context, {3}, 1.0f)), doctest::Contains("amphora [shape]"), amp::error);
}
