#include <amphora/tensor/view.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace amp = amphora;

static_assert(std::is_same_v<amp::view<float>::format, amp::f32> && std::is_same_v<amp::view<const amp::float16>::format, amp::f16>);
static_assert(std::is_same_v<amp::view<const double>::value_type, double>);
static_assert(!amp::is_format_v<amp::view<std::int64_t>::format>, "integers have no format");
static_assert(std::is_convertible_v<amp::view<float>, amp::view<const float>> && !std::is_convertible_v<amp::view<const float>, amp::view<float>>);
static_assert(std::is_trivially_copyable_v<amp::view<float>>);
static_assert(std::is_same_v<decltype(std::declval<amp::view<float>>().shape()), amp::shape>, "of a temporary: a copy");

struct __half {  // as CUDA's header would complete it
  unsigned short bits;
};

TEST_CASE("a view is somebody's pointer with a shape") {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  const amp::view v(memory, amp::shape{2, 3});
  CHECK(v.data() == memory);
  CHECK(v.size() == 6);
  const amp::view<const float> read = v;
  CHECK(read.shape() == amp::shape{2, 3});
  const amp::view one(memory);
  static_assert(std::is_same_v<decltype(one), const amp::view<float>>);
  CHECK(one.shape() == amp::shape{});
  CHECK(one.size() == 1);
  __half half{};
  static_assert(std::is_same_v<decltype(amp::view(&half))::format, amp::f16>, "CUDA's types have formats without their headers");
}

TEST_CASE("a view takes another shape of as many elements, and no other") {
  float memory[6] = {};
  const amp::view<float> v(memory, {2, 3});
  CHECK(v.reshaped({6}).shape() == amp::shape{6});
  CHECK(v.reshaped({3, 1, 2}).data() == memory);
  CHECK_THROWS_WITH_AS(v.reshaped({4}), doctest::Contains("cannot view [2, 3] as [4]"), amp::error);
}
