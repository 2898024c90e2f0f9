// The list of gradients that a backward pass leaves: one entry for each parameter, of any formats.
#pragma once
#include <amphora/tensor/parameter_view.hpp>  // gradient_pointer
#include <amphora/tensor/view.hpp>            // view

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// One gradient: an address, a format and a size. Null data: this parameter has none in this step (PyTorch's None).
struct gradient_view {
  const void* data = nullptr;
  format_id format = format_id::none;
  std::int64_t n = 0;

  constexpr gradient_view() = default;
  constexpr gradient_view(gradient_pointer address, std::int64_t count) : data(address.data), format(address.format), n(count) {}
  template <class T> constexpr gradient_view(const view<T>& values) : gradient_view(gradient_pointer(values.data()), values.size()) {}
};

/// The gradients of one step, in the order of the optimizer's parameters. Points to a list that is kept elsewhere, so it costs nothing to copy.
///
/// Made from one view (kept inside), from a vector or an array of gradient_view, or by an optimizer (`optimizer.gradients()`).
/// One view whose size is the sum of all parameters' sizes is a flat arena: it is cut in their order.
class gradient_list {
 public:
  constexpr gradient_list() = default;
  template <class T> constexpr gradient_list(const view<T>& flat) : flat_(flat), size_(1) {}
  constexpr gradient_list(const gradient_view* entries, std::int64_t size) : entries_(entries), size_(size) {}
  template <std::size_t Size> constexpr gradient_list(const gradient_view (&entries)[Size]) : gradient_list(entries, std::int64_t(Size)) {}
  gradient_list(const std::vector<gradient_view>& entries) : gradient_list(entries.data(), static_cast<std::int64_t>(entries.size())) {}

  constexpr std::int64_t size() const { return size_; }
  constexpr bool is_flat() const { return !entries_ && size_ == 1; }
  constexpr const gradient_view* begin() const { return entries_ ? entries_ : &flat_; }
  constexpr const gradient_view* end() const { return begin() + size_; }
  constexpr const gradient_view& operator[](std::int64_t index) const { return begin()[index]; }

 private:
  const gradient_view* entries_ = nullptr;
  gradient_view flat_;
  std::int64_t size_ = 0;
};

}}  // namespace amphora
