#include "step_model.hpp"

#include <amphora/cuda/step_numbers.cuh>

namespace amp = amphora;
using namespace amphora::detail;

namespace step_user {

/// from to to, in eights and then one by one, from element `skip` on; in bf16 by chance.
template <class From>
AMPHORA_KERNEL void copy_numbers(const void* from, amp::format_id to_format, void* to, std::int64_t skip, std::int64_t n, bool by_chance) {
  const amp::stochastic_rounding random{7, 3, 1};
  std::int64_t i = skip;
  for (; i + 8 <= n && i % 8 == 0; i += 8) {
    const auto x = load_numbers<8>(amp::format_id_v<From>, from, i);
    if (by_chance) store_stochastic(to, i, x, random);
    else store_numbers(to_format, to, i, x);
  }
  for (; i < n; ++i) {
    const auto x = load_numbers<1>(amp::format_id_v<From>, from, i);
    if (by_chance) store_stochastic(to, i, x, random);
    else store_numbers(to_format, to, i, x);
  }
}

}  // namespace step_user

namespace {

const std::int64_t count = 43;

/// What copy_numbers writes for floats that lie `offset` elements past an aligned place.
template <class To> std::vector<To> copied(std::int64_t offset, std::int64_t skip, bool by_chance) {
  amp::cuda_context context;
  std::vector<float> values(static_cast<std::size_t>(count + offset));
  for (std::int64_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i + offset)] = static_cast<float>(i * i) / 7 - 60;
  amp::tensor<float, amp::cuda_context> from(context, {count + offset});
  amp::tensor<To, amp::cuda_context> to(context, {count + offset});
  amp::write(context, values, from);
  amp::write(context, std::vector<To>(static_cast<std::size_t>(count + offset)), to);
  launch(context, "copy_numbers", 1, 1, step_user::copy_numbers<amp::f32>, static_cast<const void*>(from.data() + offset), amp::format_id_v<amp::format_of_t<To>>, static_cast<void*>(to.data() + offset), skip, count, by_chance);
  std::vector<To> result = amp::wait_read(context, to);
  for (std::int64_t i = 0; i < offset + skip; ++i) CHECK(amp::convert<amp::f32>(result[static_cast<std::size_t>(i)]) == 0);
  return {result.begin() + offset, result.end()};
}

}  // namespace

TEST_CASE_TEMPLATE("numbers are rounded once, in eights and one by one, at any address", To, float, amp::float16, amp::bfloat16) {
  for (std::int64_t offset : {0, 1, 4})
    for (std::int64_t skip : {0, 3}) {
      const auto result = copied<To>(offset, skip, false);
      for (std::int64_t i = skip; i < count; ++i) {
        const float x = static_cast<float>(i * i) / 7 - 60;
        CHECK(amp::convert<amp::f32>(result[static_cast<std::size_t>(i)]) == amp::convert<amp::f32>(amp::convert<amp::format_of_t<To>>(x)));
      }
    }
}
TEST_CASE("an element's random bits are those of its number, in eights and one by one, at any address") {
  const amp::stochastic_rounding random{7, 3, 1};
  for (std::int64_t offset : {0, 1})
    for (std::int64_t skip : {0, 3}) {
      const auto result = copied<amp::bfloat16>(offset, skip, true);
      for (std::int64_t i = skip; i < count; ++i) CHECK(result[static_cast<std::size_t>(i)].bits() == random(bit_cast<std::uint32_t>(static_cast<float>(i * i) / 7 - 60), i).bits());
    }
}
