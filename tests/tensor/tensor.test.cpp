#include <amphora/tensor/tensor.hpp>

#include <device.hpp>  // test_context

#include <doctest/doctest.h>

#include <cstdint>

namespace amp = amphora;
template <class T> using tensor = amp::tensor<T, test_context>;

static_assert(!std::is_copy_constructible_v<tensor<float>> && std::is_nothrow_move_constructible_v<tensor<float>>);
static_assert(std::is_same_v<amp::tensor_of_t<amp::bf16, test_context>, tensor<amp::bfloat16>>);
static_assert(std::is_same_v<tensor<amp::float16>::format, amp::f16>);
static_assert(std::is_convertible_v<tensor<float>&, amp::view<float>> && std::is_convertible_v<const tensor<float>&, amp::view<const float>> &&
              !std::is_convertible_v<const tensor<float>&, amp::view<float>>);

namespace {
#if defined(AMPHORA_EMULATED_CUDA)
constexpr int alignment = 16;  // its blocks end where a page does
#else
constexpr int alignment = 64;
#endif
}  // namespace

TEST_CASE("a tensor owns memory of its context and gives it back once") {
  test_context context;
  const float* first = nullptr;
  {
    tensor<float> a(context, {3, 4});
    first = a.data();
    CHECK(a.size() == 12);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % alignment == 0);
    tensor<float> b = std::move(a);
    CHECK(b.data() == first);
    CHECK(a.data() == nullptr);
    tensor<float> c(context, {1});
    c = std::move(b);
    CHECK(c.data() == first);
    tensor<float>& itself = c;
    c = std::move(itself);
    CHECK(c.data() == first);
  }
  const auto before = context.allocations();
  const tensor<float> again(context, {4, 3});
  CHECK(again.data() == first);
  CHECK(context.allocations() == before);
}

TEST_CASE("an empty tensor has a shape, and one too large is an error") {
  test_context context;
  const tensor<double> empty(context, {3, 0});
  CHECK(empty.size() == 0);
  CHECK(empty.view().shape() == amp::shape{3, 0});
  CHECK_THROWS_WITH_AS(tensor<double>(context, amp::shape{std::int64_t(1) << 61}), doctest::Contains("amphora [size]"), amp::error);
  const tensor<float> none;
  CHECK(none.data() == nullptr);
}
