// Where CUDA work runs: a stream, the vendor's handles, and device memory that is kept for the next step.
#pragma once
#include <amphora/cuda/block_pool.cuh>  // block_pool, cuda_workspace
#include <amphora/cuda/error.cuh>       // require_cuda, relaxed_capture
#include <amphora/error.hpp>            // fail
#include <amphora/version.hpp>          // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaStream_t

#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <type_traits>  // is_constructible_v

struct cublasContext;  // what a cublasHandle_t points to

namespace amphora { inline namespace AMPHORA_ABI {

/// Tag of the CUDA device: the front asks a context for `device` and finds the kernels by it.
struct cuda_device {
  static constexpr const char* name = "cuda";
};

/// Runs work on one stream, in its order, and waits for it only where a call is named wait.
///
/// Memory that a step gives back is kept and handed out again in stream order, so that nothing is allocated once a step has
/// run. A block may be up to an eighth larger than what it is asked for.
///
/// In a stream capture. A replay writes, at any time, to the blocks that its capture used. They stay the captures': later
/// captures get them again, eager work never does, until end_captures(). So graphs of one context are replayed one after the
/// other, not side by side, and what a graph was captured with (tensors, scaler, optimizer, context) must outlive it.
///
/// One context belongs to one device, and to one thread at a time. It must outlive what it allocated.
class cuda_context {
 public:
  using device = cuda_device;

  /// A stream of its own, on the current device.
  ///
  /// Errors  device  there is none, or no driver
  cuda_context() : cuda_context(nullptr, true, nullptr, {}) {}
  /// The caller's stream, on the device that is current; the caller's cuBLAS handle (null: one is made when it is first needed),
  /// which must be on this stream; the caller's memory (none: memory comes from cudaMalloc). None of them is destroyed here.
  ///
  /// Errors  device
  ///         size    a workspace of some bytes at no address
  explicit cuda_context(cudaStream_t stream, cublasContext* cublas = nullptr, const cuda_workspace& workspace = {})
      : cuda_context(stream, false, cublas, workspace) {}
  cuda_context(const cuda_context&) = delete;
  cuda_context& operator=(const cuda_context&) = delete;
  /// Waits for work that still uses its memory, as cudaFree does.
  ~cuda_context() {
    const detail::relaxed_capture during;  // other streams may be captured
    while (kept* const last = kept_) {
      kept_ = last->before, last->end(last->object);
      delete last;
    }
    if (owns_stream_) cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }
  int device_index() const { return device_index_; }
  int multiprocessors() const { return multiprocessors_; }
  /// Whether the stream is being captured into a graph.
  bool is_capturing() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    detail::require_cuda(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
  }
  /// What each call that uses the device asks first; does not wait.
  ///
  /// call    who asks, for the message
  /// Errors  device  another device is current in this thread
  void require_current(const char* call) const {
    int current = device_index_;
    detail::require_cuda(cudaGetDevice(&current), "cudaGetDevice");
    if (current != device_index_)
      detail::fail("device", call, ": this context is on device ", device_index_, " and device ", current, " is current; call cudaSetDevice(", device_index_, ") first");
  }

  /// What each call that waits asks first, so that the capture goes on where it would have been broken off.
  ///
  /// Errors  capture
  void require_not_capturing(const char* call) const {
    if (is_capturing()) detail::fail("capture", call, ": nothing can wait for a stream that is being captured; wait after its graph was launched");
  }

  /// Memory for bytes, aligned to 256; its contents are not defined. Does not wait for the stream.
  ///
  /// Errors  size    no such memory, or none left in the caller's workspace
  ///         device  another device is current
  void* allocate(std::size_t bytes) {
    require_current("allocate");
    return blocks_.allocate(bytes, is_capturing(), stream_);
  }
  /// Takes back what allocate gave, in stream order.
  void release(void* memory, std::size_t) noexcept { blocks_.release(memory); }
  /// How often memory was taken from the system or the workspace. It stays the same from the second of two equal steps on.
  std::uint64_t allocations() const { return blocks_.allocations(); }
  /// Bytes of the caller's workspace that were needed so far: what a second run could be given. 0 without one.
  std::size_t workspace_used() const { return blocks_.workspace_used(); }

  /// Gives what captures used back to eager work: for after the graphs that were captured on this stream are destroyed.
  void end_captures() noexcept { blocks_.end_captures(); }
  /// Returns memory that is kept, but not in use, to the system. Captures' stays.
  ///
  /// Value  how many bytes it was; 0 of a caller's workspace
  std::size_t wait_trim() {
    wait();
    return blocks_.trim();
  }

  /// Waits for all work of the stream.
  ///
  /// Errors  capture    the stream is being captured
  ///         cuda-call  some work before failed
  void wait() const {
    require_not_capturing("wait");
    detail::require_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  /// The context's one T, made by T(context) or T() when it is first asked for: what a header keeps from step to step. The
  /// last made ends first, before the memory and the stream.
  template <class T> T& cache() {
    for (const kept* one = kept_; one; one = one->before)
      if (one->key == &cache_key<T>::place) return *static_cast<T*>(one->object);
    T* made;
    if constexpr (std::is_constructible_v<T, cuda_context&>) made = new T(*this);
    else made = new T();
    kept_ = new kept{&cache_key<T>::place, made, [](void* object) { delete static_cast<T*>(object); }, kept_};
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
    kept* before;
  };

  cuda_context(cudaStream_t stream, bool owns_stream, cublasContext* cublas, const cuda_workspace& workspace) : stream_(stream), cublas_(cublas), blocks_(workspace) {
    detail::require_cuda(cudaGetDevice(&device_index_), "cudaGetDevice");
    detail::require_cuda(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_index_), "cudaDeviceGetAttribute");
    if (!owns_stream) return;
    detail::require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    owns_stream_ = true;
  }

  cudaStream_t stream_ = nullptr;
  cublasContext* cublas_ = nullptr;
  detail::block_pool blocks_;
  kept* kept_ = nullptr;  // the last made first
  int device_index_ = 0, multiprocessors_ = 1;
  bool owns_stream_ = false;
};

}}  // namespace amphora
