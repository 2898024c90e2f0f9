#include <amphora/cuda/map.cuh>

#include <amphora/host/map.hpp>
#include <amphora/ops/add.hpp>
#include <amphora/ops/gelu.hpp>
#include <amphora/ops/relu.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;

namespace {

/// y = a + 0.3 b on one device.
template <class T, class Context>
std::vector<T> added(Context& c, const amp::shape& y, const amp::shape& a, const amp::shape& b, int skip_y, int skip_a, int skip_b, bool in_place = false) {
  check::array<T, Context> x1(c, a, check::numbers<T>(a.elements(), 1), skip_a), x2(c, b, check::numbers<T>(b.elements(), 2), skip_b);
  if (in_place) {
    amp::add<amp::policy<>>(c, amp::into(x1.view()), x1.view(), x2.view(), 0.3);
    return x1.wait_read();
  }
  check::array<T, Context> sum(c, y, check::numbers<T>(y.elements(), 3), skip_y);
  amp::add<amp::policy<>>(c, amp::into(sum.view()), x1.view(), x2.view(), 0.3);
  return sum.wait_read();
}
template <class T>
void check_added(const amp::shape& y, const amp::shape& a, const amp::shape& b, int skip_y = 0, int skip_a = 0, int skip_b = 0, bool in_place = false) {
  amp::host_context host;
  amp::cuda_context cuda;
  const auto want = added<T>(host, y, a, b, skip_y, skip_a, skip_b, in_place);
  for (bool reverse : {false, true}) {
    const check::in_reverse order(reverse);
    CHECK(check::different(added<T>(cuda, y, a, b, skip_y, skip_a, skip_b, in_place), want) == 0);
  }
}

/// Loops over operands that all have one shape.
template <int Operands> amp::detail::loops<Operands> run_of(const amp::shape& s) {
  if constexpr (Operands == 1) return amp::detail::make_loops<1>(s, {&s});
  else return amp::detail::make_loops<3>(s, {&s, &s, &s});
}
struct index_plus { template <class Real> AMPHORA_HD Real operator()(std::int64_t i, Real x) const { return static_cast<Real>(i) + x; } };
struct product_of_three { template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real x, Real y, Real z) const { return x * y * z; } };

}  // namespace

TEST_CASE_TEMPLATE("elementwise ops give the host's bits at every size and alignment", T, float16, bfloat16, float, double) {
  for (const std::int64_t n : check::sizes) {
    CAPTURE(n);
    for (int skip = 0; skip < 4; ++skip) check_added<T>({n}, {n}, {n}, skip & 1, skip >> 1, skip & 1);
    check_added<T>({n}, {n}, {n}, 3, 3, 3);  // all come to 16 bytes together after a head
    check_added<T>({n}, {n}, {n}, 1, 1, 1, true);
    check_added<T>({n}, {n}, {n}, 0, 0, 0, true);
  }
}

TEST_CASE_TEMPLATE("and with every broadcast", T, float16, float) {
  check_added<T>({33, 64}, {33, 64}, {64});       // a bias: rows of whole eights
  check_added<T>({33, 64}, {33, 64}, {64}, 0, 0, 1);
  check_added<T>({33, 10}, {33, 10}, {10});       // and of others
  check_added<T>({33, 64}, {33, 64}, {33, 1});    // a number a row
  check_added<T>({33, 64}, {33, 1}, {64}, 1);
  check_added<T>({4097}, {4097}, {1}, 5, 5, 3);
  check_added<T>({4, 8, 3, 16}, {8, 1, 16}, {4, 1, 3, 1});
  check_added<T>({4, 8, 3, 5}, {8, 1, 5}, {4, 1, 3, 1});
  check_added<T>({}, {}, {});
  check_added<T>({2, 0, 8}, {2, 0, 8}, {8});
}

TEST_CASE("an operand that an op reads more narrowly is rounded first") {
  const auto reads = [](auto& c) {
    using context = std::decay_t<decltype(c)>;
    check::array<float, context> x(c, {4097}, check::numbers<float>(4097, 5, 1000)), y(c, {4097}, check::numbers<float>(4097, 6), 1);
    amp::detail::map_kernels<typename context::device>::run(c, amp::detail::relu_value{}, run_of<1>({4097}), amp::detail::write(y.view()),
                                                            amp::detail::read_as<amp::bf16>(amp::detail::operand(x.view())));
    return y.wait_read();
  };
  amp::host_context host;
  amp::cuda_context cuda;
  const auto want = reads(host);
  CHECK(check::different(reads(cuda), want) == 0);
  for (float y : want) CHECK(static_cast<float>(bfloat16(y)) == y);
}

TEST_CASE_TEMPLATE("a gradient that is added is summed before it is rounded, once", T, float16, bfloat16, float, double) {
  const auto adds = [](auto& c) {
    using context = std::decay_t<decltype(c)>;
    std::vector<T> all;
    for (const std::int64_t n : check::sizes)
      for (int skip : {0, 1}) {
        check::array<T, context> x(c, {n}, check::numbers<T>(n, 5)), g(c, {n}, check::numbers<T>(n, 6)), gx(c, {n}, check::numbers<T>(n, 7), skip);
        amp::relu_backward<amp::policy<>>(c, amp::add_to(gx.view()), g.view(), x.view());
        amp::detail::map_kernels<typename context::device>::run(c, product_of_three{}, run_of<3>({n}),
            amp::detail::gradient_target(amp::add_to(gx.view())), amp::detail::read(amp::detail::operand(x.view())), amp::detail::read(amp::detail::operand(g.view())), amp::detail::read(amp::detail::operand(x.view())));
        const auto part = gx.wait_read();
        all.insert(all.end(), part.begin(), part.end());
      }
    return all;
  };
  amp::host_context host;
  amp::cuda_context cuda;
  CHECK(check::different(adds(cuda), adds(host)) == 0);
}

TEST_CASE("a functor is told the index of its element") {
  const auto indexed = [](auto& c) {
    using context = std::decay_t<decltype(c)>;
    check::array<float, context> x(c, {3000}, check::numbers<float>(3000, 5), 3), y(c, {3000}, check::numbers<float>(3000, 6), 3);
    amp::detail::map_kernels<typename context::device>::run(c, index_plus{}, run_of<1>({3000}), amp::detail::write(y.view()),
                                                            amp::detail::read(amp::detail::operand(x.view())));
    return y.wait_read();
  };
  amp::host_context host;
  amp::cuda_context cuda;
  CHECK(check::different(indexed(cuda), indexed(host)) == 0);
}

// exp and erfc are right to 2 units in the last place on either side (CUDA C++ Programming Guide, mathematical functions), and a
// handful of roundings follow; a store to 16 bits hides all but the last of it.
TEST_CASE_TEMPLATE("gelu is near the host's", T, float16, bfloat16, float, double) {
  const auto bent = [](auto& c, amp::gelu_form form) {
    using context = std::decay_t<decltype(c)>;
    check::array<T, context> x(c, {4097}, check::numbers<T>(4097, 5, 8)), g(c, {4097}, check::numbers<T>(4097, 6), 1), y(c, {4097}, check::numbers<T>(4097, 7), 1);
    amp::gelu<amp::policy<>>(c, amp::into(y.view()), x.view(), form);
    auto all = y.wait_read();
    amp::gelu_backward<amp::policy<>>(c, amp::into(y.view()), g.view(), x.view(), form);
    const auto slope = y.wait_read();
    all.insert(all.end(), slope.begin(), slope.end());
    return all;
  };
  amp::host_context host;
  amp::cuda_context cuda;
  for (const auto form : {amp::gelu_form::erf, amp::gelu_form::tanh}) CHECK(check::largest_error(bent(cuda, form), bent(host, form)) <= 16);
}

TEST_CASE("an elementwise op neither waits nor allocates") {
  amp::cuda_context cuda;
  check::array<float, amp::cuda_context> x(cuda, {4097}, check::numbers<float>(4097, 5)), y(cuda, {4097}, check::numbers<float>(4097, 6));
  check::neither_waits_nor_allocates(cuda, [&](auto& c) { amp::add<amp::policy<>>(c, amp::into(y.view()), x.view(), y.view()); });
}

TEST_CASE("eights are found in long runs after a head, in rows, and nowhere else") {
  alignas(16) static unsigned char memory[4096];
  using namespace amp::detail;
  const auto at = [](int elements) { return memory + 2 * elements; };
  const auto plan = [&](const amp::shape& s, const amp::shape& a, const amp::shape& b, int y, int x1, int x2) {
    return plan_map(make_loops<2>(s, {&a, &b}), target<amp::f16>{at(y), false}, std::index_sequence<0, 1>(), source<amp::f16>{at(x1)}, source<amp::f16>{at(x2)});
  };
  CHECK(plan({100}, {100}, {100}, 0, 0, 0).eights == 12);
  CHECK(plan({100}, {100}, {100}, 3, 3, 3).head == 5);
  CHECK(plan({100}, {100}, {100}, 3, 3, 3).eights == 11);
  CHECK(plan({100}, {100}, {100}, 0, 1, 0).eights == 0);
  CHECK(plan({100}, {100}, {1}, 0, 0, 1).eights == 12);     // one number may lie anywhere
  CHECK(plan({12}, {12}, {12}, 1, 1, 1).eights == 0);       // 7 before the first eight leave 5
  CHECK(plan({10, 16}, {10, 16}, {16}, 0, 0, 0).eights == 20);
  CHECK(plan({10, 16}, {10, 16}, {10, 1}, 0, 0, 1).eights == 20);
  CHECK(plan({10, 12}, {10, 12}, {12}, 0, 0, 0).eights == 0);
  CHECK(plan({10, 16}, {10, 16}, {16}, 0, 0, 1).eights == 0);
}
