#include <amphora/cuda/matmul.cuh>

#include <cuda/product_case.hpp>

namespace amp = amphora;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::tf32, amp::e4m3, amp::e5m2;
using products::check, products::formats, products::product;

namespace {

product sizes(std::int64_t m, std::int64_t n, std::int64_t k, int transposes = 0) {
  product p;
  p.m = m, p.n = n, p.k = k, p.a_transposed = transposes & 1, p.b_transposed = (transposes & 2) != 0;
  return p;
}

}  // namespace

#define EVERY_FORMAT                                                                                                             \
  formats<f16, f16, f32, f16>, formats<bf16, bf16, f32, bf16>, formats<f32, f32, f32, f32>, formats<f64, f64, f64, f64>,         \
      formats<f16, f16, f32, f32>, formats<bf16, bf16, f32, f32>, formats<f32, tf32, f32, f32>, formats<f32, f16, f32, f16>,     \
      formats<f32, bf16, f32, bf16>, formats<f16, f32, f32, f16>, formats<f16, f16, f16, f16>, formats<f16, f16, f16, f32>,      \
      formats<f16, bf16, f32, f16>, formats<f32, f32, f64, f32>, formats<f32, f16, f64, bf16>, formats<e4m3, e4m3, f32, e4m3>,   \
      formats<e5m2, e5m2, f32, f16>, formats<f32, e4m3, f32, f16>, formats<f16, e5m2, f32, bf16>, formats<f64, f32, f32, f64>

TEST_CASE_TEMPLATE("a product has the right numbers, however its operands lie", Formats, EVERY_FORMAT) {
  test_context context;
  for (const bool whole : {true, false})
    for (int transposes = 0; transposes < 4; ++transposes) {
      check<Formats>(context, sizes(5, 7, 9, transposes), whole);
      check<Formats>(context, sizes(8, 16, 24, transposes), whole);
      check<Formats>(context, sizes(1, 9, 4, transposes), whole);
      check<Formats>(context, sizes(6, 1, 3, transposes), whole);
      check<Formats>(context, sizes(1, 1, 1, transposes), whole, true);
    }
}
