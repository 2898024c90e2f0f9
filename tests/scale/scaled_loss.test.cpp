#include <amphora/host/scale.hpp>         // scale_kernels
#include <amphora/scale/scaled_loss.hpp>  // scaled_loss
#include <amphora/scale/scaler.hpp>       // scaler

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace amp = amphora;

using loss_type = amp::scaled_loss<amp::host_context>;
static_assert(!std::is_copy_constructible_v<loss_type> && std::is_move_constructible_v<loss_type>);

TEST_CASE("a scaled loss keeps the shape of the loss and is float, whatever came in") {
  amp::host_context context;
  amp::scaler<amp::host_context> scaler(context, amp::growth{2, 0.5, 2000, 8});
  std::vector<float> f{1, -2, 0.5f, 3, 4, 5};
  std::vector<amp::float16> h;
  std::vector<double> d;
  for (float x : f) h.emplace_back(x), d.push_back(x);
  const auto check = [&](auto loss) {
    CHECK(loss.value().shape() == amp::shape{2, 3});
    for (int i = 0; i < 6; ++i) CHECK(loss.value().data()[i] == 8 * f[i]);
  };
  check(scaler.scale(context, amp::view<const float>(f.data(), {2, 3})));
  check(scaler.scale(context, amp::view(h.data(), amp::shape{2, 3})));
  check(scaler.scale(context, amp::view(d.data(), amp::shape{2, 3})));
}

TEST_CASE("scaling a loss takes no new memory from the second iteration on") {
  amp::host_context context;
  amp::scaler<amp::host_context> scaler(context);
  float loss = 1;
  (void)scaler.scale(context, amp::view(&loss));
  const auto before = context.allocations();
  for (int i = 0; i < 10; ++i) {
    const auto scaled = scaler.scale(context, amp::view(&loss));
    CHECK(scaled.value().data()[0] == 65536);
  }
  CHECK(context.allocations() == before);
}
