#include <amphora/optimizer/clip.hpp>  // clip_global_norm, clip_value

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

namespace amp = amphora;

static_assert(amp::is_clip_v<amp::clip_global_norm> && amp::is_clip_v<amp::clip_value> && amp::is_clip_v<amp::no_clip>);
static_assert(!amp::is_clip_v<float> && !amp::is_clip_v<void>);
static_assert((amp::clip_global_norm{1}.check(), amp::clip_global_norm{0, HUGE_VAL}.check(), amp::clip_value{0.5f}.check(), true));

TEST_CASE("a clip without sense is refused") {
  for (float max : {-1.0f, -0.1f, HUGE_VALF, -HUGE_VALF, NAN}) CHECK_THROWS_AS(amp::clip_global_norm{max}.check(), amp::error);
  for (double order : {0.0, -2.0, static_cast<double>(NAN), -HUGE_VAL}) CHECK_THROWS_AS((amp::clip_global_norm{1, order}.check()), amp::error);
  for (float limit : {0.0f, -1.0f, HUGE_VALF, NAN}) CHECK_THROWS_AS(amp::clip_value{limit}.check(), amp::error);
}
