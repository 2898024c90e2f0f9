#include <amphora/cuda/matmul.cuh>

#include <amphora/ops/linear.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/product_case.hpp>

#include <cstdint>
#include <vector>

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

#define EVERY_FORMAT                                                                                                           \
  formats<f16, f16, f32, f16>, formats<bf16, bf16, f32, bf16>, formats<f32, f32, f32, f32>, formats<f64, f64, f64, f64>,       \
      formats<f16, f16, f32, f32>, formats<bf16, bf16, f32, f32>, formats<f32, tf32, f32, f32>, formats<f32, f16, f32, f16>,   \
      formats<f32, bf16, f32, bf16>, formats<f32, bf16, f32, f32>, formats<f16, f32, f32, f16>, formats<f16, f16, f16, f16>,   \
      formats<f16, f16, f16, f32>, formats<f16, bf16, f32, f16>, formats<f32, f32, f64, f32>, formats<f32, f16, f64, bf16>,    \
      formats<e4m3, e4m3, f32, e4m3>, formats<e5m2, e5m2, f32, f16>, formats<f32, e4m3, f32, f16>, formats<f16, e5m2, f32, bf16>, \
      formats<f64, f32, f32, f64>

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

TEST_CASE_TEMPLATE("a gelu comes after the bias, and before the one rounding", Formats, EVERY_FORMAT) {
  test_context context;
  for (int what = 0; what < 2; ++what)
    for (const bool add : {false, true})
      for (product p : {sizes(5, 7, 9, 2), sizes(4, 8, 16), sizes(1, 8, 3), sizes(3, 2, 0)}) {
        p.gelu = true, p.has_bias = what == 1;
        check<Formats>(context, p, false, add);
        check<Formats>(context, batch(p), false, add);
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

namespace {

template <class T> amp::view<const T> seen(const device_array<T>& x, const amp::shape& s) { return {x.data(), s}; }

/// A linear layer forward and backward, from and into the same memory each time.
struct layer_step {
  using policy = amp::o1<f16>;
  device_array<float> x;
  device_array<amp::float16> w, b, y, gx, gw;
  explicit layer_step(test_context& context)
      : x(context, products::numbers<f32>(false, 12 * 16, 1)), w(context, products::numbers<f16>(false, 24 * 16, 2)), b(context, products::numbers<f16>(false, 24, 3)),
        y(context, 12 * 24, amp::float16(0.0f)), gx(context, 12 * 16, amp::float16(0.0f)), gw(context, 24 * 16, amp::float16(0.0f)) {}
  void run(test_context& context) {
    amp::linear<policy>(context, amp::into(amp::view<amp::float16>(y.data(), {12, 24})), seen(x, {12, 16}), seen(w, {24, 16}), seen(b, {24}), amp::with_relu{});
    amp::linear_backward<policy>(context, seen(y, {12, 24}), seen(x, {12, 16}), seen(w, {24, 16}), amp::into(amp::view<amp::float16>(gx.data(), {12, 16})),
                                 amp::add_to(amp::view<amp::float16>(gw.data(), {24, 16})));
  }
  std::vector<std::uint16_t> bits() const {
    std::vector<std::uint16_t> result;
    for (const auto* array : {&y, &gx, &gw})
      for (const amp::float16 v : array->get()) result.push_back(v.bits());
    return result;
  }
};

}  // namespace

TEST_CASE("a warmed-up layer neither waits nor allocates") {
  test_context context;
  layer_step step(context);
  step.run(context);
  const auto allocated = context.allocations();
#if defined(AMPHORA_EMULATED_CUDA)
  const auto waited = emulated::waits;
#endif
  step.run(context);
  CHECK(context.allocations() == allocated);
#if defined(AMPHORA_EMULATED_CUDA)
  CHECK(emulated::waits == waited);
#endif
}

TEST_CASE("a layer's forward and backward can be captured and replayed") {
  test_context context;
  layer_step direct(context), captured(context);
  direct.run(context), direct.run(context), direct.run(context);
  captured.run(context);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  captured.run(context);
  REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) REQUIRE(cudaGraphLaunch(replay, context.stream()) == cudaSuccess);
  CHECK(captured.bits() == direct.bits());  // gradients of w were added three times
  REQUIRE(cudaGraphExecDestroy(replay) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("every reading of the same product gives the same bits") {
  test_context context;
  const auto x = products::numbers<f32>(false, 33 * 40, 1), w = products::numbers<f32>(false, 20 * 40, 2);
  const device_array<float> on_x(context, x), on_w(context, w);
  std::vector<amp::float16> half_x, half_w;
  for (const float v : x) half_x.push_back(amp::float16(v));
  for (const float v : w) half_w.push_back(amp::float16(v));
  const device_array<amp::float16> cast_x(context, half_x), cast_w(context, half_w);
  const auto given = amp::wait_read(context, amp::linear<amp::o1<f16>>(context, seen(on_x, {33, 40}), seen(on_w, {20, 40})));
  const auto cast = amp::wait_read(context, amp::linear<amp::o1<f16>>(context, seen(cast_x, {33, 40}), seen(cast_w, {20, 40})));
  for (std::size_t i = 0; i < given.size(); ++i) CHECK(given[i].bits() == cast[i].bits());
}
