#include <amphora/cuda/product_fused.cuh>

#include <amphora/ops/linear.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/product_case.hpp>

#include <cstdint>
#include <vector>

namespace amp = amphora;
using amp::f16, amp::bf16, amp::f32;
using products::check, products::formats, products::product;

namespace {

product layer(std::int64_t m, std::int64_t n, std::int64_t k, bool relu = false, bool gelu = false) {
  product p;
  p.m = m, p.n = n, p.k = k, p.b_transposed = true, p.has_bias = true, p.relu = relu, p.gelu = gelu;
  return p;
}
int plans(test_context& context) { return context.cache<amphora::detail::fused_plans>().size; }
int found(test_context& context) {
  int count = 0;
  for (const auto* one : context.cache<amphora::detail::fused_plans>().row)
    for (; one; one = one->next) count += one->plan.found;
  return count;
}

}  // namespace

TEST_CASE("the largest power of two that divides an address") {
  using amphora::detail::alignment_of;
  const auto at = [](std::uintptr_t x) { return reinterpret_cast<const void*>(x); };
  CHECK((alignment_of(at(4096)) == 256 && alignment_of(at(256 + 16)) == 16 && alignment_of(at(3)) == 1 && alignment_of(at(640)) == 128));
}

TEST_CASE("a bias is added by cuBLASLt, looked up once for each shape, format and alignment") {
  test_context context;
  check<formats<f16, f16, f32, f16>>(context, layer(8, 16, 8), true);
  CHECK((plans(context) == 1 && found(context) == 1));
  for (int i = 0; i < 3; ++i) check<formats<f16, f16, f32, f16>>(context, layer(8, 16, 8, true), false);  // another bias; relu comes after
  CHECK(plans(context) == 1);
  check<formats<f16, f16, f32, f32>>(context, layer(8, 16, 8), false);
  check<formats<bf16, bf16, f32, bf16>>(context, layer(8, 16, 8), false);
  check<formats<f32, f32, f32, f32>>(context, layer(8, 16, 8), false);
  check<formats<f16, f16, f32, f16>>(context, layer(8, 24, 8), false);
  check<formats<f16, f16, f32, f16>>(context, layer(8, 16, 8), false, false, 8);
  check<formats<f16, f16, f32, f16>>(context, layer(8, 16, 8, false, true), false);
  CHECK((plans(context) >= 6 && found(context) == plans(context)));  // one more where the shifted operands are less aligned
}

TEST_CASE("what cuBLASLt would not do as promised is done by a kernel of ours") {
  test_context context;
  check<formats<f32, f32, f32, f32>>(context, layer(8, 16, 8, false, true), false);   // a gelu good for 16 bits only
  check<formats<f16, f16, f32, bf16>>(context, layer(8, 16, 8), true);                // no such result
  check<formats<f16, f16, f32, f16>>(context, layer(8, 16, 8), true, true);           // added
  check<formats<f16, f16, f32, f16>>(context, layer(1, 16, 8), true);                 // a vector
  check<formats<f16, f16, f16, f16>>(context, layer(8, 16, 8), true);                 // sums in half
  CHECK(plans(context) == 0);
}

TEST_CASE("a relu keeps a NaN that a bias or an operand brings, and infinities") {
  test_context context;
  const amp::float16 nan = amp::float16::from_bits(0x7e00), infinity = amp::float16::from_bits(0x7c00);
  const std::vector<amp::float16> ones(16 * 8, amp::float16(1.0f));
  std::vector<amp::float16> shifts(16, amp::float16(0.0f)), inputs(8 * 8, amp::float16(-1.0f));
  shifts[3] = nan, shifts[5] = infinity, inputs[8] = nan;
  device_array<amp::float16> x(context, inputs), w(context, ones), b(context, shifts);
  const auto y = amp::wait_read(context, amp::linear<amp::o1<f16>>(context, amp::view<const amp::float16>(x.data(), {8, 8}), amp::view<const amp::float16>(w.data(), {16, 8}),
                                                                   amp::view<const amp::float16>(b.data(), {16}), amp::with_relu{}));
  CHECK((std::isnan(static_cast<float>(y[3])) && std::isinf(static_cast<float>(y[5])) && static_cast<float>(y[0]) == 0));
  for (std::size_t j = 0; j < 16; ++j) CHECK(std::isnan(static_cast<float>(y[16 + j])));
}
