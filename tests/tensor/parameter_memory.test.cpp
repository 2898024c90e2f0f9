#include <amphora/tensor/parameter_memory.hpp>

#include <amphora/host/context.hpp>
#include <amphora/host/parameter.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace amphora;

static_assert(!detail::keeps_copy_v<true, f32> && detail::keeps_copy_v<false, f32>);
static_assert(detail::keeps_copy_v<true, f16> && detail::keeps_copy_v<true, bf16>);

namespace {
/// Memory for readers in three formats, without a policy.
struct three : detail::parameter_memory<true, bf16, host_context, f16, f32, bf16> {
  using memory = detail::parameter_memory<true, bf16, host_context, f16, f32, bf16>;
  three(host_context& context, const amphora::shape& shape) : memory(context, "three", shape, training::on, false) {}
  template <class Format> auto in() const { return weights_in<Format>(); }
};
}  // namespace

TEST_CASE("one load writes the master and each copy, and readers of f32 read the master") {
  host_context context;
  three w{context, {70}};
  std::vector<float> values(70);
  for (int i = 0; i < 70; ++i) values[static_cast<std::size_t>(i)] = 1 + static_cast<float>(i) * 0x1p-9f;
  w.load(context, view<float>{values.data(), {70}});
  for (int i = 0; i < 70; ++i) {
    const float x = values[static_cast<std::size_t>(i)];
    CHECK(w.master().data()[i] == x);
    CHECK(w.in<f16>().data()[i].bits() == float16(x).bits());
    CHECK(w.in<bf16>().data()[i].bits() == bfloat16(x).bits());
  }
  CHECK(w.in<f32>().data() == w.master().data());
  CHECK(w.bytes() == 70 * (4 + 2 + 2 + 2));
}

TEST_CASE("a view lists the further copies") {
  host_context context;
  three w{context, {3}};
  const parameter_view view = w.view();
  CHECK(view.model.format == format_id::f16);
  CHECK(view.copies[0].format == format_id::bf16);
  CHECK(view.copies[0].data == w.in<bf16>().data());
  CHECK(view.copies[1].data == nullptr);
  CHECK(view.gradient.format == format_id::bf16);
}

TEST_CASE("zeroing touches the gradient alone") {
  host_context context;
  three w{context, {3}};
  const float values[] = {1, 2, 3};
  w.load(context, view<const float>{values, {3}});
  for (int i = 0; i < 3; ++i) w.gradient().data()[i] = bfloat16(4.0f);
  w.zero_gradient(context);
  for (int i = 0; i < 3; ++i) CHECK(w.gradient().data()[i].bits() == 0);
  CHECK(w.master().data()[2] == 3);
  CHECK(static_cast<float>(w.in<f16>().data()[2]) == 3);
}
