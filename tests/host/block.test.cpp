#include <amphora/host/block.hpp>
#include <host/blocks.hpp>

using namespace amphora;

static_assert(detail::block_size == 64);
static_assert(std::is_same_v<detail::block_mode_t<f16, detail::default_mode>, non_saturating> && std::is_same_v<detail::block_mode_t<e4m3, detail::default_mode>, saturating>);
static_assert(std::is_same_v<detail::block_mode_t<f16, saturating>, saturating> && std::is_same_v<detail::block_mode_t<e5m2, non_saturating>, non_saturating>);

namespace {

struct base {
  template <class Format, class Mode> static void store(const float* from, void* to) { detail::block<detail::level_base>::store<Format, Mode>(from, to); }
  template <class Format> static void load(const void* from, float* to) { detail::block<detail::level_base>::load<Format>(from, to); }
  static void store(format_id format, const float* from, void* to) { detail::block<detail::level_base>::store(format, from, to); }
  static void load(format_id format, const void* from, float* to) { detail::block<detail::level_base>::load(format, from, to); }
};

}  // namespace

TEST_CASE("blocks in plain C++ have the bits of the scalar conversion") {
  blocks::check<base>(10007);
  blocks::check_by_value<base>();
}

TEST_CASE_TEMPLATE("one number of an array is read and written by its index, in any alignment", Format, f16, bf16, f32, f64, e4m3, e5m2) {
  unsigned char memory[1 + 5 * 8] = {};
  const int size = size_of(format_id_v<Format>);
  detail::store_number(format_id_v<Format>, 1.5f, memory + 1, 3);
  detail::store_number<Format>(-0.25f, memory + 1, 4);
  CHECK(detail::load_number<Format>(memory + 1, 3) == 1.5f);
  CHECK(detail::load_number(format_id_v<Format>, memory + 1, 4) == -0.25f);
  for (int i = 0; i < 1 + 3 * size; ++i) CHECK(memory[i] == 0);
  for (std::size_t i = 1 + 5 * static_cast<std::size_t>(size); i < sizeof memory; ++i) CHECK(memory[i] == 0);
}

TEST_CASE("no format is read as 0 and written nowhere") {
  unsigned char memory[8] = {};
  detail::store_number(format_id::none, 1.5f, memory, 0);
  CHECK(detail::load_number(format_id::none, memory, 0) == 0.0f);
  for (const unsigned char byte : memory) CHECK(byte == 0);
}

TEST_CASE("an element's address counts in its format's bytes") {
  std::vector<amphora::float16> low(8);
  std::vector<float> wide(8);
  CHECK(amphora::detail::nth(low.data(), amphora::format_id::f16, 3) == low.data() + 3);
  CHECK(amphora::detail::nth(static_cast<const float*>(wide.data()), amphora::format_id::f32, 3) == wide.data() + 3);
}
