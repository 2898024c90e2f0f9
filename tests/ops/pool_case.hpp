// Reference cases of poolings: their windows.
#pragma once
#include <amphora/ops/pool_options.hpp>
#include <ops/golden.hpp>

#include <vector>

namespace golden {

inline amp::per_axis per_axis_of(const json& numbers) {
  const std::vector<std::int64_t> n = numbers;
  return n.size() == 1 ? amp::per_axis{n[0]} : n.size() == 2 ? amp::per_axis{n[0], n[1]} : amp::per_axis{n[0], n[1], n[2]};
}
inline amp::max_pool_options max_pool_options_of(const test_case& c) {
  return amp::max_pool_options{}.stride(per_axis_of(c.option("stride"))).padding(per_axis_of(c.option("padding"))).dilation(per_axis_of(c.option("dilation"))).ceil(c.option("ceil_mode"));
}
inline amp::avg_pool_options avg_pool_options_of(const test_case& c) {
  const auto options = amp::avg_pool_options{}.stride(per_axis_of(c.option("stride"))).padding(per_axis_of(c.option("padding"))).ceil(c.option("ceil_mode")).count_padding(c.option("count_include_pad"));
  return c.option("divisor_override").is_null() ? options : options.divisor(c.option("divisor_override"));
}
/// PyTorch's None is the input's extent.
inline amp::per_axis windows_of(const test_case& c) {
  const json& n = c.option("output_size");
  const auto one = [&](std::size_t i) { return n[i].is_null() ? amp::same_extent : n[i].get<std::int64_t>(); };
  return {one(0), one(1)};
}

}  // namespace golden
