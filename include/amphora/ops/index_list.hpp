// The indices of a call, one array or mask for each of the first axes.
#pragma once
#include <amphora/ops/operand.hpp>   // operand
#include <amphora/ops/pick.hpp>      // index_source, index_of
#include <amphora/tensor/shape.hpp>  // shape
#include <amphora/tensor/view.hpp>   // view

namespace amphora { inline namespace AMPHORA_ABI {

/// The indices of the first axes of an array, one after the other: index_list{rows}, index_list{rows, columns}, index_list{mask}.
///
/// Integers (int32 or int64; negative ones count from the end) have shapes that broadcast; a mask (bool) stands for as many axes as it has. Refers to the
/// memory that it is given
class index_list {
 public:
  template <class... X> explicit index_list(const X&... x) {
    static_assert(sizeof...(X) <= shape::max_rank, "amphora [shape]: a shape has at most 8 axes");
    (add(detail::operand(x)), ...);
  }
  struct one {
    detail::index_source from;
    shape own;
    bool is_mask() const { return from.bytes == 1; }
  };
  int count() const { return count_; }
  const one& operator[](int i) const { return of_[i]; }

 private:
  template <class T> void add(const view<const T>& x) { of_[count_++] = one{detail::index_of(x), x.shape()}; }
  one of_[shape::max_rank];
  int count_ = 0;
};

}}  // namespace amphora
