// What the emulator's own tests share: numbers on the device, a launch in one line, and a child process for what ends one.
#pragma once
#include <cuda_runtime.h>

#include <doctest/doctest.h>

#include <sys/wait.h>  // waitpid
#include <unistd.h>    // fork, pipe

#include <cstddef>    // size_t
#include <cstdlib>    // exit
#include <stdexcept>  // runtime_error
#include <string>     // string
#include <vector>     // vector

template <class... Expected, class... Actual>
cudaError_t run(dim3 grid, dim3 block, void (*kernel)(Expected...), Actual&&... arguments) {
  cudaLaunchConfig_t c = {};
  c.gridDim = grid, c.blockDim = block;
  return cudaLaunchKernelEx(&c, kernel, static_cast<Actual&&>(arguments)...);
}

/// What a launch throws; empty where it does not.
template <class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class T>
class numbers {
 public:
  explicit numbers(std::size_t size) : size_(size) { REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)) == cudaSuccess); }
  numbers(const std::vector<T>& values) : numbers(values.size()) { REQUIRE(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess); }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { cudaFree(data_); }
  T* data() const { return data_; }
  std::vector<T> get() const {
    std::vector<T> values(size_);
    REQUIRE(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Order of blocks and threads for as long as it lives.
struct order {
  explicit order(bool reverse) { emulated::reverse = reverse; }
  ~order() { emulated::reverse = false; }
};

/// ThreadSanitizer does not follow what happens before what in a child process, so that one with fibers ends with reports.
#if defined(EMULATED_TSAN)
inline constexpr bool children_end_well = false;
#else
inline constexpr bool children_end_well = true;
#endif

struct ending {
  int status;  // as waitpid has it; 0 is success
  std::string said;
};
/// Runs what may end a process in one of its own.
template <class Call>
ending in_child(const Call& call) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], 1), dup2(ends[1], 2), close(ends[0]), close(ends[1]);
    call();
    std::exit(0);
  }
  close(ends[1]);
  ending e = {0, ""};
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) e.said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, &e.status, 0);
  return e;
}
