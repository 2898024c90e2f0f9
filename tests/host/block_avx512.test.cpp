#include <amphora/host/block_avx512.hpp>
#include <host/blocks.hpp>

#if AMPHORA_X86
using namespace amphora;
using level = detail::block<detail::level_avx512>;

namespace {

struct at_level {
  template <class Format, class Mode> AMPHORA_AVX512 static void store(const float* from, void* to) { level::store<Format, Mode>(from, to); }
  template <class Format> AMPHORA_AVX512 static void load(const void* from, float* to) { level::load<Format>(from, to); }
  AMPHORA_AVX512 static void store(format_id format, const float* from, void* to) { level::store(format, from, to); }
  AMPHORA_AVX512 static void load(format_id format, const void* from, float* to) { level::load(format, from, to); }
};

}  // namespace

TEST_CASE("blocks with avx512 have the bits of the scalar conversion" * doctest::skip(!detail::has_avx512())) {
  blocks::check<at_level>(2003);
  blocks::check_by_value<at_level>();
}

TEST_CASE("blocks with avx512 do not depend on the processor's modes" * doctest::skip(!detail::has_avx512())) {
  const unsigned before = _mm_getcsr();
  for (const unsigned rounding : {0x2000u, 0x4000u, 0x6000u}) {  // down, up, to zero
    _mm_setcsr(before | 0x8040u | rounding);                     // subnormal results and operands as zero
    blocks::check<at_level>(40009);
    _mm_setcsr(before);
  }
}
#endif
