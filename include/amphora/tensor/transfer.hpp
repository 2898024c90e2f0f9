// Numbers between the host's memory and a context's, for what a program reads from files and prints.
#pragma once
#include <amphora/error.hpp>          // fail
#include <amphora/scale/kernels.hpp>  // scale_kernels
#include <amphora/tensor/tensor.hpp>  // tensor
#include <amphora/tensor/view.hpp>    // view

#include <cstddef>  // size_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// Copies numbers of the host's into memory of the context. The host's memory is free on return.
///
/// from  [n], host
/// to    a view or tensor of n numbers, on the device
/// Errors  shape  another number of elements
template <class Context, class T>
void write(Context& context, const std::vector<T>& from, const view<T>& to) {
  if (static_cast<std::int64_t>(from.size()) != to.size()) detail::fail("shape", "write: ", static_cast<std::uint64_t>(from.size()), " numbers cannot be written to a view of shape ", to.shape());
  if (to.size() > 0) scale_kernels<typename Context::device>::write(context, from.data(), to.data(), from.size() * sizeof(T));
}
template <class Context, class T> void write(Context& context, const std::vector<T>& from, tensor<T, Context>& to) { write(context, from, to.view()); }

/// Copies numbers of the context's to the host; waits for the device.
template <class Context, class T>
std::vector<T> wait_read(Context& context, const view<const T>& from) {
  std::vector<T> result(static_cast<std::size_t>(from.size()));
  if (from.size() > 0) scale_kernels<typename Context::device>::wait_read(context, from.data(), result.data(), result.size() * sizeof(T));
  return result;
}
template <class Context, class T, std::enable_if_t<!std::is_const_v<T>, int> = 0>
std::vector<T> wait_read(Context& context, const view<T>& from) { return wait_read(context, view<const T>(from)); }
template <class Context, class T> std::vector<T> wait_read(Context& context, const tensor<T, Context>& from) { return wait_read(context, from.view()); }

}}  // namespace amphora
