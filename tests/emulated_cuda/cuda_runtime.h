// A stand-in for <cuda_runtime.h> under g++: kernels run on the CPU, block after block, a thread is a fiber only once it waits.
// Types and signatures are the toolkit's own (cuda_runtime_api.h, cuda_fp16.h); link no cudart.
#pragma once
#include <sys/mman.h>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>
#include <cuda_runtime_api.h>
#undef __shared__
#define __shared__ static  // one block runs at a time
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
namespace emulated {
inline bool reverse = false;  // blocks and threads in the opposite order: results may not depend on it
// ---- Threads of a block -------------------------------------------------------------------------------------------
// A runner calls the kernel for one thread after the other on one stack. When a thread waits, its runner stays parked in
// the middle of it and a fresh runner goes on with the next thread. A kernel without a barrier never switches.
class block {
  using fiber = boost::context::fiber;
  struct runner { fiber self, back; int thread = -1; bool parked = false; const unsigned* clock = nullptr; unsigned turn = 0; };
  struct warp { unsigned arrived = 0, turn = 0, mask = 0; int site = 0; std::uint64_t value[2][32]; };
  std::vector<std::unique_ptr<runner>> runners, idle;
  boost::context::pooled_fixedsize_stack stacks{256 * 1024};
  std::vector<warp> warps;
  runner* current = nullptr;
  const std::function<void()>* body = nullptr;
  int size = 0, next = 0, arrived = 0, done = 0, site = 0;
  unsigned turn = 0;
  std::string error;
  void enter(int t, bool anew = false) {
    if (anew && reverse) t = size - 1 - t;
    current->thread = t;
    threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / (blockDim.x * blockDim.y)};
  }
  void resume(runner& r) {
    current = &r;
    if (r.thread >= 0) enter(r.thread);
    r.self = std::move(r.self).resume();
    if (!error.empty()) { std::string e; e.swap(error); runners.clear(), idle.clear(); throw std::runtime_error(e); }
  }
  void park(const unsigned* clock) {  // until the clock moves on
    runner& r = *current;
    r.parked = true, r.clock = clock, r.turn = *clock;
    r.back = std::move(r.back).resume(), r.parked = false;
  }
  std::string where() const { return " (block " + std::to_string(blockIdx.x) + ", thread " + std::to_string(current->thread) + ")"; }
  std::unique_ptr<runner> make() {
    auto r = std::make_unique<runner>();
    runner* p = r.get();
    r->self = fiber(std::allocator_arg, stacks, [this, p](fiber&& back) {
      p->back = std::move(back);
      for (;;) {
        try {
          while (next < size) enter(next++, true), (*body)(), ++done;
        } catch (const std::runtime_error& e) {  // must not cross a fiber's end; boost's own unwinding must
          error = e.what() + where();
        }
        p->thread = -1;
        p->back = std::move(p->back).resume();
      }
      return std::move(p->back);
    });
    return r;
  }
 public:
  void run(int n, const std::function<void()>& f) {
    body = &f, size = n, next = arrived = done = 0, site = 0;
    warps.assign((n + 31) / 32, {});
    while (next < size) {
      if (idle.empty()) idle.push_back(make());
      runners.push_back(std::move(idle.back())), idle.pop_back();
      resume(*runners.back());
      if (!runners.back()->parked) idle.push_back(std::move(runners.back())), runners.pop_back();
    }
    while (!runners.empty()) {
      bool moved = false;
      for (auto& r : runners)
        if (r->turn != *r->clock) resume(*r), moved = true;
      if (!moved) {
        runners.clear(), idle.clear();
        throw std::runtime_error(arrived ? std::to_string(arrived) + " threads wait at a barrier that " + std::to_string(done) + " have left without"
                                         : "a lane waits for one that never comes");
      }
      std::size_t kept = 0;
      for (auto& r : runners)
        if (r->parked) runners[kept++].swap(r); else idle.push_back(std::move(r));
      runners.resize(kept);
    }
  }
  void barrier(int at) {
    if (arrived && site != at) throw std::runtime_error("threads of one block wait at two different barriers");
    site = at;
    if (++arrived == size) { arrived = 0, ++turn; return; }
    park(&turn);
  }
  std::uint64_t exchange(unsigned mask, std::uint64_t value, int from, int at) {
    const int lane = current->thread % 32;
    warp& w = warps[current->thread / 32];
    if (!(mask >> lane & 1)) throw std::runtime_error("a lane shuffles that its own mask leaves out");
    if (w.arrived && (w.mask != mask || w.site != at)) throw std::runtime_error("lanes of one warp shuffle at two places or with two masks");
    if (!(mask >> (from & 31) & 1)) throw std::runtime_error("a shuffle reads from an inactive lane");
    const unsigned now = w.turn;
    w.value[now & 1][lane] = value, w.mask = mask, w.site = at;
    if ((w.arrived |= 1u << lane) == mask) w.arrived = 0, ++w.turn;
    else park(&w.turn);
    return w.value[now & 1][from & 31];
  }
};
inline block device;
inline std::int64_t waits = 0;
// ---- Memory: each allocation ends at a page that may not be touched; the host may touch none of it -----------------
struct region { char* begin; std::size_t bytes, mapped; char* map; };
inline std::map<char*, region> regions;
inline void protect(int how) { for (auto& r : regions) mprotect(r.second.map, r.second.mapped, how); }
struct on_device {
  on_device() { protect(PROT_READ | PROT_WRITE); }
  ~on_device() { protect(PROT_NONE); }
};
inline const region* last_region = nullptr;
inline void forget() { last_region = nullptr; }
template <class T>
T* touch(T* p) {  // a typed access of the device: inside one allocation and aligned
  const region*& last = last_region;
  auto* c = reinterpret_cast<char*>(const_cast<std::remove_cv_t<T>*>(p));
  if (!last || c < last->begin || c + sizeof(T) > last->begin + last->bytes) {
    auto it = regions.upper_bound(c);
    last = it == regions.begin() ? nullptr : &std::prev(it)->second;
    if (!last || c + sizeof(T) > last->begin + last->bytes) last = nullptr, throw std::runtime_error("access outside every allocation");
  }
  if (reinterpret_cast<std::uintptr_t>(p) % sizeof(T)) throw std::runtime_error("misaligned access");
  return p;
}
}  // namespace emulated
// ---- Streams and graphs -------------------------------------------------------------------------------------------
struct CUgraph_st { std::vector<std::function<void()>> nodes; };
struct CUgraphExec_st : CUgraph_st {};
struct CUstream_st { CUgraph_st* capture = nullptr; };
namespace emulated {
inline cudaError_t submit(cudaStream_t s, std::function<void()> f) {
  if (s && s->capture) s->capture->nodes.push_back(std::move(f));
  else f();
  return cudaSuccess;
}
}  // namespace emulated
template <class... Expected, class... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*kernel)(Expected...), Actual&&... a) {
  if (!c->gridDim.x || !c->blockDim.x || c->blockDim.x * c->blockDim.y * c->blockDim.z > 1024) return cudaErrorInvalidConfiguration;
  return emulated::submit(c->stream, [grid = c->gridDim, threads = c->blockDim, kernel, args = std::tuple<Expected...>(static_cast<Actual&&>(a)...)] {
    emulated::on_device guard;
    gridDim = grid, blockDim = threads;
    const int n = int(threads.x * threads.y * threads.z);
    const std::function<void()> body = [&] { std::apply(kernel, args); };
    for (unsigned z = 0; z < grid.z; z++)
      for (unsigned y = 0; y < grid.y; y++)
        for (unsigned x = 0; x < grid.x; x++) blockIdx = {emulated::reverse ? grid.x - 1 - x : x, y, z}, emulated::device.run(n, body);
  });
}
extern "C" {
inline cudaError_t cudaMalloc(void** p, std::size_t n) {
  const std::size_t page = 4096, mapped = (n + page - 1) / page * page;
  char* map = static_cast<char*>(mmap(nullptr, mapped + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* begin = map + mapped - (n + 15) / 16 * 16;
  mprotect(map, mapped, PROT_READ | PROT_WRITE), std::memset(map, 0xff, mapped), mprotect(map, mapped, PROT_NONE);  // NaNs
  emulated::regions[begin] = {begin, n, mapped, map};
  *p = begin;
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t n, cudaMemcpyKind, cudaStream_t s) {
  return emulated::submit(s, [=] { emulated::on_device guard; std::memcpy(to, from, n); });
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  if (s && s->capture) return cudaErrorStreamCaptureUnsupported;
  return ++emulated::waits, cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t n, cudaStream_t s) {
  return emulated::submit(s, [=] { emulated::on_device guard; std::memset(to, value, n); });
}
inline cudaError_t cudaFree(void* p) {
  auto it = emulated::regions.find(static_cast<char*>(p));
  if (it == emulated::regions.end()) return p ? cudaErrorInvalidValue : cudaSuccess;
  munmap(it->second.map, it->second.mapped + 4096), emulated::regions.erase(it), emulated::forget();
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t e) { return e == cudaSuccess ? "cudaSuccess" : "cudaError"; }
inline const char* cudaGetErrorString(cudaError_t) { return "emulated error"; }
inline cudaError_t cudaGetDevice(int* d) { return *d = 0, cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr, int) { return *v = 4, cudaSuccess; }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* c) { return *c = s && s->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess; }
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) { return *s = new CUstream_st, cudaSuccess; }
inline cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete s, cudaSuccess; }
inline cudaError_t cudaGraphDestroy(cudaGraph_t g) { return delete g, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t g) { return delete g, cudaSuccess; }
inline cudaError_t cudaStreamCreate(cudaStream_t* s) { return *s = new CUstream_st, cudaSuccess; }
inline cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode) { return s->capture = new CUgraph_st, cudaSuccess; }
inline cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t* g) { return *g = s->capture, s->capture = nullptr, cudaSuccess; }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* e, cudaGraph_t g, unsigned long long) { return *e = new CUgraphExec_st{*g}, cudaSuccess; }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t) {
  for (auto& f : e->nodes) f();
  return cudaSuccess;
}
}
// ---- What kernels call --------------------------------------------------------------------------------------------
// A place is a line: return addresses differ for one barrier in an unrolled loop.
inline void __syncthreads(int line = __builtin_LINE()) { emulated::device.barrier(line); }
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const int lane = int(threadIdx.x % 32), from = lane % width + int(delta) < width ? lane + int(delta) : lane;
  bits = emulated::device.exchange(mask, bits, from, line);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
inline void __threadfence() {}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
  static_cast<void>(width);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = emulated::device.exchange(mask, bits, int(threadIdx.x % 32) ^ lanes, line);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) { emulated::device.exchange(mask, 0, int(threadIdx.x % 32), line); }
// Every access of a kernel to global memory comes through these.
template <class T> T __ldcs(const T* p) { return *emulated::touch(p); }
template <class T> void __stcs(T* p, T x) { *emulated::touch(p) = x; }
template <class T> T __ldca(const T* p) { return *emulated::touch(p); }
template <class T> void __stwb(T* p, T x) { *emulated::touch(p) = x; }
template <class T> T atomicAdd(T* p, T x) { T old = *emulated::touch(p); return *p += x, old; }
template <class T> T atomicOr(T* p, T x) { T old = *emulated::touch(p); return *p |= x, old; }
inline unsigned __float_as_uint(float x) { unsigned b; std::memcpy(&b, &x, 4); return b; }
