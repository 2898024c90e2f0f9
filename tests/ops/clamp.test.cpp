#include <amphora/ops/clamp.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(amp::detail::clamp_function{-1, 1}.value(2.0f) == 1 && amp::detail::clamp_function{-1, 1}.slope(amp::detail::by<0>{}, 5.0f, 1.0f) == 0);

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> of_tensors = {"clamp/tensor_bounds", "clamp/tensor_at_bounds", "clamp/tensor_min", "clamp/tensor_crossed", "clamp/tensor_nan_bound"};

double lowest(const golden::test_case& c) { return c.option("min").is_null() ? -infinity : c.option("min").get<double>(); }
double highest(const golden::test_case& c) { return c.option("max").is_null() ? infinity : c.option("max").get<double>(); }

}  // namespace

TEST_CASE("clamp between numbers agrees with the reference in every format, at its bounds, crossed and with one bound") {
  CHECK(golden::run_unary(golden::elementwise_file, "clamp", 0, 0, [](auto p, auto& context, const auto& x, const auto& c) { return amp::clamp<decltype(p)>(context, x, lowest(c), highest(c)); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto& c) { return amp::clamp_backward<decltype(p)>(context, g, x, lowest(c), highest(c)); },
                          of_tensors) >= 20 * 6);
}

TEST_CASE("clamp between tensors agrees with the reference in every format: a number at its bound shares the gradient with it") {
  CHECK(golden::run_many(golden::elementwise_file, "clamp", 0, 0, {}, [](auto p, auto& context, const auto&, const auto& x, const auto& a, const auto& b) { return amp::clamp<decltype(p)>(context, x, a, b); },
                         [](auto p, auto& context, const auto&, const auto& g, const auto& x, const auto& a, const auto& b) { return amp::clamp_backward<decltype(p)>(context, g, x, a, b); },
                         "input", "min", "max") >= 28);
}

TEST_CASE("clamp from below alone agrees with the reference, with infinity above") {
  test_context context;
  for (const auto& c : golden::cases(golden::elementwise_file, {"clamp"})) {
    if (c.name() != "clamp/tensor_min") continue;
    const auto x = c.input("input").to<double>(context), a = c.input("min").to<double>(context), g = c.grad_output().to<double>(context);
    const auto none = check::filled<double>(context, {}, infinity);
    golden::compare_each(context, c.name(), amp::clamp<amp::o0<>>(context, x, a, none), c.output(), 0, 0);
    const auto of = amp::clamp_backward<amp::o0<>>(context, g, x, a, none);
    golden::compare_each(context, c.name() + " input", of.first, c.gradient("input"), amp::f64::unit_roundoff, 0);
    golden::compare_each(context, c.name() + " min", of.second, c.gradient("min"), amp::f64::unit_roundoff, 4, c.grad_output().largest());
    CHECK(amp::wait_read(context, of.third) == std::vector<double>{0});
  }
}

TEST_CASE("a clamp that changes nothing passes infinities and their gradients; gradients add where asked, at odd places") {
  test_context context;
  const auto far = check::given<float>(context, {3}, {-std::numeric_limits<float>::infinity(), 1, std::numeric_limits<float>::infinity()});
  const auto one = check::filled<float>(context, {3}, 1);
  CHECK(amp::wait_read(context, amp::clamp<amp::o0<>>(context, far, -infinity, infinity)) == amp::wait_read(context, far));
  CHECK(amp::wait_read(context, amp::clamp_backward<amp::o0<>>(context, one, far, -infinity, infinity)) == std::vector<float>{1, 1, 1});
  for (const std::int64_t n : {0, 1, 9, 2051}) {
    auto memory = check::random<amp::bfloat16>(context, {n + 1}, 1);
    const amp::view<amp::bfloat16> x(memory.data() + 1, {n});
    const auto before = amp::wait_read(context, x);
    const auto g = check::random<amp::bfloat16>(context, {n}, 2);
    auto sum = check::filled<float>(context, {n}, 4);
    amp::clamp_backward<amp::policy<>>(context, amp::add_to(sum), g, x, -0.5, 0.25);
    amp::clamp<amp::policy<>>(context, amp::into(x), x, -0.5, 0.25);
    const auto after = amp::wait_read(context, x), g_ = amp::wait_read(context, g);
    const auto added = amp::wait_read(context, sum);
    int wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const float v = static_cast<float>(before[i]);
      wrong += static_cast<float>(after[i]) != (std::min)((std::max)(v, -0.5f), 0.25f) || added[i] != (v > -0.5f && v < 0.25f ? 4 + static_cast<float>(g_[i]) : 4.0f);
    }
    CHECK(wrong == 0);
  }
}
