// Runs a call on one, two and three threads and asks for the same bits.
#pragma once
#include <amphora/host/context.hpp>
#include <amphora/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <cstring>

namespace check {

/// call(context) -> tensor
template <class Call> void same_bits_on_any_threads(const Call& call) {
  amphora::host_context one(1), two(2), three(3);
  const auto a = call(one), b = call(two), c = call(three);
  REQUIRE(a.shape() == b.shape());
  const auto bytes = static_cast<std::size_t>(a.size()) * sizeof *a.data();
  CHECK(std::memcmp(a.data(), b.data(), bytes) == 0);
  CHECK(std::memcmp(a.data(), c.data(), bytes) == 0);
}

}  // namespace check
