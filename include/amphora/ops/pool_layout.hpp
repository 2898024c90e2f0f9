// What a pooling is to a device: windows over planes, and the arithmetic that all devices share.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cstdint>  // int64_t, uint32_t
#include <limits>   // infinity

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Each device specialises it. Arrays are [planes, in…] and [planes, out…]; an index is a place within its plane of x, −1 for none.
///
///     greatest(context, window, y, indices, x)      the largest of each window and where it lies; y without memory, or indices null: the other alone
///     take(context, window, y, x, indices)          y[o] = x[indices[o]]
///     give(context, window, gx, grad, indices)      gx[i] = Σ grad[o] where indices[o] = i: the transpose of take
///     average<Accumulate>(context, window, y, x)    Σ x / divisor of each window
///     spread<Accumulate>(context, window, gx, grad) gx[i] = Σ grad[o] / divisor of o where the window of o has i: the transpose of average
template <class Device> struct pooling_kernels;

template <class Real> inline constexpr Real below_all = -std::numeric_limits<Real>::infinity();

/// a / b of numbers that are not negative: in 32 bits where they are enough, since a device divides those much faster.
AMPHORA_HD constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return ((a | b) >> 32) == 0 ? static_cast<std::int64_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b)) : a / b;
}

/// Places begin, begin + step, … below end.
struct pool_span {
  std::int64_t begin = 0, end = 0, step = 1;
  std::int64_t padded = 0;  ///< with the places in the padding

  AMPHORA_HD constexpr bool is_empty() const { return end <= begin; }
};

/// Windows that go over planes of up to three axes; the missing ones come first and have extent 1.
struct pool_window {
  std::int64_t planes = 0, in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, size[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
  bool adaptive = false;         ///< windows share an axis as evenly as they can; size, stride, padding and dilation say nothing
  bool counts_padding = true;    ///< of an average: places in the padding count in the divisor
  std::int64_t divisor = 0;      ///< of an average, in the place of a count; 0: none

  AMPHORA_HD constexpr std::int64_t inputs() const { return in[0] * in[1] * in[2]; }
  AMPHORA_HD constexpr std::int64_t outputs() const { return out[0] * out[1] * out[2]; }

  /// The places of x in the window of output o along an axis.
  AMPHORA_HD constexpr pool_span window(int axis, std::int64_t o) const {
    if (!adaptive) return strided(axis, o);
    pool_span s;
    s.begin = quotient(o * in[axis], out[axis]), s.end = quotient((o + 1) * in[axis] + out[axis] - 1, out[axis]);
    s.padded = s.end - s.begin;
    return s;
  }
  /// The same where the windows are not adaptive.
  AMPHORA_HD constexpr pool_span strided(int axis, std::int64_t o) const {
    pool_span s;
    const std::int64_t first = o * stride[axis] - padding[axis], past = first + (size[axis] - 1) * dilation[axis] + 1;
    s.step = dilation[axis];
    s.begin = first < 0 && s.step == 1 ? 0 : first;
    while (s.begin < 0) s.begin += s.step;
    s.end = past < in[axis] ? past : in[axis];
    s.padded = (past < in[axis] + padding[axis] ? past : in[axis] + padding[axis]) - first;  // nothing past the padding counts
    return s;
  }
  /// The outputs whose windows may have place i of x along an axis; of a dilated window not all of them do.
  AMPHORA_HD constexpr pool_span covering(int axis, std::int64_t i) const {
    pool_span s;
    if (adaptive) {
      s.begin = quotient(i * out[axis], in[axis]), s.end = quotient((i + 1) * out[axis] + in[axis] - 1, in[axis]);
      return s;
    }
    const std::int64_t at = i + padding[axis], before = at - (size[axis] - 1) * dilation[axis];
    s.begin = before > 0 ? quotient(before + stride[axis] - 1, stride[axis]) : 0, s.end = quotient(at, stride[axis]) + 1;
    s.end = s.end < out[axis] ? s.end : out[axis];
    return s;
  }
};

struct pool_place { std::int64_t at[3]; };
AMPHORA_HD constexpr pool_place place_in(const std::int64_t (&extent)[3], std::int64_t i) {
  const std::int64_t rows = quotient(i, extent[2]), planes = quotient(rows, extent[1]);
  return {{planes, rows - planes * extent[1], i - rows * extent[2]}};
}

template <class Real> struct pool_greatest {
  Real value;
  std::int64_t index;
};
/// The first of the largest numbers of a window; where there are NaNs, the last of them. Of none −∞, and index −1.
///
/// x  x(i) is number i of the plane
template <class Real, class X>
AMPHORA_HD pool_greatest<Real> greatest_of(const pool_window& w, std::int64_t o, const X& x) {
  const pool_place place = place_in(w.out, o);
  const pool_span a = w.strided(0, place.at[0]), b = w.strided(1, place.at[1]), c = w.strided(2, place.at[2]);
  pool_greatest<Real> best = {below_all<Real>, !a.is_empty() && !b.is_empty() && !c.is_empty() ? (a.begin * w.in[1] + b.begin) * w.in[2] + c.begin : -1};
  for (std::int64_t i = a.begin; i < a.end; i += a.step)
    for (std::int64_t j = b.begin; j < b.end; j += b.step)
      for (std::int64_t k = c.begin; k < c.end; k += c.step) {
        const std::int64_t at = (i * w.in[1] + j) * w.in[2] + k;
        const Real number = x(at);
        if (number > best.value || number != number) best = {number, at};
      }
  return best;
}

/// How many places along an axis a window of an average is divided by; 0 where none lies in it.
AMPHORA_HD constexpr std::int64_t places_that_count(const pool_window& w, const pool_span& s) { return s.is_empty() ? 0 : w.counts_padding ? s.padded : s.end - s.begin; }
template <class Real, class X>
AMPHORA_HD Real average_of(const pool_window& w, std::int64_t o, const X& x) {
  const pool_place place = place_in(w.out, o);
  const pool_span a = w.window(0, place.at[0]), b = w.window(1, place.at[1]), c = w.window(2, place.at[2]);
  const std::int64_t places = places_that_count(w, a) * places_that_count(w, b) * places_that_count(w, c);
  Real sum = 0;
  for (std::int64_t i = a.begin; i < a.end; ++i)
    for (std::int64_t j = b.begin; j < b.end; ++j)
      for (std::int64_t k = c.begin; k < c.end; ++k) sum += x((i * w.in[1] + j) * w.in[2] + k);
  return places == 0 ? Real(0) : sum / static_cast<Real>(w.divisor != 0 ? w.divisor : places);
}

/// Σ grad[o] over the outputs whose index is i, in their order.
template <class Real, class Grad, class Index>
AMPHORA_HD Real given_to(const pool_window& w, std::int64_t i, const Grad& grad, const Index& index) {
  const pool_place place = place_in(w.in, i);
  const pool_span a = w.covering(0, place.at[0]), b = w.covering(1, place.at[1]), c = w.covering(2, place.at[2]);
  Real sum = 0;
  for (std::int64_t p = a.begin; p < a.end; ++p)
    for (std::int64_t q = b.begin; q < b.end; ++q)
      for (std::int64_t r = c.begin; r < c.end; ++r) {
        const std::int64_t o = (p * w.out[1] + q) * w.out[2] + r;
        if (index(o) == i) sum += grad(o);
      }
  return sum;
}
/// Σ grad[o] / divisor over the outputs whose windows have place i, in their order.
template <class Real, class Grad>
AMPHORA_HD Real spread_to(const pool_window& w, std::int64_t i, const Grad& grad) {
  const pool_place place = place_in(w.in, i);
  const pool_span a = w.covering(0, place.at[0]), b = w.covering(1, place.at[1]), c = w.covering(2, place.at[2]);
  Real sum = 0;
  for (std::int64_t p = a.begin; p < a.end; ++p) {
    const std::int64_t planes = places_that_count(w, w.window(0, p));
    for (std::int64_t q = b.begin; q < b.end; ++q) {
      const std::int64_t rows = planes * places_that_count(w, w.window(1, q)), first = (p * w.out[1] + q) * w.out[2];
      for (std::int64_t r = c.begin; r < c.end; ++r)
        sum += grad(first + r) / static_cast<Real>(w.divisor != 0 ? w.divisor : rows * places_that_count(w, w.window(2, r)));
    }
  }
  return sum;
}

}}}  // namespace amphora::detail
