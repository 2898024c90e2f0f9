// The same call on the host and on CUDA: for numbers that must be equal, or near each other.
#pragma once
#include <amphora/cuda/context.cuh>
#include <amphora/cuda/scale.cuh>
#include <amphora/format/convert.hpp>
#include <amphora/host/context.hpp>
#include <amphora/host/scale.hpp>
#include <amphora/tensor/tensor.hpp>
#include <amphora/tensor/transfer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace check {

/// Numbers between -most and most, with zeros of both signs among them.
template <class T> std::vector<T> numbers(std::int64_t count, unsigned seed, double most = 2) {
  std::mt19937 bits(seed);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& number : result) {
    const double x = (static_cast<double>(bits() & 0xffffffu) / 8388608 - 1) * most;
    number = amphora::convert<amphora::format_of_t<T>, amphora::saturating>(bits() % 16 == 0 ? std::copysign(0.0, x) : x);
  }
  return result;
}

/// A view of the context's memory that begins `skip` elements past an aligned place, with a guard of ones on both sides.
template <class T, class Context>
class array {
 public:
  array(Context& context, const amphora::shape& shape, const std::vector<T>& values, int skip = 0)
      : context_(&context), shape_(shape), skip_(skip), all_(context, {static_cast<std::int64_t>(values.size()) + skip + 1}) {
    REQUIRE(shape.elements() == static_cast<std::int64_t>(values.size()));
    std::vector<T> padded(static_cast<std::size_t>(skip) + 1 + values.size(), guard());
    std::copy(values.begin(), values.end(), padded.begin() + skip);
    amphora::write(context, padded, all_);
  }
  amphora::view<T> view() { return {all_.data() + skip_, shape_}; }
  amphora::view<const T> view() const { return {all_.data() + skip_, shape_}; }
  std::vector<T> wait_read() const {
    std::vector<T> padded = amphora::wait_read(*context_, all_);
    for (int i = 0; i < skip_; ++i) CHECK(same(padded[static_cast<std::size_t>(i)], guard()));
    CHECK(same(padded.back(), guard()));
    return {padded.begin() + skip_, padded.end() - 1};
  }
  static bool same(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

 private:
  static T guard() { return amphora::convert<amphora::format_of_t<T>, amphora::saturating>(1.0); }
  Context* context_;
  amphora::shape shape_;
  int skip_;
  amphora::tensor<T, Context> all_;
};

/// How many numbers differ in their bits; one NaN is as good as another.
template <class T> std::int64_t different(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return std::numeric_limits<std::int64_t>::max();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    count += std::memcmp(&a[i], &b[i], sizeof(T)) != 0 && !(std::isnan(x) && std::isnan(y));
  }
  return count;
}
/// The largest |a − b| / (|b| + 1) · 2^digits-of-T; NaN must meet NaN, and an infinity itself.
template <class T> double largest_error(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) continue;
    const double error = std::fabs(x - y) / (std::fabs(y) + 1) / amphora::unit_roundoff_v<amphora::format_of_t<T>>;
    largest = error <= largest ? largest : error;
    if (std::isnan(error)) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

/// Blocks and threads in the opposite order, where a device can be told to.
struct in_reverse {
#if defined(AMPHORA_EMULATED_CUDA)
  explicit in_reverse(bool on) { emulated::reverse = on; }
  ~in_reverse() { emulated::reverse = false; }
#else
  explicit in_reverse(bool) {}
#endif
};

/// How often the host has waited for the device so far; 0 where nobody counts.
inline std::int64_t waits() {
#if defined(AMPHORA_EMULATED_CUDA)
  return emulated::waits;
#else
  return 0;
#endif
}

/// Runs call(context) twice and insists that it never waits, and that the second time asks for no memory.
template <class Call> void neither_waits_nor_allocates(amphora::cuda_context& context, const Call& call) {
  const std::int64_t before = waits();
  call(context);
  const std::uint64_t allocations = context.allocations();
  call(context);
  CHECK(waits() == before);
  CHECK(context.allocations() == allocations);
}

/// Sizes at which loops over eights, warps, chunks and rows begin and end.
inline const std::vector<std::int64_t> sizes = {0, 1, 7, 8, 9, 255, 4096, 4097, 70001};

}  // namespace check
