#include <amphora/autograd/composed.hpp>

#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

namespace amp = amphora;

namespace composed {

/// x + x in one piece and in pieces; both count their calls.
struct one_piece {
  int* calls;
  template <class Pass, class G, class X> void operator()(Pass& pass, const G& gradient, const X& x) const {
    ++*calls;
    pass.write(x, [&](auto target) { amp::detail::unbroadcast<amp::f32>(pass.context(), target, gradient.value(), x.shape(), 2); });
  }
};
struct pieces {
  int* calls;
  template <class Context, class X> auto operator()(const amp::tape<Context>& recording, const X& x) const { return ++*calls, amp::add<amp::o0<>>(recording, x, x); }
};

/// A sum of three, whose gradients are made together.
struct together {
  int* calls;
  std::vector<bool>* wanted;
  std::vector<bool>* adds;

  template <class Pass, class G, class A, class B, class C> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b, const C& c) const {
    amp::detail::write_together(pass, [&](const auto& to, const bool (&which)[3]) {
      ++*calls;
      wanted->assign(which, which + 3);
      const auto grad = gradient.value();
      const auto one = [&](bool is_wanted, const auto& target) {
        CHECK((target.data != nullptr) == is_wanted);
        adds->push_back(target.add);
        if (is_wanted) amp::detail::map_kernels<test_device>::run(pass.context(), amp::detail::times_factor{1}, amp::detail::make_loops<1>(grad.shape(), {&grad.shape()}), target, amp::detail::read(grad));
      };
      adds->clear();
      one(which[0], std::get<0>(to)), one(which[1], std::get<1>(to)), one(which[2], std::get<2>(to));
    }, a, b, c);
  }
};

}  // namespace composed

TEST_CASE("an op in one piece is run back at once, and through its pieces where the gradients are to be differentiated") {
  test_context context;
  const amp::tape tape(context);
  int written = 0, made = 0;
  const auto x = tape.leaf(numbers<float>(context, {2}, {1, 2})), seed = tape.leaf(numbers<float>(context, {2}, {3, 5}));
  const auto y = [&] { return amp::record(tape, numbers<float>(context, {2}, {2, 4}), amp::detail::composed_record<composed::one_piece, composed::pieces>{{&written}, {&made}}, x); };
  const auto [once] = amp::grad(context, y(), seed, amp::graph::free, x);
  CHECK(written == 1);
  CHECK(made == 0);
  CHECK(!once.needs_gradient());
  const auto [again] = amp::grad(context, y(), seed, amp::graph::create, x);
  CHECK(written == 1);
  CHECK(made == 1);
  CHECK(values(context, once) == std::vector<double>{6, 10});
  CHECK(values(context, again) == std::vector<double>{6, 10});
  const auto [by_seed] = amp::grad(context, again, tape.constant(numbers<float>(context, {2}, {1, 7})), amp::graph::free, seed);
  CHECK(values(context, by_seed) == std::vector<double>{2, 14});
}

TEST_CASE("gradients that are made together are made once, where any is wanted; of two in one memory the second is added") {
  test_context context;
  const amp::tape tape(context);
  int calls = 0;
  std::vector<bool> wanted, adds;
  const auto three = [&](const auto& a, const auto& b, const auto& c) { return amp::record(tape, numbers<float>(context, {2}, {0, 0}), composed::together{&calls, &wanted, &adds}, a, b, c); };
  const auto seed = tape.constant(numbers<float>(context, {2}, {3, 5}));
  const auto numbers_of_all = numbers<float>(context, {2}, {1, 2});
  auto memory = numbers<float>(context, {2}, {9, 9});
  const auto leaf = [&] { return tape.leaf(numbers_of_all.view(), memory.view()); };
  amp::backward(context, three(leaf(), tape.constant(numbers_of_all), leaf()), seed);
  CHECK(calls == 1);
  CHECK(wanted == std::vector<bool>{true, false, true});
  CHECK(adds == std::vector<bool>{false, false, true});
  CHECK(values(context, memory) == std::vector<double>{6, 10});
  const auto x = tape.leaf(numbers<float>(context, {2}, {1, 2})), other = tape.leaf(numbers<float>(context, {2}, {1, 2}));
  const auto [gx] = amp::grad(context, three(x, other, other), seed, amp::graph::free, x);
  CHECK(wanted == std::vector<bool>{true, false, false});
  CHECK(values(context, gx) == std::vector<double>{3, 5});
  const auto [none, of_sum] = amp::grad(context, amp::add<amp::o0<>>(tape, three(x, x, x), other), seed, amp::graph::free, tape.leaf(numbers<float>(context, {2}, {1, 2})), other);
  CHECK(!none);
  CHECK(values(context, of_sum) == std::vector<double>{3, 5});
  CHECK(calls == 2);
}

TEST_CASE("a variable in a format is itself where it can be, the same memory where only its gradient is in another, else a cast") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<float>(context, {2}, {1, 2}));
  auto memory = numbers<amp::float16>(context, {2}, {9, 9});
  const auto in_half = tape.leaf(x.value(), memory.view());
  CHECK(amp::detail::variable_in<amp::f32>(tape, x).shared() == x.shared());
  const auto same = amp::detail::variable_in<amp::f32>(tape, in_half);
  static_assert(std::is_same_v<decltype(same), decltype(x)>);
  CHECK(same.value().data() == x.value().data());
  amp::backward(context, same, numbers<float>(context, {2}, {3, 5}).view());
  CHECK(values(context, memory) == std::vector<double>{3, 5});
  const auto cast = amp::detail::variable_in<amp::f16>(tape, x);
  static_assert(std::is_same_v<decltype(cast)::value_type, amp::float16>);
  amp::backward(context, cast, numbers<float>(context, {2}, {3, 5}).view());
  CHECK(values(context, x.gradient()) == std::vector<double>{3, 5});
}
