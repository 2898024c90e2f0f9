// Where CUDA work runs: a stream, the vendor's handles, and device memory that is kept for the next step.
#pragma once
#include <amphora/cuda/error.cuh>  // require_cuda
#include <amphora/error.hpp>       // fail
#include <amphora/version.hpp>     // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaMalloc, cudaStream_t

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <map>      // map
#include <set>      // set
#include <type_traits>  // is_constructible_v
#include <vector>   // vector

struct cublasContext;  // what a cublasHandle_t points to

namespace amphora { inline namespace AMPHORA_ABI {

/// Tag of the CUDA device: the front asks a context for `device` and finds the kernels by it.
struct cuda_device {
  static constexpr const char* name = "cuda";
};

/// Device memory of the caller's from which a context takes all that it needs.
struct cuda_workspace {
  void* memory = nullptr;  ///< aligned to 256
  std::size_t bytes = 0;
};

/// Runs work on one stream, in its order, and waits for it only where a call is named wait.
///
/// Memory that a step gives back is kept by size and handed out again in stream order, so that nothing is allocated once a
/// step has run. What a stream capture has used stays the capture's: a replay may write to it at any time.
/// One context belongs to one thread at a time. It must outlive what it allocated.
class cuda_context {
 public:
  using device = cuda_device;

  /// A stream of its own, on the current device.
  ///
  /// Errors  device  there is none, or no driver
  cuda_context() : cuda_context(nullptr, true, nullptr, {}) {}
  /// The caller's stream, on the device that is current; the caller's cuBLAS handle (null: one is made when it is first needed), which
  /// must be on this stream; the caller's memory (none: memory comes from cudaMalloc).
  ///
  /// Errors  device
  explicit cuda_context(cudaStream_t stream, cublasContext* cublas = nullptr, const cuda_workspace& workspace = {})
      : cuda_context(stream, false, cublas, workspace) {}
  cuda_context(const cuda_context&) = delete;
  cuda_context& operator=(const cuda_context&) = delete;
  ~cuda_context() {
    while (!kept_.empty()) {
      const kept last = kept_.back();
      kept_.pop_back(), last.end(last.object);
    }
    for (void* memory : owned_) cudaFree(memory);
    if (owns_stream_) cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }
  int device_index() const { return device_index_; }
  int multiprocessors() const { return multiprocessors_; }
  /// Whether the stream is being captured into a graph.
  bool is_capturing() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    detail::require_cuda(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
    return status == cudaStreamCaptureStatusActive;
  }

  /// Memory for bytes, aligned to 256; its contents are not defined. Does not wait for the stream.
  ///
  /// Errors  size  no such memory
  void* allocate(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    const bool capturing = is_capturing();
    void* memory = capturing ? taken_from(captured_free_, size) : nullptr;
    if (!memory) memory = taken_from(free_, size);
    if (!memory) memory = workspace_.memory ? carved(size) : fresh(size);
    if (capturing) captured_.insert(memory);
    return memory;
  }
  /// Takes back what allocate(bytes) gave, in stream order.
  void release(void* memory, std::size_t bytes) noexcept {
    if (memory) (captured_.count(memory) ? captured_free_ : free_)[rounded(bytes)].push_back(memory);
  }
  /// How often the system was asked for memory. It stays the same from the second of two equal steps on.
  std::uint64_t allocations() const { return allocations_; }

  /// Waits for all work of the stream.
  ///
  /// Errors  capture    the stream is being captured
  ///         cuda-call  some work before failed
  void wait() const { detail::require_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  /// The context's one T, made by T(context) or T() when it is first asked for: what a header keeps from step to step. The
  /// last made ends first, before the memory and the stream.
  template <class T>
  T& cache() {
    for (const kept& one : kept_)
      if (one.key == &cache_key<T>::place) return *static_cast<T*>(one.object);
    kept_.reserve(kept_.size() + 1);
    T* made;
    if constexpr (std::is_constructible_v<T, cuda_context&>) made = new T(*this);
    else made = new T();
    kept_.push_back({&cache_key<T>::place, made, [](void* object) { delete static_cast<T*>(object); }});
    return *made;
  }

  /// The caller's cuBLAS handle; null: cuda/cublas.cuh makes one when it is first needed.
  cublasContext* cublas() const { return cublas_; }

 private:
  /// Tells types apart without RTTI. Not const: a linker may fold equal constants.
  template <class T> struct cache_key { static inline char place = 0; };
  struct kept {
    const void* key;
    void* object;
    void (*end)(void*);
  };

  using free_lists = std::map<std::size_t, std::vector<void*>>;

  cuda_context(cudaStream_t stream, bool owns_stream, cublasContext* cublas, const cuda_workspace& workspace) : stream_(stream), cublas_(cublas), workspace_(workspace) {
    detail::require_cuda(cudaGetDevice(&device_index_), "cudaGetDevice");
    detail::require_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_index_), "cudaDeviceGetAttribute");
    if (!owns_stream) return;
    detail::require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    owns_stream_ = true;
  }

#if defined(AMPHORA_EMULATED_CUDA)
  static constexpr std::size_t granule = 16;  // so that an access past the end is past the allocation
#else
  static constexpr std::size_t granule = 512;
#endif
  static constexpr std::size_t rounded(std::size_t bytes) {
    const std::size_t unit = bytes < (std::size_t(1) << 20) ? granule : std::size_t(1) << 21;
    return bytes == 0 ? unit : bytes > SIZE_MAX - unit ? SIZE_MAX : (bytes + unit - 1) / unit * unit;
  }
  static void* taken_from(free_lists& lists, std::size_t size) {
    const auto found = lists.find(size);
    if (found == lists.end() || found->second.empty()) return nullptr;
    void* const memory = found->second.back();
    found->second.pop_back();
    return memory;
  }
  void* fresh(std::size_t size) {
    void* memory = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // memory of our own never enters the graph
    detail::require_cuda(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
    const cudaError_t status = cudaMalloc(&memory, size);
    detail::require_cuda(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      detail::fail("size", "no device memory left for ", static_cast<std::uint64_t>(size), " bytes");
    }
    detail::require_cuda(status, "cudaMalloc", " of ", static_cast<std::uint64_t>(size), " bytes");
    owned_.push_back(memory), ++allocations_;
    return memory;
  }
  void* carved(std::size_t size) {
    const std::size_t begin = (carved_ + 255) / 256 * 256;
    if (begin > workspace_.bytes || size > workspace_.bytes - begin)
      detail::fail("size", "the context's workspace of ", static_cast<std::uint64_t>(workspace_.bytes), " bytes has no room for ", static_cast<std::uint64_t>(size), " more after ",
                   static_cast<std::uint64_t>(begin), "; give it a larger one");
    carved_ = begin + size, ++allocations_;
    return static_cast<char*>(workspace_.memory) + begin;
  }

  cudaStream_t stream_ = nullptr;
  cublasContext* cublas_ = nullptr;
  cuda_workspace workspace_;
  std::size_t carved_ = 0;
  free_lists free_, captured_free_;
  std::set<void*> captured_;
  std::vector<void*> owned_;
  std::vector<kept> kept_;
  std::uint64_t allocations_ = 0;
  int device_index_ = 0, multiprocessors_ = 1;
  bool owns_stream_ = false;
};

}}  // namespace amphora
