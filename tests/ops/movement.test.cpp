#include <amphora/ops/movement.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

namespace {

using policy = amp::o1<amp::f16>;

/// x[c] for the place of a dense array of this shape whose coordinates a function gives.
template <class Coordinates>
std::int64_t place(const amp::shape& s, const Coordinates& at) {
  std::int64_t result = 0;
  for (int axis = 0; axis < s.rank(); ++axis) result = result * s[axis] + at(axis);
  return result;
}
std::vector<std::int64_t> coordinates(const amp::shape& s, std::int64_t i) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(s.rank()));
  for (int axis = s.rank() - 1; axis >= 0; --axis) result[static_cast<std::size_t>(axis)] = i % s[axis], i /= s[axis];
  return result;
}

template <class T> int misplaced(test_context& context, const amp::shape& s, const std::vector<int>& order, const amp::axes& axes) {
  const auto x = check::random<T>(context, s, 1);
  const auto y = amp::permute<policy>(context, x, axes);
  const auto from = amp::wait_read(context, x), to = amp::wait_read(context, y);
  int wrong = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    const auto c = coordinates(y.shape(), i);
    std::vector<std::int64_t> of_x(c.size());
    for (std::size_t k = 0; k < c.size(); ++k) of_x[static_cast<std::size_t>(order[k])] = c[k];
    wrong += static_cast<double>(to[static_cast<std::size_t>(i)]) != static_cast<double>(from[static_cast<std::size_t>(place(s, [&](int axis) { return of_x[static_cast<std::size_t>(axis)]; }))]);
  }
  auto back = check::filled<T>(context, s, T(amp::convert<amp::format_of_t<T>>(1.0)));
  amp::permute_backward<policy>(context, amp::add_to(back), y, axes);
  const auto sum = amp::wait_read(context, back);
  for (std::size_t i = 0; i < sum.size(); ++i) wrong += static_cast<double>(sum[i]) != static_cast<double>(amp::convert<amp::format_of_t<T>>(1 + static_cast<double>(from[i])));
  CHECK(check::equal_bits(context, amp::permute_backward<policy>(context, y, x, axes), x));
  return wrong;
}

}  // namespace

static_assert(std::is_same_v<decltype(amp::transpose<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "stays what it is");
static_assert(std::is_same_v<decltype(amp::slice<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), 0, 0, 1)), golden::tensor<amp::float16>>, "everything in f16");

TEST_CASE("permute puts every number where its order says, and its gradient back") {
  test_context context;
  const auto in_both = [&](const amp::shape& s, const std::vector<int>& order, const amp::axes& axes) {
    INFO(s[0]);
    CHECK(misplaced<double>(context, s, order, axes) == 0);
    CHECK(misplaced<amp::float16>(context, s, order, axes) == 0);
  };
  in_both({40, 33}, {1, 0}, {1, 0});
  in_both({64, 72}, {1, 0}, {-1, 0});
  in_both({3, 17, 40}, {2, 0, 1}, {2, 0, 1});
  in_both({3, 17, 40}, {0, 2, 1}, {0, 2, 1});
  in_both({5, 8, 16}, {1, 0, 2}, {1, 0, 2});
  in_both({2, 3, 1, 5, 7}, {4, 1, 2, 0, 3}, {4, 1, -3, 0, 3});
  in_both({2, 1, 3, 1, 2, 2, 3, 2}, {7, 6, 5, 4, 3, 2, 1, 0}, {7, 6, 5, 4, 3, 2, 1, 0});
  in_both({1}, {0}, {0});
  in_both({0, 3}, {1, 0}, {1, 0});
}

TEST_CASE("transpose exchanges two axes, a scalar's too") {
  test_context context;
  const auto x = check::random<float>(context, {3, 4, 5}, 2);
  CHECK(check::equal_bits(context, amp::transpose<policy>(context, x), amp::permute<policy>(context, x, {0, 2, 1})));
  CHECK(check::equal_bits(context, amp::transpose<policy>(context, x, 0, -1), amp::permute<policy>(context, x, {2, 1, 0})));
  CHECK(check::equal_bits(context, amp::transpose_backward<policy>(context, amp::transpose<policy>(context, x, 0, 2), x, 0, 2), x));
  const auto scalar = check::random<float>(context, {}, 3);
  CHECK(check::equal_bits(context, amp::transpose<policy>(context, scalar, 0, -1), scalar));
  auto y = check::random<amp::float16>(context, {5, 4}, 3);
  CHECK_THROWS_WITH_AS(amp::transpose<policy>(context, amp::into(y), y), doctest::Contains("transpose has an output of shape [5, 4] where [4, 5] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::transpose<policy>(context, x, 0, 3), doctest::Contains("transpose has no axis 3 in [3, 4, 5]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::permute<policy>(context, x, {0, 1}), doctest::Contains("needs an order of 3 axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::permute<policy>(context, x, {0, 1, 1}), doctest::Contains("names axis 1 twice"), amp::error);
}

TEST_CASE("slice takes what Python's would, and its gradient is 0 elsewhere") {
  test_context context;
  const std::int64_t all = INT64_MAX;
  for (const amp::shape& s : {amp::shape{7}, amp::shape{3, 7, 4}, amp::shape{2, 7}})
    for (const auto& [begin, end, step] : std::vector<std::array<std::int64_t, 3>>{{0, all, 1}, {2, 5, 1}, {-3, all, 1}, {1, -1, 2}, {0, all, 3}, {5, 2, 1}, {-100, 100, 1}, {7, 7, 1}}) {
      const int axis = s.rank() == 1 ? 0 : 1;
      const auto x = check::random<float>(context, s, 4);
      const auto y = amp::slice<policy>(context, x, axis, begin, end, step);
      std::vector<std::int64_t> taken;
      for (std::int64_t i = 0; i < 7; ++i) {
        const std::int64_t first = begin < 0 ? (begin + 7 < 0 ? 0 : begin + 7) : begin, past = end < 0 ? end + 7 : end < 7 ? end : 7;
        if (i >= first && i < past && (i - first) % step == 0) taken.push_back(i);
      }
      REQUIRE(y.shape() == s.with(axis, static_cast<std::int64_t>(taken.size())));
      const auto from = amp::wait_read(context, x), to = amp::wait_read(context, y);
      auto both = check::filled<float>(context, s, 8.0f), fresh = amp::slice_backward<policy>(context, y, x, axis, begin, end, step);
      amp::slice_backward<policy>(context, amp::add_to(both), y, axis, begin, end, step);
      const auto gradient = amp::wait_read(context, fresh), added = amp::wait_read(context, both);
      std::vector<float> want(from.size());
      int wrong = 0;
      for (std::int64_t i = 0; i < y.size(); ++i) {
        const auto c = coordinates(y.shape(), i);
        const auto at = static_cast<std::size_t>(place(s, [&](int a) { return a == axis ? taken[static_cast<std::size_t>(c[static_cast<std::size_t>(a)])] : c[static_cast<std::size_t>(a)]; }));
        wrong += to[static_cast<std::size_t>(i)] != from[at], want[at] = from[at];
      }
      for (std::size_t i = 0; i < want.size(); ++i) wrong += gradient[i] != want[i], wrong += added[i] != want[i] + 8;
      CHECK(wrong == 0);
    }
  const auto x = check::random<float>(context, {7}, 4);
  CHECK_THROWS_WITH_AS(amp::slice<policy>(context, x, 0, 0, 7, 0), doctest::Contains("step of 0"), amp::error);
  CHECK_THROWS_WITH_AS(amp::slice_backward<policy>(context, x, x, 0, 0, 3), doctest::Contains("slice_backward has a gradient of the value of shape [7] where [3] is due"), amp::error);
}

TEST_CASE("numbers move at odd places, in long arrays, and change their format on the way") {
  test_context context;
  for (const std::int64_t n : {1, 8, 1031, 2048}) {
    auto memory = check::random<amp::float16>(context, {3 * n + 1}, 5);
    const amp::view<const amp::float16> x(memory.data() + 1, {3, n});
    const auto y = amp::transpose<amp::o0<>>(context, x);
    CHECK(check::equal_bits(context, amp::transpose<amp::o0<>>(context, amp::transpose_backward<amp::o0<>>(context, y, x)), y));
    golden::tensor<float> wide(context, {3, n});
    amp::transpose_backward<amp::o0<>>(context, amp::into(wide), y);
    const auto a = amp::wait_read(context, wide);
    const auto b = amp::wait_read(context, x);
    int wrong = 0;
    for (std::size_t i = 0; i < b.size(); ++i) wrong += a[i] != static_cast<float>(b[i]);
    CHECK(wrong == 0);
  }
}
