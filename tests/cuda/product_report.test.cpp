#include <amphora/cuda/product_report.cuh>

#include <amphora/cuda/matmul.cuh>
#include <amphora/cuda/scale.cuh>
#include <amphora/ops/linear.hpp>
#include <amphora/policy/opt_level.hpp>
#include <device.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace amp = amphora;
using amp::format_id;

namespace {

struct heard {
  std::vector<amp::product_facts> facts;
  std::vector<std::string> messages;
};
void listen(const amp::product_facts& facts, void* user) {
  static_cast<heard*>(user)->facts.push_back(facts);
  static_cast<heard*>(user)->messages.push_back(facts.message);
}
template <class Policy, class T>
void multiply(test_context& context, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t skip = 0) {
  device_array<T> x(context, static_cast<std::size_t>(m * k + skip), T(1.0f)), w(context, static_cast<std::size_t>(n * k), T(1.0f));
  static_cast<void>(amp::linear<Policy>(context, amp::view<const T>(x.data() + skip, {m, k}), amp::view<const T>(w.data(), {n, k})));
}
struct in_tf32 : amp::policy<amp::compute<amp::tf32>> {};

}  // namespace

TEST_CASE("products that miss the tensor cores are reported on request, with what would fix them") {
  test_context context;
  heard all;
  multiply<amp::o1<amp::f16>, amp::float16>(context, 8, 8, 9);  // nobody listens
  amp::report_products(context, listen, &all);
  multiply<amp::o1<amp::f16>, amp::float16>(context, 7, 16, 8);  // rows may be any number
  multiply<amp::o0<>, float>(context, 7, 5, 9);                 // plain floats use no tensor cores
  CHECK(all.facts.empty());
  multiply<amp::o1<amp::f16>, amp::float16>(context, 8, 10, 9);
  REQUIRE(all.facts.size() == 1);
  const amp::product_facts f = all.facts[0];
  CHECK((f.m == 8 && f.n == 10 && f.k == 9 && f.batches == 1 && f.operands == format_id::f16 && f.result == format_id::f16 && f.multiple == 8));
  CHECK((!f.m_misses && f.n_misses && f.k_misses && !f.pointer_misses && !f.padded));
  CHECK(all.messages[0] == "a product of a [8, 9] · b [9, 10] in f16 to f16 misses the tensor cores' 16 bytes; make n, k a multiple of 8");
  multiply<amp::o1<amp::bf16>, amp::bfloat16>(context, 8, 8, 8, 1);
  REQUIRE(all.facts.size() == 2);
  CHECK((all.facts[1].pointer_misses && !all.facts[1].k_misses && all.facts[1].operands == format_id::bf16));
  CHECK(all.messages[1] == "a product of a [8, 8] · b [8, 8] in bf16 to bf16 misses the tensor cores' 16 bytes; make each pointer a multiple of 16 bytes");
  multiply<in_tf32, float>(context, 8, 8, 6, 0);
  REQUIRE(all.facts.size() == 3);
  CHECK((all.facts[2].multiple == 4 && all.facts[2].k_misses));
  multiply<in_tf32, float>(context, 8, 8, 12, 0);
  multiply<amp::o1<amp::f16>, float>(context, 8, 8, 8, 1);  // cast to aligned memory first
  CHECK(all.facts.size() == 3);
  amp::report_products(context, nullptr);
  multiply<amp::o1<amp::f16>, amp::float16>(context, 8, 10, 9);
  CHECK(all.facts.size() == 3);
}

TEST_CASE("a report says whether the product was padded") {
  test_context context;
  heard all;
  amp::report_products(context, listen, &all);
  amp::pad_products(context);
  multiply<amp::o1<amp::f16>, amp::float16>(context, 8, 10, 9);
  amp::pad_products(context, false);
  multiply<amp::o1<amp::f16>, amp::float16>(context, 8, 10, 9);
  REQUIRE(all.facts.size() == 2);
  CHECK((all.facts[0].padded && !all.facts[1].padded));
  CHECK(all.messages[0] == "a product of a [8, 9] · b [9, 10] in f16 to f16 is padded; make n, k a multiple of 8");
}

TEST_CASE("what must be a multiple is what lines are long by, in each layout") {
  amp::detail::product p;
  p.m = 9, p.n = 10, p.k = 11;
  const auto facts = [&](int transposes, format_id operands, format_id result, bool tf32 = false) {
    p.a_transposed = transposes & 1, p.b_transposed = (transposes & 2) != 0;
    return amp::detail::facts_of(p, operands, tf32, result, nullptr, nullptr, nullptr);
  };
  const auto is = [](const amp::product_facts& f, bool m, bool n, bool k) { return f.m_misses == m && f.n_misses == n && f.k_misses == k && amp::detail::misses(f) == (m || n || k); };
  CHECK(is(facts(0, format_id::f16, format_id::f16), false, true, true));   // a: k, b: n, c: n
  CHECK(is(facts(1, format_id::f16, format_id::f16), true, true, false));   // a: m, b: n
  CHECK(is(facts(2, format_id::f16, format_id::f16), false, true, true));   // a: k, b: k, c: n
  CHECK(is(facts(3, format_id::bf16, format_id::bf16), true, true, true));  // a: m, b: k, c: n
  p.n = 12;
  CHECK(is(facts(2, format_id::f16, format_id::f32), false, false, true));  // twelve floats are 48 bytes
  CHECK(is(facts(0, format_id::f32, format_id::f32, true), false, false, true));
  CHECK(is(facts(0, format_id::f32, format_id::f32), false, false, false));
  CHECK(is(facts(0, format_id::f64, format_id::f64), false, false, false));
}
