// An array that owns its memory, taken from a context and given back to it.
#pragma once
#include <amphora/format/storage.hpp>  // storage_t
#include <amphora/tensor/shape.hpp>    // shape
#include <amphora/tensor/view.hpp>     // view

#include <cstddef>      // size_t
#include <type_traits>  // is_trivially_copyable_v
#include <utility>      // exchange

namespace amphora { inline namespace AMPHORA_ABI {

/// A dense row-major array of T in a context's memory. Moves; a copy is written as one (amphora::copy).
///
/// T        a storage type (float, float16, …) or an integer
/// Context  host_context or cuda_context; it must outlive the tensor
template <class T, class Context>
class tensor {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;
  using format = format_of_t<T>;

  tensor() = default;
  /// Its contents are not defined.
  tensor(Context& context, const amphora::shape& shape)
      : context_(&context), data_(static_cast<T*>(context.allocate(bytes(shape)))), shape_(shape) {}
  tensor(tensor&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)), data_(std::exchange(other.data_, nullptr)), shape_(other.shape_) {}
  tensor& operator=(tensor&& other) noexcept {
    if (this != &other) {
      give_back();
      context_ = std::exchange(other.context_, nullptr), data_ = std::exchange(other.data_, nullptr), shape_ = other.shape_;
    }
    return *this;
  }
  ~tensor() { give_back(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  const amphora::shape& shape() const { return shape_; }
  std::int64_t size() const { return shape_.elements(); }
  amphora::view<T> view() { return {data_, shape_}; }
  amphora::view<const T> view() const { return {data_, shape_}; }
  operator amphora::view<T>() { return view(); }
  operator amphora::view<const T>() const { return view(); }

 private:
  static std::size_t bytes(const amphora::shape& shape) {
    if (static_cast<std::uint64_t>(shape.elements()) > SIZE_MAX / sizeof(T) / 2) detail::fail("size", "a tensor of shape ", shape, " does not fit the address space");
    return static_cast<std::size_t>(shape.elements()) * sizeof(T);
  }
  void give_back() noexcept {
    if (context_) context_->release(data_, bytes(shape_));
  }

  Context* context_ = nullptr;
  T* data_ = nullptr;
  amphora::shape shape_;
};

/// The tensor that holds Format in this context.
template <class Format, class Context> using tensor_of_t = tensor<storage_t<Format>, Context>;

}}  // namespace amphora
