#include <amphora/host/parameter.hpp>

#include <amphora/format/storage.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

using namespace amphora;

TEST_CASE("the host loads any number of elements into any targets and nothing beside them") {
  host_context context;
  for (std::int64_t n : {0, 1, 63, 64, 130}) {
    std::uint16_t from[132];
    float wide[132];
    std::uint16_t narrow[132];
    for (int i = 0; i < 132; ++i) from[i] = static_cast<std::uint16_t>(0x3F80 + i), wide[i] = -1, narrow[i] = 0xAAAA;
    const model_pointer to[] = {model_pointer(wide), model_pointer(narrow, format_id::f16)};
    detail::parameter_kernels<host_device>::load(context, gradient_pointer(from, format_id::bf16), to, 2, n);
    for (std::int64_t i = 0; i < 132; ++i) {
      const float x = static_cast<float>(bfloat16::from_bits(from[i]));
      CHECK(wide[i] == (i < n ? x : -1));
      CHECK(narrow[i] == (i < n ? float16(x).bits() : 0xAAAA));
    }
  }
}

TEST_CASE("the host clears what it is told to, and no more") {
  host_context context;
  unsigned char bytes[5] = {1, 1, 1, 1, 1};
  detail::parameter_kernels<host_device>::clear(context, bytes + 1, 3);
  detail::parameter_kernels<host_device>::clear(context, nullptr, 0);
  CHECK(bytes[0] == 1);
  CHECK(bytes[1] + bytes[2] + bytes[3] == 0);
  CHECK(bytes[4] == 1);
}
