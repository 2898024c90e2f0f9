#include <amphora/optimizer/gradients.hpp>  // gradient_list, gradient_view

#include <doctest/doctest.h>

namespace amp = amphora;

static_assert(std::is_trivially_copyable_v<amp::gradient_list>);

TEST_CASE("a gradient knows its address, format and size, and may be absent") {
  amp::bfloat16 values[6];
  const amp::gradient_view g = amp::view{values, amp::shape{2, 3}};
  CHECK(g.data == values);
  CHECK(g.format == amp::format_id::bf16);
  CHECK(g.n == 6);
  CHECK(amp::gradient_view().data == nullptr);
  CHECK(amp::gradient_view(nullptr, 3).data == nullptr);
}

TEST_CASE("a list is made from a view, an array or a vector, and points to it") {
  float a[2], b[3];
  const amp::gradient_view both[] = {{a, 2}, {b, 3}};
  CHECK(amp::gradient_list(both).size() == 2);
  CHECK(amp::gradient_list(both)[1].data == b);
  CHECK(!amp::gradient_list(both).is_flat());
  const std::vector<amp::gradient_view> vector(both, both + 2);
  CHECK(amp::gradient_list(vector).begin() == vector.data());
  CHECK(amp::gradient_list().size() == 0);
  const amp::gradient_list flat = amp::view{b, amp::shape{3}}, copy = flat;
  CHECK(copy.is_flat());
  CHECK(copy[0].n == 3);
  std::int64_t n = 0;
  for (const amp::gradient_view& g : copy) n += g.n;
  CHECK(n == 3);
}
