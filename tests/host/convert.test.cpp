#include <amphora/host/convert.hpp>
#include <format/reference.hpp>

#include <utility>

using namespace amphora;

namespace {

/// Whether arrays of n numbers, at an offset into their memory, come out as the scalar conversion has it and nothing else is touched.
template <class To, class From, class... Mode>
bool converts(std::int64_t n, std::int64_t offset, Mode... mode) {
  using to_format = format_of_t<To>;
  using bits = detail::bits_t<format_of_t<From>>;
  std::vector<From> from(static_cast<std::size_t>(n + offset));
  std::vector<To> to(static_cast<std::size_t>(n + 2 * offset + 1));
  std::uint64_t random = static_cast<std::uint64_t>(n);
  for (From& x : from) x = reference::from_bits<From>(static_cast<bits>((random = random * 6364136223846793005u + 1442695040888963407u) >> (64 - 8 * sizeof(From))));
  std::memset(static_cast<void*>(to.data()), 0xa5, to.size() * sizeof(To));
  detail::convert_array(from.data() + offset, to.data() + offset, n, mode...);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const To expected = convert<to_format, Mode...>(from[static_cast<std::size_t>(offset + i)]);
    wrong += std::memcmp(&expected, &to[static_cast<std::size_t>(offset + i)], sizeof expected) != 0;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(to.data());
  const auto size = static_cast<std::int64_t>(sizeof(To));
  for (std::int64_t i = 0; i < offset * size; ++i) wrong += bytes[i] != 0xa5;
  for (std::int64_t i = (offset + n) * size; i < static_cast<std::int64_t>(to.size()) * size; ++i) wrong += bytes[i] != 0xa5;
  return wrong == 0;
}

template <class To, class From, class... Mode>
void check(Mode... mode) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 1000})
    for (const std::int64_t offset : {0, 1, 3}) CHECK(converts<To, From>(n, offset, mode...));
}

}  // namespace

TEST_CASE("arrays of any length between any two formats come out as number by number") {
  check<float16, float>();
  check<bfloat16, float>();
  check<float, float16>();
  check<float, bfloat16>();
  check<float8_e4m3, float>(saturating{});
  check<float8_e4m3, float>(non_saturating{});
  check<float8_e5m2, float>(saturating{});
  check<float8_e5m2, float>(non_saturating{});
  check<float, float8_e4m3>();
  check<float, float8_e5m2>();
  check<float16, float>(saturating{});
  check<float16, double>();
  check<bfloat16, double>();
  check<float, double>();
  check<double, float>();
  check<double, float16>();
  check<float8_e4m3, double>(saturating{});
  check<float16, bfloat16>();
  check<bfloat16, float16>();
  check<float16, float8_e5m2>();
  check<float8_e5m2, float8_e4m3>(non_saturating{});
  check<float, float>();
  check<float16, float16>();
}

TEST_CASE("arrays beyond the cache, which are written around it, come out the same from any first number on") {
  const std::int64_t n = detail::stream_threshold / 6 + 12345;
  CHECK(converts<float16, float>(n, 0));
  CHECK(converts<float16, float>(n, 5));
  CHECK(converts<float, float16>(n, 3));
  CHECK(converts<bfloat16, float>(n, 31));
  CHECK(converts<float8_e4m3, float>(detail::stream_threshold / 5 + 12345, 17, saturating{}));
  CHECK(converts<float16, double>(n, 1));
}

TEST_CASE_TEMPLATE("blocks of all floats have the reference's checksums at every level", Case, std::pair<f16, non_saturating>, std::pair<bf16, non_saturating>,
                   std::pair<e4m3, non_saturating>, std::pair<e4m3, saturating>, std::pair<e5m2, non_saturating>, std::pair<e5m2, saturating>) {
  using format = typename Case::first_type;
  using mode = typename Case::second_type;
  auto at = [](auto level) {
    static_cast<void>(level);
    return [](const float* from, detail::bits_t<format>* to, std::int64_t n) { detail::convert_array_at<format, mode, f32, decltype(level)>(from, to, n); };
  };
  // Subnormal floats; subnormal f16, e4m3 and e5m2; the largest e4m3, and with the sign the largest f16 and e5m2; NaN, infinity, the largest bf16.
  for (const int block : {0x00, 0x33, 0x37, 0x3b, 0x43, 0xc7, 0x7f}) {
    CAPTURE(block);
    const std::uint32_t expected = reference::expected<format, mode>(block);
#if AMPHORA_X86
    if (detail::has_avx512() && block != 0x37) CHECK(reference::of_block<format>(block, at(detail::level_avx512{})) == expected);
    if (detail::has_avx2() && block != 0x33) CHECK(reference::of_block<format>(block, at(detail::level_avx2{})) == expected);
#endif
    if (block == 0x33) CHECK(reference::of_block<format>(block, at(detail::level_base{})) == expected);
  }
}

TEST_CASE("doubles in an array are rounded once") {
  std::vector<double> x;
  std::vector<std::uint16_t> expected;
  for (const auto& row : reference::conversions()["double_hard"])
    if (row[0] == "f16") x.push_back(reference::from_bits<double>(std::stoull(row[1].get<std::string>(), nullptr, 16))), expected.push_back(row[2]);
  REQUIRE(x.size() > 1000);
  std::vector<float16> y(x.size());
  detail::convert_array(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += y[i].bits() != expected[i];
  CHECK(wrong == 0);
}
