#include <amphora/scale/scaled_loss.hpp>  // scaled_loss
#include <amphora/scale/scaler.hpp>       // scaler

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace amp = amphora;

using loss_type = amp::scaled_loss<test_context>;
static_assert(!std::is_copy_constructible_v<loss_type> && std::is_move_constructible_v<loss_type>);

TEST_CASE("a scaled loss keeps the shape of the loss and is float, whatever came in") {
  test_context context;
  amp::scaler<test_context> scaler(context, amp::growth{2, 0.5, 2000, 8});
  std::vector<float> f{1, -2, 0.5f, 3, 4, 5};
  std::vector<amp::float16> h;
  std::vector<double> d;
  for (float x : f) h.emplace_back(x), d.push_back(x);
  const auto check = [&](auto loss) {
    CHECK(loss.value().shape() == amp::shape{2, 3});
    const std::vector<float> value = amp::wait_read(context, loss.value());
    for (std::size_t i = 0; i < 6; ++i) CHECK(value[i] == 8 * f[i]);
  };
  const device_array<float> singles(context, f);
  const device_array<amp::float16> halves(context, h);
  const device_array<double> doubles(context, d);
  check(scaler.scale(context, amp::view<const float>(singles.data(), {2, 3})));
  check(scaler.scale(context, amp::view(halves.data(), amp::shape{2, 3})));
  check(scaler.scale(context, amp::view(doubles.data(), amp::shape{2, 3})));
}

TEST_CASE("scaling a loss takes no new memory from the second iteration on") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  const device_array<float> loss(context, {1});
  (void)scaler.scale(context, amp::view(loss.data()));
  const auto before = context.allocations();
  for (int i = 0; i < 10; ++i) {
    const auto scaled = scaler.scale(context, amp::view(loss.data()));
    CHECK(read_device(context, scaled.value().data()) == 65536);
  }
  CHECK(context.allocations() == before);
}
