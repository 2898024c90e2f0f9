#include <amphora/ops/cat.hpp>

#include <ops/indexing_case.hpp>

#include <array>
#include <variant>
#include <vector>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cat<amp::o1<amp::f16>>(std::declval<test_context&>(), 0, std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");
static_assert(std::is_same_v<decltype(amp::stack<amp::o1<amp::f16>>(std::declval<test_context&>(), 0, std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<float>>, "the widest");
static_assert(std::is_same_v<decltype(amp::cat<amp::o1<amp::f16>>(std::declval<test_context&>(), 0, std::declval<std::vector<golden::tensor<amp::float16>>>())), golden::tensor<amp::float16>>, "a list has one format");
static_assert(std::is_same_v<decltype(amp::stack_backward<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), 0, std::declval<std::array<amp::view<amp::float16>, 2>>())),
                             std::vector<golden::tensor<amp::float16>>>, "gradients in the operands' format");
static_assert(amp::detail::is_operand_list_v<std::vector<golden::tensor<float>>> && amp::detail::is_operand_list_v<amp::view<const float>[3]>);
static_assert(!amp::detail::is_operand_list_v<golden::tensor<float>> && !amp::detail::is_operand_list_v<std::vector<float>> && !amp::detail::is_operand_list_v<std::vector<bool>> && !amp::detail::is_operand_list_v<int>);

namespace {

template <class Policy, class Context, class... X> auto joined(bool stacks, Context& context, int axis, const X&... x) {
  return stacks ? amp::stack<Policy>(context, axis, x...) : amp::cat<Policy>(context, axis, x...);
}
template <class Policy, class Context, class G, class... X> auto parted(bool stacks, Context& context, const G& g, int axis, const X&... x) {
  return stacks ? amp::stack_backward<Policy>(context, g, axis, x...) : amp::cat_backward<Policy>(context, g, axis, x...);
}
/// Calls compare(policy, case, stacks, axis, arrays…) for every reference case in every format; says how many there were.
template <class Compare> int for_each_case(test_context& context, const Compare& compare) {
  int run = 0;
  for (const auto& c : golden::cases("widening.json", {"cat", "stack"})) {
    const bool stacks = c.data.at("op") == "stack";
    const int axis = c.option("dim");
    golden::in_each_format([&](auto s) {
      const typename decltype(s)::policy policy{};
      const auto x = [&](const char* name) { return c.input(name).template to<typename decltype(s)::input>(context); };
      if (c.has("tensors.2")) compare(policy, c, stacks, axis, x("tensors.0"), x("tensors.1"), x("tensors.2"));
      else if (c.has("tensors.1")) compare(policy, c, stacks, axis, x("tensors.0"), x("tensors.1"));
      else compare(policy, c, stacks, axis, x("tensors.0"));
      ++run;
    });
  }
  return run;
}

}  // namespace

TEST_CASE("cat and stack agree with the reference in every format, to the bit") {
  test_context context;
  const int run = for_each_case(context, [&](auto p, const golden::test_case& c, bool stacks, int axis, const auto&... x) {
    using policy = decltype(p);
    const auto y = joined<policy>(stacks, context, axis, x...);
    golden::compare(context, c.name(), y, c.output(), 0, 0, 0);
    const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
    int k = 0;
    std::apply([&](const auto&... gx) { (golden::compare(context, c.name(), gx, c.gradient(("tensors." + std::to_string(k++)).c_str()), 0, 0, 0), ...); }, parted<policy>(stacks, context, g, axis, x...));
  });
  CHECK(run == 60);
}

TEST_CASE("a list gives the bits that its arrays give where the call names them, in every format") {
  test_context context;
  const int run = for_each_case(context, [&](auto p, const golden::test_case& c, bool stacks, int axis, const auto& first, const auto&... x) {
    using policy = decltype(p);
    using T = typename std::decay_t<decltype(first)>::value_type;
    const std::vector<amp::view<const T>> list{first.view(), x.view()...};
    const auto y = joined<policy>(stacks, context, axis, first, x...);
    CHECK(check::equal_bits(context, joined<policy>(stacks, context, axis, list), y));
    const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
    const auto gradients = parted<policy>(stacks, context, g, axis, list);
    REQUIRE(gradients.size() == list.size());
    std::size_t k = 0;
    bool same = false;
    std::apply([&](const auto&... gx) { same = (check::equal_bits(context, gx, gradients[k++]) && ...); }, parted<policy>(stacks, context, g, axis, first, x...));
    CHECK(same);
  });
  CHECK(run == 60);
}

TEST_CASE("a list of any length goes to memory that is given, and its gradients where they are wanted") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  constexpr std::int64_t count = 70;
  std::vector<golden::tensor<float>> parts, sums;
  std::vector<float> numbers;
  for (std::int64_t k = 0; k < count; ++k) {
    parts.push_back(check::random<float>(context, {k % 3, 5}, static_cast<unsigned>(k))), sums.push_back(check::filled<float>(context, {k % 3, 5}, 1.0f));
    for (const float number : amp::wait_read(context, parts.back())) numbers.push_back(number);
  }
  const auto y = check::given(context, {static_cast<std::int64_t>(numbers.size()) / 5, 5}, numbers);
  CHECK(check::equal_bits(context, amp::cat<policy>(context, 0, parts), y));
  golden::tensor<float> memory(context, y.shape());
  amp::cat<policy>(context, amp::into(memory), 0, parts);
  CHECK(check::equal_bits(context, memory, y));

  using choice = std::variant<amp::into<float>, amp::add_to<float>, amp::no_gradient>;
  std::vector<choice> choices;
  std::vector<amp::add_to<float>> more;
  for (std::size_t k = 0; k < count; ++k) {
    more.emplace_back(sums[k]);
    choices.push_back(k % 2 == 0 ? choice(amp::into(sums[k])) : k == 1 ? choice(amp::no_gradient{}) : choice(amp::add_to(sums[k])));
  }
  amp::cat_backward<policy>(context, y, 0, parts, choices);
  amp::cat_backward<policy>(context, y, 0, parts, more);
  int wrong = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = amp::wait_read(context, parts[k]), sum = amp::wait_read(context, sums[k]);
    for (std::size_t i = 0; i < x.size(); ++i) wrong += sum[i] != (k % 2 == 0 ? x[i] + x[i] : k == 1 ? 1 + x[i] : 1 + x[i] + x[i]);
  }
  CHECK(wrong == 0);

  const amp::view<const float> rows[] = {parts[1].view(), parts[4].view()};  // of [1, 5]
  golden::tensor<float> stacked(context, {1, 2, 5});
  amp::stack<policy>(context, amp::into(stacked), 1, rows);
  CHECK(check::equal_bits(context, stacked, amp::stack<policy>(context, 1, parts[1], parts[4])));
  const std::array<amp::into<float>, 2> places{amp::into(sums[1]), amp::into(sums[4])};
  amp::stack_backward<policy>(context, stacked, 1, rows, places);
  CHECK(check::equal_bits(context, sums[1], parts[1]));
  CHECK(check::equal_bits(context, sums[4], parts[4]));
}

TEST_CASE("an empty list, and one whose arrays, memory or gradients do not fit, is an error that says so; nothing is written") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto a = check::random<float>(context, {3, 40}, 1), b = check::random<float>(context, {2, 24}, 2), g = check::random<float>(context, {5, 40}, 3);
  auto y = check::filled<float>(context, {3, 64}, 7.0f);
  const std::vector<amp::view<const float>> none, both{a, b}, twice{a, a};
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, 0, none), doctest::Contains("amphora [shape]: cat is given an empty list; it joins at least one array"), amp::error);
  CHECK_THROWS_WITH_AS(amp::stack<policy>(context, amp::into(y), 0, none), doctest::Contains("stack is given an empty list"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, y, 0, none), doctest::Contains("cat_backward is given an empty list"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, 1, both), doctest::Contains("cat along axis 1 cannot join [3, 40] and [2, 24]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::stack<policy>(context, 0, both), doctest::Contains("stack has an operand of shape [2, 24] where [3, 40] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, 2, twice), doctest::Contains("cat has no axis 2 in [3, 40]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat<policy>(context, amp::into(y), 1, twice), doctest::Contains("cat has an output of shape [3, 64] where [3, 80] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, g, 0, twice), doctest::Contains("cat_backward has a gradient of the value of shape [5, 40] where [6, 40] is due"), amp::error);

  const auto of_both = check::random<float>(context, {6, 40}, 4);
  auto ga = check::filled<float>(context, {3, 40}, 7.0f), gb = check::filled<float>(context, {40, 3}, 7.0f);
  using places = std::vector<amp::into<float>>;
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, of_both, 0, twice, places{amp::into(ga), amp::into(gb)}), doctest::Contains("cat_backward has a gradient of shape [40, 3] where [3, 40] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, of_both, 0, twice, places{amp::into(ga)}), doctest::Contains("cat_backward has places for 1 gradients where 2 arrays were joined"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cat_backward<policy>(context, of_both, 0, twice, places(3, amp::into(ga))), doctest::Contains("places for 3 gradients where 2 arrays were joined"), amp::error);
  CHECK(check::equal_bits(context, ga, check::filled<float>(context, {3, 40}, 7.0f)));
  CHECK(check::equal_bits(context, y, check::filled<float>(context, {3, 64}, 7.0f)));
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
