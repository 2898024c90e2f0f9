// A pointer with a shape: how the library is handed memory that is not its own.
#pragma once
#include <amphora/format/format_of.hpp>  // format_of_t
#include <amphora/tensor/shape.hpp>      // shape

#include <type_traits>  // remove_const_t

namespace amphora { inline namespace AMPHORA_ABI {

/// A dense row-major array in somebody else's memory, on whatever device that memory is.
///
/// T  a storage type, const for what is only read: float, amphora::float16, __half, std::int64_t, …
template <class T>
class view {
 public:
  using value_type = std::remove_const_t<T>;
  using format = format_of_t<value_type>;

  constexpr view() = default;
  /// One number, e.g. a loss.
  constexpr explicit view(T* data) : data_(data) {}
  constexpr view(T* data, const amphora::shape& shape) : data_(data), shape_(shape) {}
  /// A view that may write converts to one that may not.
  template <class U, std::enable_if_t<std::is_same_v<const U, T>, int> = 0>
  constexpr view(const view<U>& other) : data_(other.data()), shape_(other.shape()) {}

  constexpr T* data() const { return data_; }
  constexpr const amphora::shape& shape() const& { return shape_; }
  constexpr amphora::shape shape() && { return shape_; }  // of a temporary view: a copy, so that nothing dangles
  constexpr std::int64_t size() const { return shape_.elements(); }

  /// The same memory under another shape of as many elements.
  constexpr view reshaped(const amphora::shape& other) const {
    if (other.elements() != size()) detail::fail("shape", "cannot view ", shape_, " as ", other, "; the numbers of elements differ");
    return view(data_, other);
  }

 private:
  T* data_ = nullptr;
  amphora::shape shape_;
};

template <class T> view(T*) -> view<T>;
template <class T> view(T*, amphora::shape) -> view<T>;

}}  // namespace amphora
