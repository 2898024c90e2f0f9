#include <amphora/tensor/parameter_memory.hpp>


#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <vector>

using namespace amphora;

static_assert(!detail::keeps_copy_v<true, f32> && detail::keeps_copy_v<false, f32>);
static_assert(detail::keeps_copy_v<true, f16> && detail::keeps_copy_v<true, bf16>);

namespace {
/// Memory for readers in three formats, without a policy.
struct three : detail::parameter_memory<true, bf16, test_context, f16, f32, bf16> {
  using memory = detail::parameter_memory<true, bf16, test_context, f16, f32, bf16>;
  three(test_context& context, const amphora::shape& shape) : memory(context, "three", shape, training::on, false) {}
  template <class Format> auto in() const { return weights_in<Format>(); }
};
}  // namespace

TEST_CASE("one load writes the master and each copy, and readers of f32 read the master") {
  test_context context;
  three w{context, {70}};
  std::vector<float> values(70);
  for (int i = 0; i < 70; ++i) values[static_cast<std::size_t>(i)] = 1 + static_cast<float>(i) * 0x1p-9f;
  device_array<float> given(context, values);
  w.load(context, given.view());
  CHECK(wait_read(context, w.master()) == values);
  const auto halves = wait_read(context, w.in<f16>());
  const auto brains = wait_read(context, w.in<bf16>());
  for (std::size_t i = 0; i < 70; ++i) {
    CHECK(halves[i].bits() == float16(values[i]).bits());
    CHECK(brains[i].bits() == bfloat16(values[i]).bits());
  }
  CHECK(w.in<f32>().data() == w.master().data());
  CHECK(w.bytes() == 70 * (4 + 2 + 2 + 2));
}

TEST_CASE("a view lists the further copies") {
  test_context context;
  three w{context, {3}};
  const parameter_view view = w.view();
  CHECK(view.model.format == format_id::f16);
  CHECK(view.copies[0].format == format_id::bf16);
  CHECK(view.copies[0].data == w.in<bf16>().data());
  CHECK(view.copies[1].data == nullptr);
  CHECK(view.gradient.format == format_id::bf16);
}

TEST_CASE("zeroing touches the gradient alone") {
  test_context context;
  three w{context, {3}};
  const device_array<float> values(context, {1, 2, 3});
  w.load(context, values.view());
  write(context, std::vector<bfloat16>(3, bfloat16(4.0f)), w.gradient());
  w.zero_gradient(context);
  for (bfloat16 x : wait_read(context, w.gradient())) CHECK(x.bits() == 0);
  CHECK(read_device(context, w.master().data() + 2) == 3);
  CHECK(static_cast<float>(read_device(context, w.in<f16>().data() + 2)) == 3);
}
