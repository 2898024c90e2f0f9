#include <amphora/ops/multi_dot.hpp>

#include <amphora/ops/matmul.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace {

/// Runs a chain's case: value(policy, operands…) and gradients(policy, g, operands…), which gives a tuple.
template <class Value, class Gradients, class... Names>
int run_chain(test_context& context, const golden::test_case& c, const Value& value_of, const Gradients& gradients_of, const Names&... names) {
  int run = 0;
  double product = 1, length = 1;
  for (const char* name : {names...}) product *= 1 + c.input(name).largest(), length += static_cast<double>(c.input(name).values.size());
  const auto in = [&](auto s) {
    using setting = decltype(s);
    using T = typename setting::input;
    if (!(c.input(names).template is_exact_in<T>() && ...)) return;
    ++run;
    const typename setting::policy policy{};
    const double part = sizeof...(Names) == 2 ? 0 : amp::format_of_t<T>::unit_roundoff * 4;  // at most two parts of a chain are rounded, and joined with each other
    const double terms = product * length * length, of_gradients = terms * c.grad_output().largest() * static_cast<double>(c.output().values.size() + 1);
    const auto go = [&](const auto&... x) {
      const auto value = value_of(policy, x...);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, length, terms * part);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto of = gradients_of(policy, g, x...);
      std::apply([&](const auto&... gx) { (golden::compare(context, c.name() + " " + names, gx, c.gradient(names), setting::roundoff, of_gradients, length, of_gradients * part), ...); }, of);
    };
    go(c.input(names).template to<T>(context)...);
  };
  in(golden::setting<amp::o0<>, amp::f64>{}), in(golden::setting<amp::o1<amp::bf16>, amp::bf16>{});
  return run;
}

}  // namespace

TEST_CASE("multi_dot and chain_matmul, and their gradients, agree with the reference") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"multi_dot", "chain_matmul"})) {
    const bool is_chain = c.data.at("op") == "chain_matmul";
    const auto value = [&](auto p, const auto&... x) { return is_chain ? amp::chain_matmul<decltype(p)>(context, x...) : amp::multi_dot<decltype(p)>(context, x...); };
    const auto gradients = [&](auto p, const auto& g, const auto&... x) { return is_chain ? amp::chain_matmul_backward<decltype(p)>(context, g, x...) : amp::multi_dot_backward<decltype(p)>(context, g, x...); };
    const std::string list = is_chain ? "matrices." : "tensors.";
    const std::string a = list + "0", b = list + "1", d = list + "2", e = list + "3";
    if (c.has(e.c_str())) run += run_chain(context, c, value, gradients, a.c_str(), b.c_str(), d.c_str(), e.c_str());
    else if (c.has(d.c_str())) run += run_chain(context, c, value, gradients, a.c_str(), b.c_str(), d.c_str());
    else run += run_chain(context, c, value, gradients, a.c_str(), b.c_str());
  }
  CHECK(run == 18);
}

TEST_CASE("a chain is multiplied in the order that takes the fewest multiplications") {
  const amp::shape left[] = {{10, 100}, {100, 5}, {5, 50}}, right[] = {{50, 5}, {5, 100}, {100, 10}};
  CHECK(amp::detail::matrix_chain<3>("multi_dot", true, left).split[0][2] == 1);   // (ab)c: 7500 where a(bc) takes 75000
  CHECK(amp::detail::matrix_chain<3>("multi_dot", true, right).split[0][2] == 0);  // a(bc)
  // Cormen and others, 15.2: the example of six matrices is ((a(bc))((de)f)).
  const amp::shape six[] = {{30, 35}, {35, 15}, {15, 5}, {5, 10}, {10, 20}, {20, 25}};
  const amp::detail::matrix_chain<6> chain("multi_dot", true, six);
  CHECK(chain.split[0][5] == 2);
  CHECK(chain.split[0][2] == 0);
  CHECK(chain.split[3][5] == 4);
}

TEST_CASE("gradients of a chain go where they are wanted, and add; mixed formats come to one") {
  test_context context;
  using mixed = amp::o1<amp::f16>;
  const auto a = check::random<float>(context, {3, 9}, 1);
  const auto b = check::random<amp::float16>(context, {9, 2}, 2);
  const auto c = check::random<float>(context, {2, 5}, 3);
  const auto g = check::random<amp::float16>(context, {3, 5}, 4);
  const auto value = amp::multi_dot<mixed>(context, a, b, c);
  CHECK(check::equal_bits(context, value, amp::matmul<mixed>(context, amp::matmul<mixed>(context, a, b), c)));  // 84 multiplications instead of 225
  auto [ga, gb, gc] = amp::multi_dot_backward<mixed>(context, g, a, b, c);
  const auto once = amp::wait_read(context, gc);
  golden::tensor<float> other_a(context, {3, 9});
  amp::multi_dot_backward<mixed>(context, g, std::tie(a, b, c), std::tuple(amp::into(other_a), amp::no_gradient{}, amp::add_to(gc)));
  CHECK(check::equal_bits(context, ga, other_a));
  const auto twice = amp::wait_read(context, gc);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
}

TEST_CASE("a chain that does not fit is refused with its shapes, and nothing is written") {
  test_context context;
  const golden::tensor<float> a(context, {3, 4}), b(context, {4, 5}), v(context, {5}), batch(context, {2, 5, 3});
  CHECK_THROWS_WITH_AS(amp::multi_dot<amp::o0<>>(context, a, a), doctest::Contains("cannot multiply operand 0 of shape [3, 4] with the next, of shape [3, 4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::multi_dot<amp::o0<>>(context, a, b, batch), doctest::Contains("operand 2 has shape [2, 5, 3]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::chain_matmul<amp::o0<>>(context, a, b, v), doctest::Contains("operand 2 has shape [5]"), amp::error);
  auto wrong = check::filled<float>(context, {3, 1}, 7);
  CHECK_THROWS_WITH_AS(amp::multi_dot<amp::o0<>>(context, amp::into(wrong), a, b, v), doctest::Contains("[3, 1] where [3] is due"), amp::error);
  CHECK(amp::wait_read(context, wrong) == std::vector<float>(3, 7));
}
