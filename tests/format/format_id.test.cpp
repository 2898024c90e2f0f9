#include <amphora/format/format_id.hpp>
#include <amphora/format/storage.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace amphora;

static_assert(format_id_v<tf32> == format_id::f32, "it is stored as one");
static_assert(format_id_v<float> == format_id::none && format_id_v<not_a_format> == format_id::none && format_id_v<widest> == format_id::none && format_id_v<void> == format_id::none);
static_assert(size_of(format_id::none) == 0);
// Written into files.
static_assert(int(format_id::none) == 0 && int(format_id::f16) == 1 && int(format_id::bf16) == 2 && int(format_id::f32) == 3 && int(format_id::f64) == 4 &&
              int(format_id::e4m3) == 5 && int(format_id::e5m2) == 6);

TEST_CASE_TEMPLATE("a format's value has the format's name and its storage's size", Format, f16, bf16, f32, f64, e4m3, e5m2) {
  constexpr format_id id = format_id_v<Format>;
  CHECK(id != format_id::none);
  CHECK(std::strcmp(name_of(id), Format::name) == 0);
  CHECK(size_of(id) == sizeof(storage_t<Format>));
}

TEST_CASE("what is no format is called none") { CHECK(std::strcmp(name_of(format_id::none), "none") == 0); }
