#include <amphora/host/step_place.hpp>  // state_slots, step_place
#include <amphora/optimizer/adamw.hpp>  // adamw
#include <amphora/optimizer/lion.hpp>   // lion

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

namespace {
/// No state.
struct stateless {
  float learning_rate = 1;
  static constexpr int states = 0;
  struct now {};
};

struct arrays {
  std::vector<float> w, s;
  std::vector<amp::float16> low;
  step_tensor tensor = {};
  explicit arrays(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) w.push_back(static_cast<float>(i + 1)), low.emplace_back(static_cast<float>(i + 1));
    for (std::int64_t i = 0; i < 2 * n; ++i) s.push_back(static_cast<float>(1000 + i));
    tensor.master = w.data(), tensor.state = s.data(), tensor.stride = tensor.n = n;
  }
};
}  // namespace

static_assert(state_slots<amp::adamw> == 2 && state_slots<amp::lion> == 1);
static_assert(state_slots<stateless> == 1, "an array has at least one");

TEST_CASE("a whole block of float weights is worked on in place") {
  arrays a(128);
  step_place<amp::adamw> place;
  place.find(a.tensor, 64, step_block);
  CHECK(place.w == a.w.data() + 64);
  CHECK(place.s[0] == a.s.data() + 64);
  CHECK(place.s[1] == a.s.data() + 128 + 64);
  const std::vector<float> before = a.w;
  place.put(a.tensor, 64, step_block);
  CHECK(a.w == before);
}

TEST_CASE("a short block is worked on aside with zeros behind it, and put back alone") {
  arrays a(70);
  step_place<amp::adamw> place;
  place.find(a.tensor, 64, 6);
  CHECK(place.w[5] == 70);
  CHECK(place.s[0][5] == 1069);
  CHECK(place.s[1][5] == 1139);
  for (int j = 6; j < step_block; ++j) {
    CHECK(place.w[j] == 0);
    CHECK(place.s[1][j] == 0);
  }
  for (int j = 0; j < step_block; ++j) place.w[j] = -1, place.s[0][j] = -2, place.s[1][j] = -3;
  place.put(a.tensor, 64, 6);
  for (std::size_t i = 0; i < 70; ++i) {
    CHECK(a.w[i] == (i < 64 ? static_cast<float>(i + 1) : -1.0f));
    CHECK(a.s[i] == (i < 64 ? static_cast<float>(1000 + i) : -2.0f));
    CHECK(a.s[70 + i] == (i < 64 ? static_cast<float>(1070 + i) : -3.0f));
  }
}

TEST_CASE("weights that are not float are worked on aside, and a short block of them is read here") {
  arrays a(70);
  a.tensor.master = nullptr, a.tensor.targets[0] = amp::model_pointer(a.low.data());
  step_place<amp::adamw> place;
  place.find(a.tensor, 0, step_block);
  CHECK(place.w == place.own_weights);  // the loop reads a whole block at its level
  CHECK(place.s[0] == a.s.data());
  place.find(a.tensor, 64, 6);
  for (int j = 0; j < step_block; ++j) CHECK(place.w[j] == (j < 6 ? static_cast<float>(65 + j) : 0.0f));
  for (int j = 0; j < step_block; ++j) place.w[j] = -1;
  place.put(a.tensor, 64, 6);
  CHECK(static_cast<float>(a.low[69]) == 70);  // stored by the loop, in its format
}

TEST_CASE("looking ahead past the end of an array is no fault") {
  const std::vector<float> end(step_block);
  fetch_ahead(end.data());
  fetch_ahead(nullptr);
  CHECK(end[0] == 0);
}
