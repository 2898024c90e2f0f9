#include <amphora/ops/einsum.hpp>

#include <amphora/ops/cast.hpp>
#include <amphora/ops/matmul.hpp>
#include <ops/contraction_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
template <class P> using einsum_t = decltype(amp::einsum<P>(std::declval<test_context&>(), "i,i", std::declval<golden::tensor<float>>(), std::declval<golden::tensor<float>>()));

static_assert(std::is_same_v<einsum_t<amp::o1<amp::f16>>, golden::tensor<amp::float16>>, "a contraction");

TEST_CASE("einsum and its gradients agree with the reference") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"einsum"})) {
    const std::string equation = c.option("equation");
    run += golden::run_contraction(context, c, "operands.0", "operands.1", [&](auto p, const auto& a, const auto& b) { return amp::einsum<decltype(p)>(context, equation.c_str(), a, b); },
                                   [&](auto p, const auto& g, const auto& a, const auto& b) { return amp::einsum_backward<decltype(p)>(context, equation.c_str(), g, a, b); });
  }
  CHECK(run >= 75);
}

TEST_CASE("the gradients of einsum are the slopes of its values: diagonals, sums over one operand, transposes, broadcast axes") {
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

TEST_CASE("equations that are none, or of other shapes, are refused, with what is wrong, and nothing is written") {
  test_context context;
  const golden::tensor<float> a(context, {2, 3}), b(context, {3, 4});
  const auto says = [&](const char* equation, const char* what) { CHECK_THROWS_WITH_AS(amp::einsum<amp::o0<>>(context, equation, a, b), doctest::Contains(what), amp::error); };
  says("ij->ji", "exactly two operands"), says("ij,jk,kl->il", "exactly two operands"), says("ij", "exactly two operands"), says("i1,jk->ik", "named by one letter");
  says("ij,jk->il", "the result names an axis that no operand has"), says("ij,jk->ikk", "the result names an axis twice"), says("ijk,jk->i", "operand 0 has shape [2, 3] and 3 named axes");
  says("ij,ik->jk", "an axis has two extents, in a of shape [2, 3] and b of shape [3, 4]"), says("ii,ik->k", "has no diagonal"), says("......ij,jk", "an ellipsis stands twice");
  auto wrong = check::filled<float>(context, {2, 3}, 7);
  CHECK_THROWS_WITH_AS(amp::einsum<amp::o0<>>(context, amp::into(wrong), "ij,jk->ik", a, b), doctest::Contains("[2, 3] where [2, 4] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(6, 7));
}
