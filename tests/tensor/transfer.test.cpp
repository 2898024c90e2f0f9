#include <amphora/tensor/transfer.hpp>

#include <device.hpp>  // test_context

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace amp = amphora;

namespace {
/// Host memory that a copy need not wait for.
template <class T>
class pinned {
 public:
#if defined(AMPHORA_TEST_CUDA)
  explicit pinned(std::size_t size) { REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)) == cudaSuccess); }
  ~pinned() { cudaFreeHost(data_); }
#else
  explicit pinned(std::size_t size) : data_(new T[size]) {}
  ~pinned() { delete[] data_; }
#endif
  pinned(const pinned&) = delete;
  T* data() { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  T* data_ = nullptr;
};
}  // namespace

TEST_CASE("numbers go to the device and come back, of any type and number") {
  test_context context;
  for (std::int64_t n : {std::int64_t(1), std::int64_t(1000), std::int64_t(16384), std::int64_t(16385), std::int64_t(3) << 20}) {  // by value, and past it; several pieces
    std::vector<float> numbers(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) * 0.5f - 7;
    amp::tensor<float, test_context> on_device(context, {n});
    amp::write(context, numbers, on_device);
    CHECK(amp::wait_read(context, on_device) == numbers);
  }
  const std::vector<double> one{1.5};
  amp::tensor<double, test_context> place(context, {1});
  amp::write(context, one, place.view());
  CHECK(amp::wait_read(context, amp::view<const double>(place.view())) == one);
}

TEST_CASE("the host's memory is free once a write returns") {
  test_context context;
  std::vector<float> numbers(40000, 1.0f);
  amp::tensor<float, test_context> first(context, {40000}), second(context, {40000});
  amp::write(context, numbers, first);
  for (float& x : numbers) x = 2;
  amp::write(context, numbers, second);
  for (float& x : numbers) x = 3;
  CHECK(amp::wait_read(context, first) == std::vector<float>(40000, 1.0f));
  CHECK(amp::wait_read(context, second) == std::vector<float>(40000, 2.0f));
}

TEST_CASE("a write of another number of elements is refused, one of none does nothing") {
  test_context context;
  amp::tensor<float, test_context> three(context, {3}), none(context, {0});
  CHECK_THROWS_WITH_AS(amp::write(context, std::vector<float>(2), three), "amphora [shape]: write: 2 numbers cannot be written to a view of shape [3]", amp::error);
  amp::write(context, std::vector<float>(), none);
  CHECK(amp::wait_read(context, none).empty());
}

TEST_CASE("a copy for the log is there after a wait, in the order of the work around it") {
  test_context context;
  amp::tensor<float, test_context> loss(context, {1});
  pinned<float> log(3);
  for (std::size_t step = 0; step < 3; ++step) {
    amp::write(context, std::vector<float>{static_cast<float>(step) + 0.5f}, loss);
    amp::copy_later(context, loss, log.data() + step);
  }
  context.wait();
  for (std::size_t step = 0; step < 3; ++step) CHECK(log[step] == static_cast<float>(step) + 0.5f);
  amp::copy_later(context, amp::view<float>(loss.data(), {0}), log.data());
  amp::copy_later(context, amp::view<const float>(loss.data()), log.data());
  context.wait();
  CHECK(log[0] == 2.5f);
}

#if defined(AMPHORA_TEST_CUDA)
TEST_CASE("a copy for the log asks for pinned memory, since it would wait otherwise") {
  test_context context;
  amp::tensor<float, test_context> loss(context, {1});
  amp::write(context, std::vector<float>{1}, loss);
  float pageable = 0;
  CHECK_THROWS_WITH_AS(amp::copy_later(context, loss, &pageable), doctest::Contains("[device]: copy_later: the host's memory is not pinned"), amp::error);
  CHECK(pageable == 0);
}
#endif

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("writes and copies for the log never wait, and take no new memory once warmed up") {
  test_context context;
  amp::tensor<float, test_context> numbers(context, {100000});
  const std::vector<float> values(100000, 1.0f);
  pinned<float> log(1);
  amp::write(context, values, numbers);
  const emulated::no_waits nothing_waits;
  const emulated::no_allocations nothing_is_allocated;
  amp::write(context, values, numbers);
  amp::copy_later(context, amp::view<float>(numbers.data()), log.data());
}
#endif
