#include <amphora/autograd/class_margin_loss.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// What stands before the first -1 of a row: no label, the last class, the last two, … of as many classes.
std::vector<std::int32_t> last_labels(std::int64_t rows, std::int64_t classes) {
  std::vector<std::int32_t> result(static_cast<std::size_t>(rows * classes), -1);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < (std::min)(row, classes); ++k) result[static_cast<std::size_t>(row * classes + k)] = static_cast<std::int32_t>(classes - 1 - k);
  return result;
}
std::vector<std::int64_t> some_class_a_row(std::int64_t rows, std::int64_t classes) {
  std::vector<std::int64_t> result;
  for (std::int64_t row = 0; row < rows; ++row) result.push_back((row * 7 + 1) % classes);
  return result;
}
amp::shape upstream_shape(amp::reduction r, std::int64_t rows) { return r == amp::reduction::none ? amp::shape{rows} : amp::shape{}; }

}  // namespace

TEST_CASE("losses of classes of variables have the reference's values and gradients") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("multi_margin_loss")) {
    ++run;
    golden::taped(context, c, [&](const auto& tape, const auto& x) {
      const amp::multi_margin_settings settings{golden::reduction_of(c), c.option("margin"), c.option("p")};
      const auto t = tape.constant(c.input("target").to_index(context));
      return c.has("weight") ? amp::multi_margin_loss<policy>(tape, x, t, settings, tape.constant(c.input("weight").to<double>(context))) : amp::multi_margin_loss<policy>(tape, x, t, settings);
    }, "input");
  }
  for (const auto& c : golden::loss_cases("multilabel_margin_loss")) {
    ++run;
    golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::multilabel_margin_loss<policy>(tape, x, tape.constant(c.input("target").to_index(context)), golden::reduction_of(c)); }, "input");
  }
  CHECK(run == 30);
}

TEST_CASE("second derivatives of losses of classes are the slopes of their gradients") {
  test_context context;
  const auto one = check::filled<double>(context, {}, 1);
  for (const std::int64_t classes : {1, 5, 21})
    for (const auto r : {amp::reduction::none, amp::reduction::mean, amp::reduction::sum}) {
      const amp::shape shape{3, classes};
      CAPTURE(classes);
      CAPTURE(static_cast<int>(r));
      const auto x = check::random<double>(context, shape, 1), v = check::random<double>(context, shape, 2), g = check::random<double>(context, upstream_shape(r, 3), 3);
      const auto holds = [&](const auto& taped, const auto& gradient) {
        check::second_slopes(context, check::copied(context, one.view()), check::copied(context, x.view()), check::copied(context, g.view()), v,
                             [&](const auto& t, const auto&, const auto& b) { return taped(t, b); }, [&](const auto& s, const auto&, const auto& b) { return gradient(s, b); });
      };
      const auto t = check::given(context, {3}, some_class_a_row(3, classes));
      const auto w = check::random<double>(context, {classes}, 4);
      for (int p : {1, 2}) {
        CAPTURE(p);
        const amp::multi_margin_settings settings{r, 0.375, p};
        holds([&](const auto& tape, const auto& b) { return amp::multi_margin_loss<policy>(tape, b, t, settings); },
              [&](const auto& s, const auto& b) { return amp::multi_margin_loss_backward<policy>(context, s, b, t, settings); });
        holds([&](const auto& tape, const auto& b) { return amp::multi_margin_loss<policy>(tape, b, t, settings, w); },
              [&](const auto& s, const auto& b) { return amp::multi_margin_loss_backward<policy>(context, s, b, t, settings, w); });
      }
      const auto labels = check::given(context, shape, last_labels(3, classes));
      holds([&](const auto& tape, const auto& b) { return amp::multilabel_margin_loss<policy>(tape, b, labels, r); },
            [&](const auto& s, const auto& b) { return amp::multilabel_margin_loss_backward<policy>(context, s, b, labels, r); });
    }
}

TEST_CASE("second derivatives of a squared margin of f16 scores are made in float, for rows of any length") {
  test_context context;
  const amp::tape tape(context);
  for (const std::int64_t classes : {3, 64, 1100}) {
    CAPTURE(classes);
    const amp::shape shape{4, classes};
    const auto x = tape.leaf(check::random<amp::float16>(context, shape, 1));
    const auto g = tape.leaf(check::random<float>(context, {4}, 2));
    const auto v = check::random<amp::float16>(context, shape, 3);
    const auto targets = some_class_a_row(4, classes);
    const auto t = check::given(context, {4}, targets);
    const auto [first] = amp::grad(context, amp::multi_margin_loss<policy>(tape, x, t, {amp::reduction::none, 0.375, 2}), g, amp::graph::create, x);
    const auto [by_x, by_g] = amp::grad(context, first, tape.constant(v), amp::graph::free, x, g);
    static_assert(std::is_same_v<std::decay_t<decltype(by_x)>, amp::variable<amp::float16, test_context>>);
    const auto scores = values(context, x), direction = values(context, v), upstream = values(context, g), bend = values(context, by_x), slope = values(context, by_g);
    for (std::int64_t row = 0; row < 4; ++row) {
      const auto at = [&](std::int64_t c) { return static_cast<std::size_t>(row * classes + c); };
      const std::int64_t right = targets[static_cast<std::size_t>(row)];
      std::vector<double> want(static_cast<std::size_t>(classes));
      double along = 0, terms = 0;
      for (std::int64_t c = 0; c < classes; ++c) {
        const double missing = 0.375 - scores[at(right)] + scores[at(c)], turn = direction[at(c)] - direction[at(right)];
        if (c == right || missing <= 0) continue;
        const double bent = 2 * upstream[static_cast<std::size_t>(row)] / static_cast<double>(classes) * turn;
        want[static_cast<std::size_t>(c)] += bent, want[static_cast<std::size_t>(right)] -= bent;
        along += 2 * missing * turn / static_cast<double>(classes), terms += 2 * std::fabs(missing * turn) / static_cast<double>(classes);
      }
      CHECK(std::fabs(slope[static_cast<std::size_t>(row)] - along) <= 8 * amp::f32::unit_roundoff * terms);
      for (std::int64_t c = 0; c < classes; ++c)  // stored in f16, of which the least numbers are steps of 2^-24
        CHECK(std::fabs(bend[at(c)] - want[static_cast<std::size_t>(c)]) <= 2 * amp::f16::unit_roundoff * std::fabs(want[static_cast<std::size_t>(c)]) + std::ldexp(1.0, -24));
    }
  }
}

TEST_CASE("at the corner of a margin second derivatives are 0, as the slope is there") {
  test_context context;
  const amp::tape tape(context);
  const auto t = check::given<std::int64_t>(context, {1}, {0});
  const auto labels = check::given<std::int64_t>(context, {1, 3}, {0, -1, -1});
  const auto x = tape.leaf(check::given<double>(context, {1, 3}, {2, 1, 1.5}));  // 0 is missing of class 1, 0.5 of class 2
  const auto seed = tape.leaf(check::given<double>(context, {}, {3}));
  const auto v = tape.constant(check::given<double>(context, {1, 3}, {1, 10, 5}));
  const auto [squared] = amp::grad(context, amp::multi_margin_loss<policy>(tape, x, t, {amp::reduction::sum, 1, 2}), seed, amp::graph::create, x);
  CHECK(values(context, squared) == std::vector<double>{-1, 0, 1});
  const auto [bend, along] = amp::grad(context, squared, v, amp::graph::free, x, seed);
  CHECK(values(context, bend) == std::vector<double>{-8, 0, 8});
  CHECK(values(context, along)[0] == doctest::Approx(4.0 / 3));
  const auto [plain] = amp::grad(context, amp::multilabel_margin_loss<policy>(tape, x, labels), seed, amp::graph::create, x);
  const auto [flat, slope] = amp::grad(context, plain, v, amp::graph::free, x, seed);
  CHECK(!flat);
  CHECK(values(context, slope)[0] == doctest::Approx(4.0 / 3));
}

TEST_CASE("the gradient of a mean over no rows, or of rows of no classes, is worth 0 to the gradient of the loss") {
  test_context context;
  const amp::tape tape(context);
  const auto seed = tape.leaf(check::given<double>(context, {}, {3}));
  const auto x = tape.leaf(check::given<double>(context, {0, 3}, {})), y = tape.leaf(check::given<double>(context, {2, 0}, {}));
  const auto worth = [&](const auto& loss, const auto& by) {
    const auto [first] = amp::grad(context, loss, seed, amp::graph::create, by);
    const auto [slope] = amp::grad(context, first, tape.constant(check::given<double>(context, by.shape(), {})), amp::graph::free, seed);
    return values(context, slope);
  };
  CHECK(worth(amp::multi_margin_loss<policy>(tape, x, check::given<std::int64_t>(context, {0}, {}), {amp::reduction::mean, 1, 2}), x) == std::vector<double>{0});
  CHECK(worth(amp::multilabel_margin_loss<policy>(tape, x, check::given<std::int64_t>(context, {0, 3}, {})), x) == std::vector<double>{0});
  CHECK(worth(amp::multilabel_margin_loss<policy>(tape, y, check::given<std::int64_t>(context, {2, 0}, {})), y) == std::vector<double>{0});
}

TEST_CASE("a third derivative of losses of classes is refused by name") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {2, 3}, 1));
  const auto seed = tape.leaf(check::filled<double>(context, {}, 1)), one = tape.constant(check::filled<double>(context, {}, 1));
  const auto v = tape.constant(check::random<double>(context, {2, 3}, 2));
  const auto t = check::given<std::int64_t>(context, {2}, {0, 2});
  const auto labels = check::given<std::int64_t>(context, {2, 3}, {0, -1, -1, 2, 1, -1});
  const auto [squared] = amp::grad(context, amp::multi_margin_loss<policy>(tape, x, t, {amp::reduction::mean, 1, 2}), seed, amp::graph::create, x);
  const auto [bend, slope] = amp::grad(context, squared, v, amp::graph::create, x, seed);
  CHECK_THROWS_WITH_AS(amp::grad(context, bend, v, amp::graph::free, seed), doctest::Contains("amphora [no-derivative]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::grad(context, slope, one, amp::graph::free, x), doctest::Contains("amphora [no-derivative]"), amp::error);
  const auto [several] = amp::grad(context, amp::multilabel_margin_loss<policy>(tape, x, labels), seed, amp::graph::create, x);
  const auto [along] = amp::grad(context, several, v, amp::graph::create, seed);
  CHECK_THROWS_WITH_AS(amp::grad(context, along, one, amp::graph::free, x), doctest::Contains("amphora [no-derivative]"), amp::error);
}
