// The axes and the order that a reference case names.
#pragma once
#include <amphora/ops/reduction.hpp>
#include <ops/golden.hpp>

#include <vector>

namespace golden {

/// dim: null for all axes, a number, or a list, whose emptiness means all too.
inline amp::axes axes_of(const test_case& c) {
  amp::axes result;
  const json& dim = c.option("dim");
  if (dim.is_number()) {
    result = amp::axes{dim.get<int>()};
  } else if (dim.is_array()) {
    const std::vector<int> d = dim;
    result = d.size() == 2 ? amp::axes{d[0], d[1]} : d.size() == 1 ? amp::axes{d[0]} : amp::axes{};
  }
  return c.data.at("options").contains("keepdim") && c.option("keepdim").get<bool>() ? result.keep() : result;
}

/// p or ord: a number, an infinity, or "fro" for 2.
inline double order_of(const test_case& c) {
  const json& p = c.option(c.data.at("options").contains("p") ? "p" : "ord");
  return p == "fro" ? 2 : number(p);
}

}  // namespace golden
