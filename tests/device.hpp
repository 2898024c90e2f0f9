// The device that a test runs on: the host, or CUDA (emulated, or a real one) where the build says AMPHORA_TEST_CUDA.
#pragma once
#include <amphora/tensor/transfer.hpp>  // write, wait_read

#if defined(AMPHORA_TEST_CUDA)
#include <amphora/cuda/context.cuh>    // cuda_context
#include <amphora/cuda/parameter.cuh>  // parameter_kernels
#include <amphora/cuda/scale.cuh>      // scale_kernels
#include <amphora/cuda/step.cuh>       // step_kernels
#else
#include <amphora/host/context.hpp>    // host_context
#include <amphora/host/parameter.hpp>  // parameter_kernels
#include <amphora/host/scale.hpp>      // scale_kernels
#include <amphora/host/step.hpp>       // step_kernels
#endif

#include <cstddef>           // size_t
#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list
#include <vector>            // vector

#if defined(AMPHORA_TEST_CUDA)
using test_context = amphora::cuda_context;
inline constexpr bool tests_cuda = true;
#else
using test_context = amphora::host_context;
inline constexpr bool tests_cuda = false;
#endif
using test_device = test_context::device;

/// Numbers in the device's memory that a test writes and reads by their index. Each access waits: for small arrays.
template <class T>
class device_array {
 public:
  device_array(test_context& context, std::vector<T> values) : context_(&context), memory_(context, amphora::shape{static_cast<std::int64_t>(values.size())}) { set(values); }
  device_array(test_context& context, std::size_t size, T value = T()) : device_array(context, std::vector<T>(size, value)) {}
  device_array(test_context& context, std::initializer_list<T> values) : device_array(context, std::vector<T>(values)) {}

  T* data() { return memory_.data(); }
  const T* data() const { return memory_.data(); }
  std::size_t size() const { return static_cast<std::size_t>(memory_.size()); }
  amphora::view<T> view() { return memory_.view(); }
  amphora::view<const T> view() const { return memory_.view(); }

  std::vector<T> get() const { return amphora::wait_read(*context_, memory_); }
  void set(const std::vector<T>& values) { amphora::write(*context_, values, memory_); }

  /// One number: reads as a T, and may be assigned.
  class place {
   public:
    place(device_array& array, std::size_t i) : array_(array), i_(i) {}
    operator T() const { return static_cast<const device_array&>(array_)[i_]; }
    place& operator=(const T& value) {
      amphora::scale_kernels<test_device>::write(*array_.context_, &value, array_.data() + i_, sizeof(T));
      return *this;
    }

   private:
    device_array& array_;
    std::size_t i_;
  };
  place operator[](std::size_t i) { return {*this, i}; }
  T operator[](std::size_t i) const {
    T value;
    amphora::scale_kernels<test_device>::wait_read(*context_, data() + i, &value, sizeof(T));
    return value;
  }

 private:
  test_context* context_;
  amphora::tensor<T, test_context> memory_;
};

/// What lies at an address of the device; waits.
template <class T>
T read_device(test_context& context, const T* from) {
  T value;
  amphora::scale_kernels<test_device>::wait_read(context, from, &value, sizeof(T));
  return value;
}
