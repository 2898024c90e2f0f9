#include <amphora/ops/fold.hpp>

#include <amphora/ops/cosine_similarity.hpp>
#include <amphora/ops/cumulative.hpp>
#include <amphora/ops/distance.hpp>
#include <amphora/ops/logsumexp.hpp>
#include <amphora/ops/norm.hpp>
#include <amphora/ops/pdist.hpp>
#include <amphora/ops/prod.hpp>
#include <amphora/ops/renorm.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

#include <utility>

namespace amp = amphora;

namespace {

golden::tensor<float> widened(test_context& context, const golden::tensor<amp::float16>& x) {
  std::vector<float> numbers;
  for (const amp::float16& v : amp::wait_read(context, x)) numbers.push_back(static_cast<float>(v));
  return check::given(context, x.shape(), numbers);
}

}  // namespace

TEST_CASE("a fold is cut into chunks by its shape alone, and few results into more of them than many") {
  const auto chunks = [](const amp::shape& s, int axis) {
    const auto fold = amp::detail::make_fold<1>(s, amp::detail::axis_set::of({axis}, s.rank()), {&s});
    return std::pair(fold.side_by_side, fold.parts());
  };
  CHECK(chunks({300, 100}, 1) == std::pair(false, std::int64_t(1)));
  CHECK(chunks({3, 8193}, 1) == std::pair(false, std::int64_t(3)));
  CHECK(chunks({8193, 3}, 0) == std::pair(true, std::int64_t(33)));
  CHECK(chunks({8193, 65535}, 0) == std::pair(true, std::int64_t(33)));
  CHECK(chunks({8193, 65536}, 0) == std::pair(true, std::int64_t(1)));  // otherwise what the chunks came to would be a share of the array
  CHECK(chunks({0, 65536}, 0).second == 1);
  const amp::shape a{7, 1, 64}, b{9, 64}, g{7, 9, 1}, wide{7, 9, 64};  // the gradient of a distance of rows: along the rows' numbers
  CHECK(amp::detail::make_fold<4>(wide, amp::detail::axis_set::of({1}, 3), {&g, &g, &a, &b}).side_by_side);
}

TEST_CASE("under autocast a reduction of 16-bit numbers has the bits of the same numbers cast to float by hand, and so have its gradients once rounded") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  using plain = amp::o0<>;
  for (const amp::shape& shape : {amp::shape{7, 131}, amp::shape{1, 1}, amp::shape{3, 8}}) {
    const auto half = check::random<amp::float16>(context, shape, 1);
    const auto wide = widened(context, half);
    const auto same = [&](const auto& op, const auto& backward) {
      const golden::tensor<float> y = op(mixed{}, half);
      CHECK(check::equal_bits(context, y, op(plain{}, wide)));
      const auto g = check::random<float>(context, y.shape(), 2);
      golden::tensor<amp::float16> rounded(context, shape), by_hand(context, shape);
      backward(mixed{}, g, half, amp::into(rounded)), backward(plain{}, g, wide, amp::into(by_hand));
      CHECK(check::equal_bits(context, rounded, by_hand));
    };
    const amp::axes rows{1};
    same([&](auto p, const auto& x) { return amp::norm<decltype(p)>(context, x, 2, rows); }, [&](auto p, const auto& g, const auto& x, auto to) { amp::norm_backward<decltype(p)>(context, to, g, x, 2, rows); });
    same([&](auto p, const auto& x) { return amp::logsumexp<decltype(p)>(context, x, rows); },
         [&](auto p, const auto& g, const auto& x, auto to) { amp::logsumexp_backward<decltype(p)>(context, to, g, x, rows); });
    same([&](auto p, const auto& x) { return amp::prod<decltype(p)>(context, x, rows); }, [&](auto p, const auto& g, const auto& x, auto to) { amp::prod_backward<decltype(p)>(context, to, g, x, rows); });
    same([&](auto p, const auto& x) { return amp::cumsum<decltype(p)>(context, x); }, [&](auto p, const auto& g, const auto& x, auto to) { amp::cumsum_backward<decltype(p)>(context, to, g, x); });
    same([&](auto p, const auto& x) { return amp::cumprod<decltype(p)>(context, x); }, [&](auto p, const auto& g, const auto& x, auto to) { amp::cumprod_backward<decltype(p)>(context, to, g, x); });
    same([&](auto p, const auto& x) { return amp::renorm<decltype(p)>(context, x, 2, 0, 1); },
         [&](auto p, const auto& g, const auto& x, auto to) { amp::renorm_backward<decltype(p)>(context, to, g, x, 2, 0, 1); });
    same([&](auto p, const auto& x) { return amp::pdist<decltype(p)>(context, x); }, [&](auto p, const auto& g, const auto& x, auto to) { amp::pdist_backward<decltype(p)>(context, to, g, x); });
    same([&](auto p, const auto& x) { return amp::cdist<decltype(p)>(context, x, wide); },
         [&](auto p, const auto& g, const auto& x, auto to) { amp::cdist_backward<decltype(p)>(context, g, x, wide, to, amp::no_gradient{}); });
    same([&](auto p, const auto& x) { return amp::dist<decltype(p)>(context, x, x); },
         [&](auto p, const auto& g, const auto& x, auto to) { amp::dist_backward<decltype(p)>(context, g, x, x, to, amp::no_gradient{}); });
    same([&](auto p, const auto& x) { return amp::cosine_similarity<decltype(p)>(context, x, wide); },
         [&](auto p, const auto& g, const auto& x, auto to) { amp::cosine_similarity_backward<decltype(p)>(context, g, x, wide, to, amp::no_gradient{}); });
  }
}

TEST_CASE("f64 is never cast by a policy, and is reduced in double") {
  test_context context;
  const auto x = check::random<double>(context, {3, 40}, 1);
  const auto y = amp::norm<amp::o1<amp::f16>>(context, x, 2, amp::axes{1});
  static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, golden::tensor<double>>);
  CHECK(check::equal_bits(context, y, amp::norm<amp::o0<>>(context, x, 2, amp::axes{1})));
  const auto numbers = amp::wait_read(context, x), got = amp::wait_read(context, y);
  for (std::size_t i = 0; i < 3; ++i) {
    long double sum = 0;
    for (std::size_t j = 0; j < 40; ++j) sum += static_cast<long double>(numbers[40 * i + j]) * static_cast<long double>(numbers[40 * i + j]);
    CHECK(std::fabs(static_cast<double>(got[i] / std::sqrt(sum) - 1)) <= 24 * amp::f64::unit_roundoff);  // 5 + 2 additions of squares, halved by the root
  }
}

TEST_CASE("memory that does not begin at an aligned place gives the same bits") {
  test_context context;
  const auto numbers = check::random_numbers<amp::float16>(6 * 77 + 1, 1);
  auto shifted = check::given(context, {6 * 77 + 1}, numbers);
  const auto aligned = check::given(context, {6, 77}, std::vector<amp::float16>(numbers.begin() + 1, numbers.end()));
  const amp::view<const amp::float16> view(shifted.data() + 1, {6, 77});
  for (int axis : {0, 1}) {
    CHECK(check::equal_bits(context, amp::norm<amp::o0<>>(context, view, 2, amp::axes{axis}), amp::norm<amp::o0<>>(context, aligned, 2, amp::axes{axis})));
    CHECK(check::equal_bits(context, amp::cumsum<amp::o0<>>(context, view, axis), amp::cumsum<amp::o0<>>(context, aligned, axis)));
  }
}
