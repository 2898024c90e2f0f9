#include <amphora/optimizer/clip_gradients.hpp>  // clip_gradients
#include <amphora/optimizer/global_norm.hpp>     // wait_global_norm, wait_all_finite
#include <amphora/optimizer/materialize.hpp>     // materialize

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include "golden_clip.hpp"

namespace amp = amphora;

namespace {

template <class Clip> std::vector<float> clipped(const std::vector<float>& g, const Clip& clip, bool& finite, double& norm) {
  test_context context;
  const device_array<float> there(context, g);
  auto gradients = amp::unscale(context, amp::scaled(there.view(), amp::ticket()));
  amp::clip_gradients(context, gradients, clip);
  finite = amp::wait_all_finite(context, gradients);
  norm = read_device(context, gradients.facts()).clip_norm;
  device_array<float> out(context, g.size());
  amp::materialize(context, gradients, out.view());
  return out.get();
}

}  // namespace

TEST_CASE("clipping by the norm gives PyTorch's values") {
  for (const auto& c : golden_clip::read("clip_grad_norm")) {
    test_context context;
    std::vector<device_array<float>> g, out;
    std::vector<amp::gradient_view> list;
    std::vector<amp::view<float>> to;
    for (const auto& tensor : c.at("gradients")) g.emplace_back(context, golden_clip::floats(tensor)), out.emplace_back(context, g.back().size());
    for (std::size_t t = 0; t < g.size(); ++t) {
      list.emplace_back(g[t].view()), to.push_back(out[t].view());
    }
    const amp::clip_global_norm clip{c.at("max_norm").get<float>(), golden_clip::number(c.at("norm_type"))};
    auto gradients = amp::unscale(context, amp::scaled(amp::gradient_list(list), amp::ticket()));
    amp::clip_gradients(context, gradients, clip);
    amp::materialize(context, gradients, to);
    CAPTURE(clip.norm);
    CAPTURE(clip.max);
    CHECK(read_device(context, gradients.facts()).clip_norm == doctest::Approx(golden_clip::number(c.at("total_norm"))).epsilon(1e-6));
    for (std::size_t t = 0; t < g.size(); ++t) {
      const auto expected = golden_clip::doubles(c.at("clipped")[t]);
      const std::vector<float> clipped = out[t].get();
      for (std::size_t i = 0; i < expected.size(); ++i)  // the norm's error (see global_norm.test.cpp), the coefficient's rounding, the product's
        CHECK(std::fabs(static_cast<double>(clipped[i]) - expected[i]) <= 14.5 * std::ldexp(1, -24) * std::fabs(expected[i]));
    }
  }
}

TEST_CASE("B23: what cannot be clipped is flagged and left alone, where PyTorch writes zeros and NaN") {
  bool finite = true;
  double norm = 0;
  for (const auto& c : golden_clip::read("clip_special")) {
    const auto name = c.at("name").get<std::string>();
    const auto g = golden_clip::floats(c.at("gradients"));
    CAPTURE(name);
    if (name == "nan" || name == "inf" || name == "error_if_nonfinite") {
      const auto out = clipped(g, amp::clip_global_norm{1}, finite, norm);
      CHECK(!finite);
      CHECK(out[0] == 1);
      CHECK(!std::isfinite(norm));
      CHECK(std::isnan(norm) == (name == "nan"));
    } else if (name == "zero" || name == "max_norm_zero") {
      const auto out = clipped(g, amp::clip_global_norm{c.at("max_norm").get<float>()}, finite, norm);
      CHECK(finite);
      CHECK(out == golden_clip::floats(c.at("clipped")));
      CHECK(norm == golden_clip::number(c.at("total_norm")));
    } else {
      REQUIRE(name == "clip_value_0.5");
      const auto out = clipped(g, amp::clip_value{0.5f}, finite, norm), expected = golden_clip::floats(c.at("clipped"));
      CHECK(!finite);
      for (std::size_t i : {0u, 1u, 2u}) CHECK(out[i] == expected[i]);
      CHECK(std::isnan(out[3]));
    }
  }
  const auto large = clipped(std::vector<float>(100, 1e20f), amp::clip_global_norm{1}, finite, norm);
  CHECK(finite);
  CHECK(norm == doctest::Approx(1e21));
  for (float x : large) CHECK(x == doctest::Approx(0.1f));
  const auto zeros = clipped(std::vector<float>(100, -0.0f), amp::clip_global_norm{1}, finite, norm);
  for (float x : zeros) CHECK((x == 0 && std::signbit(x)));
}

TEST_CASE("clips act in turn, and the norm after them is that of what is read") {
  test_context context;
  const device_array<float> g(context, {3, 4, -12});
  auto gradients = amp::unscale(context, amp::scaled(g.view(), amp::ticket()));
  CHECK(amp::wait_global_norm(context, gradients) == 13);
  amp::clip_gradients(context, gradients, amp::clip_value{4});
  CHECK(amp::wait_global_norm(context, gradients) == doctest::Approx(std::sqrt(41.0)));
  amp::clip_gradients(context, gradients, amp::clip_global_norm{1});
  CHECK(amp::wait_global_norm(context, gradients) == doctest::Approx(1).epsilon(1e-6));
  CHECK(amp::wait_global_norm(context, gradients, 1) == doctest::Approx(11 / std::sqrt(41.0)).epsilon(1e-6));
  amp::clip_gradients(context, gradients, amp::clip_global_norm{0.5f, HUGE_VAL});
  device_array<float> out(context, 3);
  amp::materialize(context, gradients, out.view());
  CHECK(out[2] == doctest::Approx(-0.5f).epsilon(1e-5));
  CHECK(out[0] == doctest::Approx(0.375f).epsilon(1e-5));
  CHECK(g[2] == -12);
}
