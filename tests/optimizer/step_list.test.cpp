#include <amphora/detail/sort.hpp>          // sort
#include <amphora/optimizer/step_list.hpp>  // step_list

#include <doctest/doctest.h>

#include <algorithm>  // sort
#include <cstdint>    // uint64_t
#include <string>
#include <vector>

namespace amp = amphora;
using amp::detail::step_list;

namespace {

template <class F> std::string slug(F f) {
  try {
    f();
  } catch (const amp::error& e) {
    return e.rule();
  }
  return "";
}
struct memory {
  std::vector<float> w = std::vector<float>(100), s = std::vector<float>(400);
  std::vector<amp::float16> low = std::vector<amp::float16>(100), g = std::vector<amp::float16>(100);
};

}  // namespace

TEST_CASE("gradients are compared with those of the step before, and the table changes only with them") {
  memory m;
  step_list list;
  const std::vector<amp::parameter_view> parameters{{m.w.data(), m.low.data(), m.g.data(), m.s.data(), 100}};
  list.set_parameters(parameters, 2, 1, nullptr);
  const amp::gradient_view first[] = {{m.g.data(), 100}}, other[] = {{m.w.data(), 100}};
  const auto before = list.changes();
  for (int k = 0; k < 5; ++k) list.set_gradients(amp::gradient_list(first));
  CHECK(list.changes() == before + 1);
  CHECK(list.tensors()[0].stride == 100);
  CHECK(list.chunks() == 1);
  list.set_gradients(amp::gradient_list(other));
  CHECK(list.changes() == before + 2);
  CHECK(list.gradients()[0].format == amp::format_id::f32);
  CHECK(list.parameter_changes() == 1);
  list.set_parameters(parameters, 2, 1, nullptr);
  CHECK(list.parameter_changes() == 2);
  CHECK(list.changes() > before + 2);  // other parameters have no gradients yet
}

TEST_CASE("gradients that are refused leave the table as it was, and are refused again") {
  memory m;
  step_list list;
  const std::vector<amp::parameter_view> parameters{{m.w.data(), nullptr, nullptr, nullptr, 50}, {m.w.data() + 50, nullptr, nullptr, nullptr, 50}};
  list.set_parameters(parameters, 0, 1, nullptr);
  const amp::gradient_view good[] = {{m.g.data(), 50}, {m.g.data() + 50, 50}}, shorter[] = {{m.s.data(), 50}, {m.s.data() + 50, 49}};
  list.require_gradients(amp::gradient_list(good), parameters, "step");
  list.set_gradients(amp::gradient_list(good));
  const auto before = list.changes();
  for (int k = 0; k < 2; ++k) {
    CHECK(slug([&] { list.require_gradients(amp::gradient_list(shorter), parameters, "step"); }) == "shape");
    CHECK(slug([&] { list.require_gradients(amp::gradient_list(good, 1), parameters, "step"); }) == "shape");
  }
  CHECK(list.gradients()[0].data == m.g.data());
  CHECK(list.gradients()[1].data == m.g.data() + 50);
  CHECK(list.changes() == before);
}

TEST_CASE("an arena is cut in the parameters' order, and one that is not there gives nobody a gradient") {
  memory m;
  step_list list;
  const std::vector<amp::parameter_view> parameters{{m.w.data(), nullptr, nullptr, nullptr, 30}, {m.w.data() + 50, nullptr, nullptr, nullptr, 50}};
  list.set_parameters(parameters, 0, 1, nullptr);
  const amp::gradient_list arena(amp::view{m.g.data(), amp::shape{80}}), absent(amp::view<amp::float16>{nullptr, amp::shape{80}});
  list.require_gradients(arena, parameters, "step"), list.set_gradients(arena);
  CHECK(list.gradients()[0].data == m.g.data());
  CHECK(list.gradients()[1].data == m.g.data() + 30);
  CHECK(list.gradients()[1].n == 50);
  list.require_gradients(absent, parameters, "step"), list.set_gradients(absent);
  for (int k : {0, 1}) CHECK(list.gradients()[k].data == nullptr);
}

TEST_CASE("float weights are their own master, wherever they are named") {
  memory m;
  step_list list;
  const std::vector<amp::parameter_view> parameters{{nullptr, m.w.data(), m.g.data(), m.s.data(), 50}, {m.w.data() + 50, m.w.data() + 50, m.g.data() + 50, m.s.data() + 100, 50}};
  list.set_parameters(parameters, 2, 1, nullptr);
  for (int k : {0, 1}) {
    CHECK(list.tensors()[k].master == m.w.data() + 50 * k);
    CHECK(list.tensors()[k].targets[0].data == nullptr);
  }
}

TEST_CASE("state that nobody gave is cut from the optimizer's own in whole cache lines") {
  memory m;
  std::vector<float> own(1000);
  step_list list;
  list.set_parameters({{m.w.data(), nullptr, nullptr, nullptr, 17}, {m.w.data() + 17, nullptr, nullptr, nullptr, 1}}, 2, 1, own.data());
  CHECK(list.tensors()[0].state == own.data());
  CHECK(list.tensors()[0].stride == 32);
  CHECK(list.tensors()[1].state == own.data() + 64);
}

TEST_CASE("what two parameters would both write, or one gradient given twice, is refused") {
  memory m;
  step_list list;
  const amp::parameter_view a{m.w.data(), m.low.data(), m.g.data(), m.s.data(), 50};
  const amp::parameter_view same_master{m.w.data() + 49, m.low.data() + 50, m.g.data(), m.s.data() + 100, 50};
  const amp::parameter_view same_model{m.w.data() + 50, m.low.data() + 49, m.g.data(), m.s.data() + 100, 50};
  const amp::parameter_view same_state{m.w.data() + 50, m.low.data() + 50, m.g.data(), m.s.data() + 99, 50};
  const amp::parameter_view fine{m.w.data() + 50, m.low.data() + 50, m.g.data(), m.s.data() + 100, 50};
  for (const auto& b : {same_master, same_model, same_state}) CHECK(slug([&] { list.set_parameters({a, b}, 2, 1, nullptr); }) == "same-buffer");
  list.set_parameters({a, fine}, 2, 1, nullptr);
  const amp::gradient_view twice[] = {{m.g.data(), 50}, {m.g.data() + 49, 50}}, once[] = {{m.g.data(), 50}, {m.g.data() + 50, 50}};
  CHECK(slug([&] { list.require_gradients(amp::gradient_list(twice), {a, fine}, "step"); }) == "same-buffer");
  CHECK(slug([&] { list.require_gradients(amp::gradient_list(twice), {a, fine}, "step"); }) == "same-buffer");
  CHECK(slug([&] { list.require_gradients(amp::gradient_list(once), {a, fine}, "step"); }) == "");
}

TEST_CASE("a parameter that cannot be stepped is refused by name") {
  memory m;
  std::vector<double> wide(100);
  step_list list;
  const auto refused = [&](const amp::parameter_view& p) { return slug([&] { list.set_parameters({p}, 2, 1, nullptr); }); };
  amp::parameter_view p{m.w.data(), m.low.data(), m.g.data(), m.s.data(), 100};
  CHECK(refused(p) == "");
  p.group = 1;
  CHECK(refused(p) == "setting");
  p.group = 0, p.n = 99;
  CHECK(refused(p) == "shape");
  CHECK(refused({static_cast<float*>(nullptr), m.low.data(), m.g.data(), m.s.data(), 100}) == "no-master");
  CHECK(refused(amp::parameter_view::without_master(m.low.data(), m.g.data(), m.s.data(), 100)) == "");
  CHECK(refused(amp::parameter_view::without_master(m.low.data(), m.g.data(), m.s.data(), 100, true)) == "setting");
  CHECK(refused({m.w.data(), wide.data(), m.g.data(), m.s.data(), 100}) == "unknown-format");
  CHECK(refused({static_cast<float*>(nullptr), amp::model_pointer(), m.g.data(), m.s.data(), 100}) == "shape");
  list.set_parameters({{m.w.data(), nullptr, nullptr, nullptr, 100}}, 0, 1, nullptr);
  const amp::gradient_view odd[] = {{wide.data(), 100}};
  CHECK(slug([&] { list.require_gradients(amp::gradient_list(odd), {{m.w.data(), nullptr, nullptr, nullptr, 100}}, "step"); }) == "unknown-format");
}

TEST_CASE("lists of all lengths and orders are sorted") {
  std::uint64_t state = 1;
  for (std::size_t n = 0; n < 70; ++n)
    for (std::uint64_t values : {1u, 3u, 1000u}) {
      std::vector<std::uint64_t> list(n);
      for (auto& x : list) x = (state = state * 6364136223846793005u + 1442695040888963407u) >> 33, x %= values;
      std::vector<std::uint64_t> expected = list;
      std::sort(expected.begin(), expected.end());
      amp::detail::sort(list.data(), n, [](std::uint64_t a, std::uint64_t b) { return a < b; });
      CHECK(list == expected);
    }
}
