#include <amphora/ops/cat.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;
using golden::tensor;

static_assert(std::is_same_v<decltype(amp::cat<amp::o1<amp::f16>>(std::declval<test_context&>(), 0, std::declval<tensor<amp::float16>>(), std::declval<tensor<float>>())), tensor<float>>, "the widest");
static_assert(std::is_same_v<decltype(amp::stack<amp::o1<amp::f16>>(std::declval<test_context&>(), 0, std::declval<tensor<amp::float16>>(), std::declval<tensor<amp::bfloat16>>())), tensor<float>>, "the widest");

namespace {

template <class Policy, class Context, class... X> auto joined(bool stacks, Context& context, int axis, const X&... x) {
  return stacks ? amp::stack<Policy>(context, axis, x...) : amp::cat<Policy>(context, axis, x...);
}
template <class Policy, class Context, class G, class... X> auto parted(bool stacks, Context& context, const G& g, int axis, const X&... x) {
  return stacks ? amp::stack_backward<Policy>(context, g, axis, x...) : amp::cat_backward<Policy>(context, g, axis, x...);
}

}  // namespace

TEST_CASE("cat and stack agree with the reference in every format, to the bit") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("widening.json", {"cat", "stack"})) {
    const bool stacks = c.data.at("op") == "stack";
    const int axis = c.option("dim");
    golden::in_each_format([&](auto s) {
      using policy = typename decltype(s)::policy;
      using T = typename decltype(s)::input;
      const auto compare = [&](const auto&... x) {
        const auto y = joined<policy>(stacks, context, axis, x...);
        golden::compare(context, c.name(), y, c.output(), 0, 0, 0);
        const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
        int k = 0;
        std::apply([&](const auto&... gx) { (golden::compare(context, c.name(), gx, c.gradient(("tensors." + std::to_string(k++)).c_str()), 0, 0, 0), ...); }, parted<policy>(stacks, context, g, axis, x...));
        ++run;
      };
      const auto x = [&](const char* name) { return c.input(name).template to<T>(context); };
      if (c.has("tensors.2")) compare(x("tensors.0"), x("tensors.1"), x("tensors.2"));
      else if (c.has("tensors.1")) compare(x("tensors.0"), x("tensors.1"));
      else compare(x("tensors.0"));
    });
  }
  CHECK(run == 60);
}

TEST_CASE("cat takes formats as they are, gives each its part of the gradient where it is wanted, and says what does not fit") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto a = check::random<amp::float16>(context, {3, 40}, 1);
  const auto b = check::random<float>(context, {3, 24}, 2);
  const auto y = amp::cat<policy>(context, -1, a, b);
  const auto of_a = amp::wait_read(context, a);
  const auto of_b = amp::wait_read(context, b), of_y = amp::wait_read(context, y);
  int wrong = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 64; ++j) wrong += of_y[64 * i + j] != (j < 40 ? static_cast<float>(of_a[40 * i + j]) : of_b[24 * i + j - 40]);
  CHECK(wrong == 0);
  auto gb = check::filled<float>(context, {3, 24}, 1.0f);
  amp::cat_backward<policy>(context, y, -1, std::tie(a, b), amp::no_gradient{}, amp::add_to(gb));
  const auto added = amp::wait_read(context, gb);
  for (std::size_t i = 0; i < added.size(); ++i) wrong += added[i] != 1 + of_b[i];
  CHECK(wrong == 0);
  auto short_one = check::random<float>(context, {2, 24}, 2);
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, 1, a, short_one), doctest::Contains("cat along axis 1 cannot join [3, 40] and [2, 24]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::stack<policy>(context, 0, a, b), doctest::Contains("stack has an operand of shape [3, 24] where [3, 40] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::stack<policy>(context, 3, a, a), doctest::Contains("stack has no place for a new axis 3"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, 0, amp::view<const float>(b.data())), doctest::Contains("stack joins scalars"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, b, 1, a, b), doctest::Contains("cat_backward has a gradient of the value of shape [3, 24] where [3, 64] is due"), amp::error);
}
