#include <amphora/cuda/product_plan.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using amphora::detail::batch_loops, amphora::detail::gemm, amphora::detail::product;

// B18: sizes, strides and offsets are 64-bit all the way.
static_assert(std::is_same_v<decltype(gemm::rows), std::int64_t> && std::is_same_v<decltype(gemm::depth), std::int64_t> && std::is_same_v<decltype(gemm::first_ld), std::int64_t> &&
              std::is_same_v<decltype(gemm::batches), std::int64_t> && std::is_same_v<decltype(gemm::result_stride), std::int64_t>);

namespace {

product sizes(std::int64_t m, std::int64_t n, std::int64_t k) {
  product p;
  p.m = m, p.n = n, p.k = k;
  return p;
}
struct placed { gemm call; std::int64_t a, b, c; bool is_first; };
std::vector<placed> calls(const product& p) {
  std::vector<placed> result;
  amphora::detail::for_each_gemm(p, [&](const gemm& call, std::int64_t a, std::int64_t b, std::int64_t c, bool is_first) { result.push_back({call, a, b, c, is_first}); });
  return result;
}

}  // namespace

TEST_CASE("a row-major product is the column-major one of its operands the other way round") {
  product p = sizes(2, 3, 5);
  gemm call(p);
  CHECK((call.rows == 3 && call.columns == 2 && call.depth == 5 && call.first_ld == 3 && call.second_ld == 5 && call.result_ld == 3));
  CHECK((!call.first_transposed && !call.second_transposed && call.batches == 1));
  p.a_transposed = true;
  CHECK((gemm(p).second_transposed && gemm(p).second_ld == 2 && !gemm(p).first_transposed));
  p.b_transposed = true;
  CHECK((gemm(p).first_transposed && gemm(p).first_ld == 5));
}

TEST_CASE("batches that lie one after the other are one call, whatever their rank") {
  product p = sizes(2, 3, 4);
  p.kept.add(5, 6 * 8, 6 * 12, 6 * 6), p.kept.add(6, 8, 12, 6);
  const auto all = calls(p);
  REQUIRE(all.size() == 1);
  CHECK((all[0].call.batches == 30 && all[0].call.first_stride == 12 && all[0].call.second_stride == 8 && all[0].call.result_stride == 6 && all[0].is_first));
  CHECK(amphora::detail::is_dense(p));
}

TEST_CASE("what is broadcast stays where it is, and outer loops are calls of their own") {
  product p = sizes(2, 3, 4);
  p.kept.add(5, 0, 12, 6 * 6), p.kept.add(6, 8, 0, 6);
  p.summed.add(2, 0, 0, 0);
  const auto all = calls(p);
  REQUIRE(all.size() == 10);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK((all[i].call.batches == 6 && all[i].call.first_stride == 0 && all[i].call.second_stride == 8));
    CHECK((all[i].a == 0 && all[i].b == static_cast<std::int64_t>(i % 5) * 12 && all[i].c == static_cast<std::int64_t>(i % 5) * 36 && all[i].is_first == (i < 5)));
  }
  p.kept.c[0] = 37;
  CHECK(!amphora::detail::is_dense(p));
}

TEST_CASE("B18: sizes and strides past 32 bits are passed on as they are") {
  product p = sizes(std::int64_t(1) << 33, 65536, 32768);
  p.kept.add(3, 1073741825, std::int64_t(65536) * 32768, (std::int64_t(1) << 33) * 65536), p.kept.add(2, 2 * std::int64_t(1073741825), 0, std::int64_t(1) << 50);
  const auto all = calls(p);
  REQUIRE(all.size() == 3);
  CHECK((all[2].call.columns == 8589934592 && all[2].call.second_stride == 2147483650 && all[2].call.result_stride == 1125899906842624));
  CHECK((all[2].a == 2147483650 && all[2].b == 4294967296 && all[2].c == 1125899906842624));
  CHECK(amphora::detail::span(p, p.m * p.k, &batch_loops::a) == 281474976710656 + 2 * std::int64_t(1073741825) + 2147483650);
}

TEST_CASE("a product is named by its shapes, formats and number") {
  product p = sizes(2, 3, 4);
  using amphora::format_id;
  CHECK(std::string(amphora::detail::text(amphora::detail::product_name{p, format_id::f16, format_id::f32}).c_str()) == " of a [2, 4] · b [4, 3] in f16 to f32");
  p.kept.add(6, 8, 12, 6);
  CHECK(std::string(amphora::detail::text(amphora::detail::product_name{p, format_id::bf16, format_id::bf16}).c_str()) == " of a [2, 4] · b [4, 3] in bf16 to bf16, 6 of them");
}
