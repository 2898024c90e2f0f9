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

/// `x` for 2 · 3 matrices that lie so that no two loops are one; a stride of 0 broadcasts.
product batch(product x, bool spread_a = false, bool spread_b = false) {
  const std::int64_t a = x.m * x.k, b = x.k * x.n, c = x.m * x.n;
  x.kept.add(2, a, spread_b ? 0 : 6 * b, 3 * c), x.kept.add(3, spread_a ? 0 : 2 * a, spread_b ? 0 : b, c);
  return x;
}
product with(product x, bool bias, bool relu, bool mask) {
  x.has_bias = bias, x.relu = relu, x.has_mask = mask;
  return x;
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

TEST_CASE_TEMPLATE("batches are broadcast, kept and summed", Formats, EVERY_FORMAT) {
  test_context context;
  for (const bool whole : {true, false})
    for (int transposes = 0; transposes < 4; ++transposes) {
      const product one = sizes(3, 5, 4, transposes);
      for (const bool spread : {false, true}) {
        check<Formats>(context, batch(one, spread), whole);
        check<Formats>(context, batch(one, false, spread), whole, true);
      }
      product sum = one;
      sum.summed.add(3, 12, 20, 0);
      check<Formats>(context, sum, whole);
      check<Formats>(context, batch(sum), whole, true);
      sum.summed.add(2, 0, 60, 0);
      check<Formats>(context, batch(sum, true), whole);
    }
}

TEST_CASE_TEMPLATE("bias, relu, mask and what stands there come after the sum, and before the one rounding", Formats, EVERY_FORMAT) {
  test_context context;
  for (const bool whole : {true, false})
    for (int what = 0; what < 8; ++what)
      for (const bool add : {false, true})
        for (const product& one : {sizes(5, 7, 9, 2), sizes(4, 8, 16), sizes(1, 8, 3), sizes(3, 1, 2)}) {
          const product p = with(one, what & 1, (what & 2) != 0, (what & 4) != 0);
          check<Formats>(context, p, whole, add);
          check<Formats>(context, batch(p), whole, add);
        }
}

TEST_CASE_TEMPLATE("without terms a product is its bias, or zero, or leaves what stands there", Formats, EVERY_FORMAT) {
  test_context context;
  for (int what = 0; what < 8; ++what)
    for (const bool add : {false, true}) {
      check<Formats>(context, with(sizes(3, 4, 0), what & 1, (what & 2) != 0, (what & 4) != 0), true, add);
      product none = with(sizes(3, 4, 2), what & 1, (what & 2) != 0, (what & 4) != 0);
      none.summed.add(0, 6, 8, 0);
      check<Formats>(context, none, true, add);
    }
  for (const product& p : {sizes(0, 4, 3), sizes(4, 0, 3), sizes(0, 0, 0)}) check<Formats>(context, p, true);
  product none = sizes(3, 4, 2);
  none.kept.add(0, 6, 8, 12);
  check<Formats>(context, none, true);
}

TEST_CASE_TEMPLATE("matrices may begin anywhere", Formats, EVERY_FORMAT) {
  test_context context;
  for (const std::int64_t offset : {1, 3})
    for (int what = 0; what < 4; ++what) check<Formats>(context, with(sizes(8, 16, 8, what), what & 1, true, what == 3), true, what == 2, offset);
}

TEST_CASE_TEMPLATE("padded products have the same numbers", Formats, EVERY_FORMAT) {
  test_context context;
  amp::pad_products(context);
  for (const bool whole : {true, false})
    for (int transposes = 0; transposes < 4; ++transposes)
      for (const bool add : {false, true}) {
        product sum = sizes(3, 5, 4, transposes);
        check<Formats>(context, with(sum, true, true, false), whole, add);
        check<Formats>(context, batch(sum, true), whole, add);
        sum.summed.add(3, 12, 20, 0);
        check<Formats>(context, batch(sum), whole, add);
        check<Formats>(context, sizes(8, 8, 8, transposes), whole, add, 1);
        check<Formats>(context, sizes(8, 8, 8, transposes), whole, add);
      }
}

TEST_CASE("results that lie apart are ended one by one") {
  test_context context;
  for (int what = 0; what < 8; ++what)
    for (const bool add : {false, true}) {
      product p = with(sizes(3, 5, 4), what & 1, (what & 2) != 0, (what & 4) != 0);
      p.kept.add(2, 12, 20, 15), p.kept.add(3, 24, 40, 30);  // the outer loop inside
      check<formats<f16, f16, f32, f16>>(context, p, false, add);
      check<formats<f32, f32, f32, bf16>>(context, p, false, add);
      check<formats<f64, f64, f64, f64>>(context, p, false, add);
      amp::pad_products(context);
      check<formats<f16, f16, f32, f16>>(context, p, false, add);
      amp::pad_products(context, false);
    }
}
