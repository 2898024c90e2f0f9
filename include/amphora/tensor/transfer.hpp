// Numbers between the host's memory and a context's, for what a program reads from files and prints.
#pragma once
#include <amphora/error.hpp>          // fail
#include <amphora/scale/kernels.hpp>  // scale_kernels
#include <amphora/tensor/tensor.hpp>  // tensor
#include <amphora/tensor/view.hpp>    // view

#include <cstddef>      // size_t
#include <type_traits>  // enable_if_t, is_const_v
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// Copies numbers of the host's into memory of the context. The host's memory is free on return. Does not wait.
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

/// Copies numbers of the context's to the host in the order of its work, without a wait: a loss, a norm or a scale for the log.
///
///     amp::copy_later(context, amp::view<const float>(loss.data()), &logged->loss);   // captured too: each replay writes anew
///
/// from    [n], device
/// pinned  [n], host memory that a copy need not wait for (cudaMallocHost, cudaHostRegister); on the host device any. It holds the
///         numbers once the device has come here: after a wait, or after an event that the caller recorded behind this call
/// Errors  device  the memory is not pinned
template <class Context, class T>
void copy_later(Context& context, const view<const T>& from, T* pinned) {
  if (from.size() > 0) scale_kernels<typename Context::device>::copy_later(context, from.data(), pinned, static_cast<std::size_t>(from.size()) * sizeof(T));
}
template <class Context, class T, std::enable_if_t<!std::is_const_v<T>, int> = 0>
void copy_later(Context& context, const view<T>& from, T* pinned) { copy_later(context, view<const T>(from), pinned); }
template <class Context, class T> void copy_later(Context& context, const tensor<T, Context>& from, T* pinned) { copy_later(context, from.view(), pinned); }

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
