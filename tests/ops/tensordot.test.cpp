#include <amphora/ops/tensordot.hpp>

#include <ops/contraction_case.hpp>

namespace amp = amphora;
template <class P> using tensordot_t = decltype(amp::tensordot<P>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>()));

static_assert(std::is_same_v<tensordot_t<amp::o1<amp::f16>>, golden::tensor<float>>, "the widest format");

namespace {

amp::axes axes_of(const golden::json& list) {
  if (list.size() == 1) return {list[0].get<int>()};
  return {list[0].get<int>(), list[1].get<int>()};
}

}  // namespace

TEST_CASE("tensordot and its gradients agree with the reference, over last axes and over pairs of axes") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"tensordot"})) {
    const golden::json& dims = c.option("dims");
    if (dims.is_number()) {
      const int last = dims;
      run += golden::run_contraction(context, c, "a", "b", [&](auto p, const auto& a, const auto& b) { return amp::tensordot<decltype(p)>(context, a, b, last); },
                                     [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::tensordot_backward<decltype(p)>(context, g, a, b, last); });
    } else {
      const amp::axes of_a = axes_of(dims[0]), of_b = axes_of(dims[1]);
      run += golden::run_contraction(context, c, "a", "b", [&](auto p, const auto& a, const auto& b) { return amp::tensordot<decltype(p)>(context, a, b, of_a, of_b); },
                                     [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::tensordot_backward<decltype(p)>(context, g, a, b, of_a, of_b); });
    }
  }
  CHECK(run == 24);
}

TEST_CASE("tensordot refuses axes that do not pair") {
  test_context context;
  const golden::tensor<float> a(context, {2, 3}), b(context, {3, 4});
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, 3), doctest::Contains("cannot pair the axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, -1), doctest::Contains("cannot pair the axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, amp::axes{0}, amp::axes{0}), doctest::Contains("pairs axes of different extents"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, amp::axes{1, -1}, amp::axes{0, 1}), doctest::Contains("names an axis twice"), amp::error);
}
