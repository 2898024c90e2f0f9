// What becomes of the losses of a batch, and the word for losses that all weigh the same.
#pragma once
#include <amphora/format/format.hpp>  // not_a_format
#include <amphora/tensor/shape.hpp>   // shape
#include <amphora/tensor/view.hpp>    // view

namespace amphora { inline namespace AMPHORA_ABI {

/// What becomes of the losses of a batch.
enum class reduction { none, mean, sum };

/// Says that all classes, or all elements, weigh the same.
struct no_weights { using format = not_a_format; };

namespace detail {

inline view<const float> operand(no_weights) { return view<const float>(static_cast<const float*>(nullptr)); }

/// The shape of the loss.
inline shape loss_shape(reduction r, const shape& per_row) { return r == reduction::none ? per_row : shape{}; }

/// A reduction and what its mean divides by: all losses, or the extent of the first axis alone.
struct batch {
  amphora::reduction reduction = amphora::reduction::mean;
  bool by_first_axis = false;

  batch(amphora::reduction r, bool first_axis_alone = false) : reduction(r), by_first_axis(first_axis_alone) {}
  shape of(const shape& each) const { return loss_shape(reduction, each); }
  double divisor(const shape& each) const {
    if (reduction != amphora::reduction::mean) return 1;
    return by_first_axis ? static_cast<double>(each.rank() > 0 ? each[0] : 1) : static_cast<double>(each.elements());
  }
};

}  // namespace detail
}}  // namespace amphora
