#include <amphora/ops/einsum.hpp>

#include <amphora/ops/cast.hpp>
#include <amphora/ops/matmul.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using golden::tensor;
template <class P> using einsum_t = decltype(amp::einsum<P>(std::declval<test_context&>(), "i,i", std::declval<tensor<float>>(), std::declval<tensor<float>>()));
template <class P> using tensordot_t = decltype(amp::tensordot<P>(std::declval<test_context&>(), std::declval<tensor<float>>(), std::declval<tensor<float>>()));

static_assert(std::is_same_v<einsum_t<amp::o1<amp::f16>>, tensor<amp::float16>>, "a contraction");
static_assert(std::is_same_v<tensordot_t<amp::o1<amp::f16>>, tensor<float>>, "the widest format");

namespace {

/// Value and gradients of one case in the formats where the arithmetic differs.
template <class Value, class Gradients>
int run_case(test_context& context, const golden::test_case& c, const char* first, const char* second, const Value& value_of, const Gradients& gradients_of) {
  int run = 0;
  const golden::array a = c.input(first), b = c.input(second);
  const auto in = [&](auto s) {
    using setting = decltype(s);
    using T = typename setting::input;
    if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
    ++run;
    const typename setting::policy policy{};
    const auto x = a.template to<T>(context), y = b.template to<T>(context);
    const double length = static_cast<double>(a.values.size() + b.values.size()), computed = amp::compute_t<typename setting::policy, amp::op::einsum, amp::format_of_t<T>>::unit_roundoff;
    const auto value = value_of(policy, x, y);
    // A sum over axes of one operand alone is rounded to what is multiplied.
    golden::compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest(), length, computed * length * a.largest() * b.largest());
    const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
    const double largest = c.grad_output().largest() * (std::max)(a.largest(), b.largest()) * (length + static_cast<double>(c.output().values.size() + 1));
    const auto of = gradients_of(policy, g, x, y);
    golden::compare(context, c.name() + " a", of.first, c.gradient(first), setting::roundoff, largest, length, computed * largest);
    golden::compare(context, c.name() + " b", of.second, c.gradient(second), setting::roundoff, largest, length, computed * largest);
  };
  in(golden::setting<amp::o0<>, amp::f64>{}), in(golden::setting<amp::o1<amp::f16>, amp::f32>{}), in(golden::setting<amp::o1<amp::bf16>, amp::bf16>{});
  return run;
}
amp::axes axes_of(const golden::json& list) {
  if (list.size() == 1) return {list[0].get<int>()};
  return {list[0].get<int>(), list[1].get<int>()};
}

}  // namespace

TEST_CASE("einsum and its gradients agree with the reference") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"einsum"})) {
    const std::string equation = c.option("equation");
    run += run_case(context, c, "operands.0", "operands.1", [&](auto p, const auto& a, const auto& b) { return amp::einsum<decltype(p)>(context, equation.c_str(), a, b); },
                    [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::einsum_backward<decltype(p)>(context, equation.c_str(), g, a, b); });
  }
  CHECK(run >= 75);
}

TEST_CASE("tensordot and its gradients agree with the reference, over last axes and over pairs of axes") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"tensordot"})) {
    const golden::json& dims = c.option("dims");
    if (dims.is_number()) {
      const int last = dims;
      run += run_case(context, c, "a", "b", [&](auto p, const auto& a, const auto& b) { return amp::tensordot<decltype(p)>(context, a, b, last); },
                      [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::tensordot_backward<decltype(p)>(context, g, a, b, last); });
    } else {
      const amp::axes of_a = axes_of(dims[0]), of_b = axes_of(dims[1]);
      run += run_case(context, c, "a", "b", [&](auto p, const auto& a, const auto& b) { return amp::tensordot<decltype(p)>(context, a, b, of_a, of_b); },
                      [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::tensordot_backward<decltype(p)>(context, g, a, b, of_a, of_b); });
    }
  }
  CHECK(run == 24);
}

TEST_CASE("gradients of einsum and vecdot are the slopes of their values: diagonals, sums over one operand, transposes, broadcast axes") {
  test_context context;
  struct { const char* equation; amp::shape a, b; } const all[] = {
      {"iij,jk->ik", {3, 3, 4}, {4, 2}}, {"ij,kl->jl", {3, 4}, {2, 5}}, {"ijk,ikl->lij", {2, 3, 4}, {2, 4, 5}}, {"...ij,...kj->...ki", {2, 1, 3, 4}, {5, 2, 4}},
      {"abc,cb->", {2, 3, 4}, {4, 3}}, {"bi,bi->b", {4, 3}, {1, 3}}, {"aab,ab->ab", {3, 3, 2}, {3, 2}}, {"i j k, k", {2, 3, 4}, {4}}, {"bij,bjk->kb", {2, 3, 4}, {2, 4, 3}}};
  for (const auto& one : all) {
    CAPTURE(one.equation);
    auto a = check::random<double>(context, one.a, 1), b = check::random<double>(context, one.b, 2);
    const auto g = check::random<double>(context, amp::einsum<amp::o0<>>(context, one.equation, a, b).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::einsum<amp::o0<>>(context, one.equation, a, b)); };
    const auto of = amp::einsum_backward<amp::o0<>>(context, one.equation, g, a, b);
    check::slopes(context, value, a, of.first), check::slopes(context, value, b, of.second);
  }
  for (int axis : {-1, 0, 1}) {
    auto a = check::random<double>(context, {2, 3, 4}, 1), b = check::random<double>(context, {3, 1}, 2);
    const auto g = check::random<double>(context, amp::vecdot<amp::o0<>>(context, a, b, axis).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::vecdot<amp::o0<>>(context, a, b, axis)); };
    const auto of = amp::vecdot_backward<amp::o0<>>(context, g, a, b, axis);
    check::slopes(context, value, a, of.first), check::slopes(context, value, b, of.second);
  }
}

TEST_CASE("einsum has the bits of matmul where it is one, of a call on operands that were cast by hand, and it adds gradients") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto a = check::random<float>(context, {3, 17, 9}, 1), b = check::random<float>(context, {3, 9, 21}, 2);
  const auto value = amp::einsum<mixed>(context, "bij,bjk->bik", a, b);
  CHECK(check::equal_bits(context, value, amp::matmul<mixed>(context, a, b)));
  const auto low_a = amp::cast<amp::f16>(context, a), low_b = amp::cast<amp::f16>(context, b);
  for (const char* equation : {"bij,bjk->bik", "bij,bjk->kib", "bij,cjk->i", "bij,bjk->bijk"})
    CHECK(check::equal_bits(context, amp::einsum<mixed>(context, equation, a, b), amp::einsum<amp::policy<>>(context, equation, low_a, low_b)));
  for (const char* equation : {"bij,bjk->kib", "bij,cjk->i", "bij,bjk->bijk"}) {
    const auto g = check::random<amp::float16>(context, amp::einsum<mixed>(context, equation, a, b).shape(), 3);
    auto of = amp::einsum_backward<mixed>(context, equation, g, a, b);
    const auto once = amp::wait_read(context, of.first);
    amp::einsum_backward<mixed>(context, equation, g, a, b, amp::add_to(of.first), amp::no_gradient{});
    const auto twice = amp::wait_read(context, of.first);
    for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
  }
}

TEST_CASE("equations and shapes that are none are refused, with what is wrong, and nothing is written") {
  test_context context;
  const tensor<float> a(context, {2, 3}), b(context, {3, 4});
  const auto says = [&](const char* equation, const char* what) { CHECK_THROWS_WITH_AS(amp::einsum<amp::o0<>>(context, equation, a, b), doctest::Contains(what), amp::error); };
  says("ij->ji", "exactly two operands"), says("ij,jk,kl->il", "exactly two operands"), says("ij", "exactly two operands"), says("i1,jk->ik", "named by one letter");
  says("ij,jk->il", "the result names an axis that no operand has"), says("ij,jk->ikk", "the result names an axis twice"), says("ijk,jk->i", "operand 0 has shape [2, 3] and 3 named axes");
  says("ij,ik->jk", "an axis has two extents, in a of shape [2, 3] and b of shape [3, 4]"), says("ii,ik->k", "has no diagonal"), says("......ij,jk", "an ellipsis stands twice");
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, 3), doctest::Contains("cannot pair the axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, -1), doctest::Contains("cannot pair the axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, amp::axes{0}, amp::axes{0}), doctest::Contains("pairs axes of different extents"), amp::error);
  CHECK_THROWS_WITH_AS(amp::tensordot<amp::o0<>>(context, a, b, amp::axes{1, -1}, amp::axes{0, 1}), doctest::Contains("names an axis twice"), amp::error);
  CHECK_THROWS_WITH_AS(amp::vecdot<amp::o0<>>(context, a, a, 2), doctest::Contains("vecdot has no axis 2 in [2, 3]"), amp::error);
  auto wrong = check::filled<float>(context, {2, 3}, 7);
  CHECK_THROWS_WITH_AS(amp::einsum<amp::o0<>>(context, amp::into(wrong), "ij,jk->ik", a, b), doctest::Contains("[2, 3] where [2, 4] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(6, 7));
}
