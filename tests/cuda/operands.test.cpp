#include <amphora/cuda/operands.cuh>

#include <amphora/cuda/launch.cuh>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;
using namespace amp::detail;

static_assert(changes_when_read_v<amp::f32, amp::f16> && changes_when_read_v<amp::bf16, amp::f16> && changes_when_read_v<amp::f16, amp::bf16>);
static_assert(!changes_when_read_v<amp::f16, amp::f32> && !changes_when_read_v<amp::f16, amp::f16> && !changes_when_read_v<amp::f32, amp::tf32>, "a product rounds to tf32 itself");

namespace {

template <class Source, class Format>
AMPHORA_KERNEL void read_and_write(const Source x, const target<Format> y, bool eights) {
  if (eights) write_eight(y, 0, read_eight<float>(x, 0));
  else
    for (int i = 0; i < 8; ++i) write_one(y, i, read_one<float>(x, i));
}

}  // namespace

TEST_CASE("a number is rounded as it is read, added to what stands there, and rounded once more") {
  amp::cuda_context c;
  const auto from = check::numbers<float>(8, 1), before = check::numbers<float>(8, 2);
  std::vector<bfloat16> old, set, sum;
  for (std::size_t i = 0; i < 8; ++i) {
    old.push_back(bfloat16(before[i]));
    const auto x = static_cast<float>(float16(from[i]));
    set.push_back(bfloat16(x)), sum.push_back(bfloat16(x + static_cast<float>(old[i])));
  }
  for (bool eights : {false, true})
    for (bool add : {false, true}) {
      const check::array<float, amp::cuda_context> x(c, {8}, from);
      check::array<bfloat16, amp::cuda_context> y(c, {8}, old);
      launch(c, "test", 1, 1, read_and_write<source<amp::f32, amp::f16>, amp::bf16>, source<amp::f32, amp::f16>{x.view().data()}, target<amp::bf16>{y.view().data(), add}, eights);
      CHECK(check::different(y.wait_read(), add ? sum : set) == 0);
    }
}

TEST_CASE("eights can be read where 16 bytes begin, of an 8-bit format 8") {
  alignas(16) static unsigned char memory[64];
  CHECK(is_wide_at<amp::f32>(memory, 0));
  CHECK(!is_wide_at<amp::f32>(memory, 3));
  CHECK(is_wide_at<amp::f32>(memory, 4));
  CHECK(!is_wide_at<amp::f16>(memory, 4));
  CHECK(is_wide_at<amp::f16>(memory, 8));
  CHECK(is_wide_at<amp::e4m3>(memory, 8));
  CHECK(!is_wide_at<amp::e4m3>(memory, 4));
  CHECK(is_wide_at(source<amp::f64>{memory}, 2));
  CHECK(!is_wide_at(target<amp::f64>{memory, false}, 1));
}
