// A convolution as products of matrices: which numbers of an image a window touches, place by place, and where the results go.
#pragma once
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/ops/convolution.hpp>  // convolution

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Places of a window over an image, along each of three axes: tap m at place t touches number t · step + first + m · advance. Those outside
/// of the image are 0.
struct patches {
  std::int64_t image[3], places[3], taps[3], step[3], first[3], advance[3];

  AMPHORA_HD std::int64_t image_size() const { return image[0] * image[1] * image[2]; }
  AMPHORA_HD std::int64_t place_count() const { return places[0] * places[1] * places[2]; }
  AMPHORA_HD std::int64_t tap_count() const { return taps[0] * taps[1] * taps[2]; }
  AMPHORA_HD std::int64_t offset(int axis, std::int64_t tap) const { return first[axis] + tap * advance[axis]; }
};

/// Part of a convolution's result: what the places of a window give, from some of the window's numbers.
///
/// Along each axis, place t's result is number t · to_step + to_first, and tap m takes number m · weight_step + weight_first of the window.
struct convolution_part {
  patches from;
  std::int64_t to_image[3], to_first[3], to_step[3];
  std::int64_t window[3], weight_first[3], weight_step[3];

  AMPHORA_HD std::int64_t to(std::int64_t t0, std::int64_t t1, std::int64_t t2) const {
    return ((t0 * to_step[0] + to_first[0]) * to_image[1] + t1 * to_step[1] + to_first[1]) * to_image[2] + t2 * to_step[2] + to_first[2];
  }
  AMPHORA_HD std::int64_t to_size() const { return to_image[0] * to_image[1] * to_image[2]; }
  /// The number of the window that tap m of all taps takes.
  AMPHORA_HD std::int64_t weight(std::int64_t m) const {
    const std::int64_t m2 = m % from.taps[2], rest = m / from.taps[2], m1 = rest % from.taps[1], m0 = rest / from.taps[1];
    return ((m0 * weight_step[0] + weight_first[0]) * window[1] + m1 * weight_step[1] + weight_first[1]) * window[2] + m2 * weight_step[2] + weight_first[2];
  }
  /// Whether the places are the result, in its order.
  bool is_dense() const {
    for (int i = 0; i < 3; ++i)
      if (to_first[i] != 0 || to_step[i] != 1 || to_image[i] != from.places[i]) return false;
    return true;
  }

  /// The same with axes joined wherever the window moves through the last one from end to end without padding, so that lines are long.
  convolution_part joined() const {
    convolution_part part = *this;
    if (!part.join()) return part;
    part.set(1, part.axis(0)), part.set(0, plain());
    part.join();
    return part;
  }

 private:
  /// The numbers of one axis.
  struct line { std::int64_t image, places, taps, step, first, advance, to_image, to_first, to_step, window, weight_first, weight_step; };
  static line plain() { return {1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1}; }
  line axis(int i) const {
    return {from.image[i], from.places[i], from.taps[i], from.step[i], from.first[i], from.advance[i], to_image[i], to_first[i], to_step[i], window[i], weight_first[i], weight_step[i]};
  }
  void set(int i, const line& l) {
    from.image[i] = l.image, from.places[i] = l.places, from.taps[i] = l.taps, from.step[i] = l.step, from.first[i] = l.first, from.advance[i] = l.advance;
    to_image[i] = l.to_image, to_first[i] = l.to_first, to_step[i] = l.to_step, window[i] = l.window, weight_first[i] = l.weight_first, weight_step[i] = l.weight_step;
  }
  /// Makes axes 1 and 2 one.
  bool join() {
    const line a = axis(1), b = axis(2);
    if (b.taps != 1 || b.step != 1 || b.first != 0 || b.places != b.image || b.to_first != 0 || b.to_step != 1 || b.to_image != b.places || a.step != 1 || a.to_step != 1) return false;
    set(1, plain());
    set(2, {a.image * b.image, a.places * b.places, a.taps, 1, a.first * b.image, a.advance * b.image, a.to_image * b.image, a.to_first * b.image, 1, a.window * b.window,
            a.weight_first * b.window + b.weight_first, a.weight_step * b.window});
    return true;
  }
};

/// y from x: one part.
inline convolution_part part_of_y(const convolution& c) {
  convolution_part part = {};
  for (int i = 0; i < 3; ++i) {
    patches& p = part.from;
    p.image[i] = c.in[i], p.places[i] = c.out[i], p.taps[i] = c.window[i], p.step[i] = c.stride[i], p.first[i] = -c.before[i], p.advance[i] = c.dilation[i];
    part.to_image[i] = c.out[i], part.to_first[i] = 0, part.to_step[i] = 1, part.window[i] = c.window[i], part.weight_first[i] = 0, part.weight_step[i] = 1;
  }
  return part;
}

/// x from y: the numbers of x that lie `stride` apart are touched by the same numbers of the window, so that each such set is a part without zeros
/// to multiply by.
struct parts_of_x {
  const convolution& c;

  std::int64_t count(int axis) const { return c.stride[axis] < c.in[axis] ? c.stride[axis] : c.in[axis]; }
  std::int64_t count() const { return count(0) * count(1) * count(2); }
  /// A part may have no taps: its numbers are 0.
  convolution_part operator[](std::int64_t index) const {
    convolution_part part = {};
    for (int i = 2; i >= 0; --i) {
      set(part, i, index % count(i));
      index /= count(i);
    }
    return part;
  }

 private:
  /// x[start + t · stride] is touched by window number r, from y[(start + before − r · dilation) / stride + t], for each r where that divides.
  void set(convolution_part& part, int i, std::int64_t start) const {
    const std::int64_t stride = c.stride[i], at = start + c.before[i];
    std::int64_t divisor = stride, rest = c.dilation[i] % stride;
    while (rest != 0) {
      const std::int64_t next = divisor % rest;
      divisor = rest, rest = next;
    }
    const std::int64_t every = stride / divisor;
    std::int64_t r = 0;
    while (r < c.window[i] && r < every && (at - r * c.dilation[i]) % stride != 0) ++r;
    const bool none = r >= c.window[i] || r >= every;
    patches& p = part.from;
    p.image[i] = c.out[i], p.places[i] = (c.in[i] - start + stride - 1) / stride, p.step[i] = 1;
    p.taps[i] = none ? 0 : (c.window[i] - 1 - r) / every + 1, p.first[i] = none ? 0 : (at - r * c.dilation[i]) / stride, p.advance[i] = -(c.dilation[i] / divisor);
    part.to_image[i] = c.in[i], part.to_first[i] = start, part.to_step[i] = stride;
    part.window[i] = c.window[i], part.weight_first[i] = r, part.weight_step[i] = every;
  }
};

/// The numbers of y, one after the other: what a product for w takes beside the patches of x.
inline patches numbers_of_y(const convolution& c) { return {{1, 1, c.out_size()}, {1, 1, c.out_size()}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}; }

}}}  // namespace amphora::detail
