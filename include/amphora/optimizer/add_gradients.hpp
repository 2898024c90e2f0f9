// Adds gradients to others: accumulation where the backward pass does not add by itself.
#pragma once
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/kernels.hpp>    // step_kernels
#include <amphora/scale/scaled.hpp>         // scaled
#include <amphora/tensor/view.hpp>          // view

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {

/// into += from, each sum in float and rounded once to into's format.
///
/// from, into  [n], f16, bf16 or f32; different memory
/// Errors      shape, same-buffer. Does not synchronise
template <class Context, class From, class Into>
void add_gradients(Context& context, const view<From>& from, const view<Into>& into) {
  if (from.size() != into.size()) detail::fail("shape", "add_gradients: shapes ", from.shape(), " and ", into.shape(), " differ in size");
  const void *const a = from.data(), *const b = into.data();
  if (a == b && a) detail::fail("same-buffer", "add_gradients: both gradients are one buffer");
  step_kernels<typename Context::device>::add(context, gradient_view(from), model_pointer(into.data()));
}
/// The same for gradients that are still scaled. Uses both handles up; the sum has the one that is returned.
///
/// Errors  mixed-tickets  they carry different scales
///         used-twice, stale-ticket, shape, same-buffer; both handles stay as they were
template <class Context, class From, class Into>
scaled<view<Into>> add_gradients(Context& context, scaled<view<From>>&& from, scaled<view<Into>>&& into) {
  into.ticket().require_same(from.ticket(), "add_gradients");
  add_gradients(context, from.peek("add_gradients"), into.peek("add_gradients"));
  static_cast<void>(std::move(from).take("add_gradients"));
  auto sum = std::move(into).take("add_gradients");
  return {sum.gradients, std::move(sum.used)};
}

}}  // namespace amphora
