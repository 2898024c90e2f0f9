// All 2^32 floats to every narrow format, at every level of the CPU's instructions: minutes.
#include <amphora/host/convert.hpp>
#include <format/reference.hpp>

#include <utility>

using namespace amphora;

TEST_CASE_TEMPLATE("all floats have the reference's checksums, at every level", Case, std::pair<f16, non_saturating>, std::pair<bf16, non_saturating>,
                   std::pair<e4m3, non_saturating>, std::pair<e4m3, saturating>, std::pair<e5m2, non_saturating>, std::pair<e5m2, saturating>) {
  using format = typename Case::first_type;
  using mode = typename Case::second_type;
  using bits = detail::bits_t<format>;
  std::int64_t differences = 0;
  std::vector<bits> other;
  auto at = [&](auto level, const float* from, const bits* expected, std::int64_t n) {
    other.assign(static_cast<std::size_t>(n), bits(0x55));
    detail::convert_array_at<format, mode, f32, decltype(level)>(from, other.data(), n);
    differences += std::memcmp(other.data(), expected, static_cast<std::size_t>(n) * sizeof(bits)) != 0;
  };
  for (int block = 0; block < 256; ++block) {
    CAPTURE(block);
    const std::uint32_t sum = reference::of_block<format>(block, [&](const float* from, bits* to, std::int64_t n) {
      detail::convert_array(from, reinterpret_cast<storage_t<format>*>(to), n, mode{});
#if AMPHORA_X86
      if (detail::has_avx512()) at(detail::level_avx512{}, from, to, n);
      if (detail::has_avx2()) at(detail::level_avx2{}, from, to, n);
#endif
      at(detail::level_base{}, from, to, n);
    });
    CHECK(sum == (reference::expected<format, mode>(block)));
  }
  CHECK(differences == 0);
}
