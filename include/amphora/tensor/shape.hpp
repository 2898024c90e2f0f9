// The extents of a dense row-major array: up to eight 64-bit sizes, no allocation.
#pragma once
#include <amphora/detail/text.hpp>  // text
#include <amphora/error.hpp>        // fail

#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI {

/// Sizes of a row-major array, outermost first. Rank 0 is a scalar of one element.
///
/// Errors  shape  a rank above 8, a negative extent, or a product past 2^63 - 1
class shape {
 public:
  static constexpr int max_rank = 8;

  constexpr shape() = default;
  constexpr shape(std::initializer_list<std::int64_t> extents) : shape(extents.begin(), static_cast<int>(extents.size())) {}
  constexpr shape(const std::int64_t* extents, int rank) : rank_(rank) {
    if (rank < 0 || rank > max_rank) detail::fail("shape", "a shape has 0 to 8 axes, not ", rank);
    for (int axis = 0; axis < rank; ++axis) {
      if (extents[axis] < 0) detail::fail("shape", "an extent is negative: ", extents[axis]);
      extents_[axis] = extents[axis];
    }
    elements_ = product(0, rank);
  }

  constexpr int rank() const { return rank_; }
  /// How many numbers there are; 1 for rank 0.
  constexpr std::int64_t elements() const { return elements_; }
  /// The extent of an axis; a negative axis counts from the end.
  constexpr std::int64_t operator[](int axis) const { return extents_[checked(axis)]; }
  /// The product of the extents in [first, last).
  constexpr std::int64_t product(int first, int last) const {
    std::int64_t result = 1;
    bool empty = false;
    for (int axis = first; axis < last; ++axis) empty = empty || extents_[axis] == 0;
    if (empty) return 0;
    for (int axis = first; axis < last; ++axis) {
      if (result > INT64_MAX / extents_[axis]) detail::fail("shape", "more than 2^63 - 1 elements");
      result *= extents_[axis];
    }
    return result;
  }
  /// The same sizes with one axis replaced.
  constexpr shape with(int axis, std::int64_t extent) const {
    shape result = *this;
    result.extents_[checked(axis)] = extent;
    return shape(result.extents_, rank_);
  }

  friend constexpr bool operator==(const shape& a, const shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int axis = 0; axis < a.rank_; ++axis)
      if (a.extents_[axis] != b.extents_[axis]) return false;
    return true;
  }
  friend constexpr bool operator!=(const shape& a, const shape& b) { return !(a == b); }

  /// Says itself as [64, 10] in a message.
  void describe(detail::text& out) const {
    out.append("[");
    for (int axis = 0; axis < rank_; ++axis) {
      if (axis) out.append(", ");
      out.append(extents_[axis]);
    }
    out.append("]");
  }

 private:
  constexpr int checked(int axis) const {
    const int from_front = axis < 0 ? axis + rank_ : axis;
    if (from_front < 0 || from_front >= rank_) detail::fail("shape", "axis ", axis, " of a shape with ", rank_, " axes");
    return from_front;
  }

  std::int64_t extents_[max_rank] = {};
  std::int64_t elements_ = 1;
  int rank_ = 0;
};

}}  // namespace amphora
