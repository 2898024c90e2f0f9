#include <amphora/ops/scope.hpp>

#include <amphora/policy/opt_level.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

namespace user {  // an op of the user's: a tag with a parent and the call that it stands for

struct swiglu {
  using parent = amp::op::transparent;
  template <class Policy, class Context, class A, class B> static auto forward(Context& context, const A& a, const B& b) {
    return amp::add<Policy>(context, amp::gelu<Policy>(context, a), b);
  }
};
struct projection {
  using parent = amp::op::contraction;
  template <class Policy, class Context, class X, class W> static auto forward(Context& context, const X& x, const W& w) {
    return amp::matmul<amp::amend<Policy, amp::in<amp::op::matmul, amp::compute<amp::compute_t<Policy, projection>>>>>(context, x, w);
  }
};

}  // namespace user

TEST_CASE_TEMPLATE("under a policy each op gives the bits of a cast by hand and a call", Format, amp::f16, amp::bf16) {
  // Formats by hand: contractions read 16 bits, sensitive ops what is given, the rest the widest or what comes in.
  using T = amp::storage_t<Format>;
  using bare = amp::policy<amp::output<amp::as_computed>>;                             // computes in what it is given
  using wide = amp::policy<amp::compute<amp::f32>>;                                    // as a sensitive op under o1
  test_context context;
  const auto x = check::random<float>(context, {6, 70}, 1), w = check::random<float>(context, {9, 70}, 2), b = check::random<float>(context, {9}, 3);
  const auto lx = amp::cast<Format>(context, x), lw = amp::cast<Format>(context, w), lb = amp::cast<Format>(context, b);
  const auto t = check::given<std::int64_t>(context, {6}, {0, 1, 2, 3, 4, 5});

  amp::autocast<amp::o1<Format>>(context, [&](auto a) {
    CHECK(check::equal_bits(context, a.linear(x, w, b), amp::linear<bare>(context, lx, lw, lb)));
    CHECK(check::equal_bits(context, a.linear(lx, w), amp::linear<bare>(context, lx, lw)));
    const auto wt = check::random<float>(context, {70, 9}, 4);
    CHECK(check::equal_bits(context, a.matmul(x, wt), amp::matmul<bare>(context, lx, amp::cast<Format>(context, wt))));
    CHECK(check::equal_bits(context, a.relu(lx), amp::relu<bare>(context, lx)));
    CHECK(check::equal_bits(context, a.relu(x), amp::relu<bare>(context, x)));
    CHECK(check::equal_bits(context, a.gelu(lx), amp::gelu<bare>(context, lx)));
    CHECK(check::equal_bits(context, a.add(lx, x), amp::add<bare>(context, amp::cast<amp::f32>(context, lx), x)));
    CHECK(check::equal_bits(context, a.dropout(lx, amp::dropout_settings{0.5, 1, 1}), amp::dropout<bare>(context, lx, amp::dropout_settings{0.5, 1, 1})));
    const auto up = amp::cast<amp::f32>(context, lx);
    CHECK(check::equal_bits(context, a.softmax(lx), amp::softmax<wide>(context, up)));
    CHECK(check::equal_bits(context, a.log_softmax(lx), amp::log_softmax<wide>(context, up)));
    CHECK(check::equal_bits(context, a.cross_entropy(lx, t), amp::cross_entropy<wide>(context, up, t)));
    CHECK(check::equal_bits(context, a.mse_loss(lx, x), amp::mse_loss<wide>(context, up, x)));
    CHECK(check::equal_bits(context, a.sum(lx, amp::axes{1}), amp::sum<wide>(context, up, amp::axes{1})));
    CHECK(check::equal_bits(context, a.mean(lx), amp::mean<wide>(context, up)));
  });
  amp::autocast<amp::o3<Format>>(context, [&](auto a) {  // everything is cast at its door
    static_assert(std::is_same_v<decltype(a.relu(x)), check::tensor<T>>);
    CHECK(check::equal_bits(context, a.relu(x), amp::relu<bare>(context, lx)));
    CHECK(check::equal_bits(context, a.gelu(x), amp::gelu<bare>(context, lx)));
    CHECK(check::equal_bits(context, a.add(x, lx), amp::add<bare>(context, lx, lx)));
    CHECK(check::equal_bits(context, a.dropout(x, amp::dropout_settings{0.5, 1, 1}), amp::dropout<bare>(context, lx, amp::dropout_settings{0.5, 1, 1})));
    CHECK(check::equal_bits(context, a.softmax(lx), amp::cast<Format>(context, amp::softmax<wide>(context, lx))));
    CHECK(check::equal_bits(context, a.sum(lx), amp::cast<Format>(context, amp::sum<wide>(context, lx))));
  });
}

TEST_CASE("scopes nest, are switched off, and leave nothing behind") {
  test_context context;
  const auto x = check::random<float>(context, {3, 4}, 1), w = check::random<float>(context, {5, 4}, 2);
  const auto outside = amp::linear<amp::o0<>>(context, x, w);
  const auto y = amp::autocast<amp::o1<amp::f16>>(context, [&](auto amp_) {
    static_assert(std::is_same_v<decltype(amp_.linear(x, w)), check::tensor<amp::float16>>);
    auto off = amp_.with(amp::o0<>{});
    static_assert(std::is_same_v<decltype(off.linear(x, w)), check::tensor<float>>);
    CHECK(check::equal_bits(context, off.linear(x, w), outside));
    auto inner = off.with(amp::o1<amp::bf16>{});
    static_assert(std::is_same_v<decltype(inner.linear(x, w)), check::tensor<amp::bfloat16>>);
    static_assert(std::is_same_v<typename decltype(inner)::policy, amp::o1<amp::bf16>>);
    return amp_.linear(x, w);
  });
  static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, check::tensor<amp::float16>>);
  CHECK(check::equal_bits(context, amp::linear<amp::o0<>>(context, x, w), outside));
}

TEST_CASE("autocasted wraps a callable, and autocast hands arguments on") {
  test_context context;
  const auto x = check::random<float>(context, {3, 4}, 1), w = check::random<float>(context, {5, 4}, 2);
  const auto layer = [](auto a, const auto& in, const auto& weight) { return a.relu(a.linear(in, weight)); };
  const auto wrapped = amp::autocasted<amp::o1<amp::bf16>>(layer);
  static_assert(std::is_same_v<decltype(wrapped(context, x, w)), check::tensor<amp::bfloat16>>);
  CHECK(check::equal_bits(context, wrapped(context, x, w), amp::autocast<amp::o1<amp::bf16>>(context, layer, x, w)));
  float number = 1;
  amp::autocast<amp::o0<>>(context, [](auto, float& n) { n = 2; }, number);
  CHECK(number == 2);
  const auto same = [](auto, float& n) -> float& { return n; };
  static_assert(std::is_same_v<decltype(amp::autocast<amp::o0<>>(context, same, number)), float&>);
}

TEST_CASE("a user's op is called through a scope, under the scope's policy") {
  test_context context;
  const auto x = check::random<float>(context, {3, 4}, 1), y = check::random<float>(context, {3, 4}, 2), w = check::random<float>(context, {4, 2}, 3);
  amp::autocast<amp::o1<amp::f16>>(context, [&](auto a) {
    CHECK(check::equal_bits(context, a(user::swiglu{}, x, y), amp::add<amp::o1<amp::f16>>(context, amp::gelu<amp::o1<amp::f16>>(context, x), y)));
    static_assert(std::is_same_v<decltype(a(user::projection{}, x, w)), check::tensor<amp::float16>>, "its parent's format");
    CHECK(check::equal_bits(context, a(user::projection{}, x, w), a.matmul(x, w)));
  });
}

TEST_CASE("B57: a weight that changes inside a region is read as it is") {
  test_context context;
  const auto x = check::filled<float>(context, {1, 1}, 1);
  auto w = check::filled<float>(context, {1, 1}, 1);
  amp::autocast<amp::o1<amp::f16>>(context, [&](auto a) {
    CHECK(static_cast<float>(amp::wait_read(context, a.linear(x, w))[0]) == 1);
    amp::write(context, {2.0f}, w);  // same memory, same region
    CHECK(static_cast<float>(amp::wait_read(context, a.linear(x, w))[0]) == 2);
  });
}
