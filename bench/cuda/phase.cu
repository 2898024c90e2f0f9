// All that happens between backward and the next forward on a CUDA device, as a share of the device's own copy.
//
//   phase [--shapes 1e6x1,1e4x1000] [--seconds 0.3]
//
// f16 or bf16 gradients, float masters and moments, a 16-bit copy; finite check, unscale, clip by norm, AdamW, and the scaler's
// update: at best 30 bytes a parameter. Prints a line of JSON for each shape and format:
//   eager_ms, graph_ms   one phase, as calls and as a replayed graph; medians of several rounds between two events
//   copy                 the device's copy from memory to memory, bytes read and written a second, in the same round
//   share                30 bytes a parameter by graph_ms, as a share of copy. Above 1 where all of it fits the second cache
#include <amphora/cuda.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace amp = amphora;

namespace {

struct shape { std::int64_t elements, tensors; };

void require(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "phase: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(1);
}

/// Device memory that is not the context's.
template <class T> struct array {
  explicit array(std::int64_t n) { require(cudaMalloc(reinterpret_cast<void**>(&data), static_cast<std::size_t>(n) * sizeof(T)), "cudaMalloc"); }
  ~array() { cudaFree(data); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  T* data = nullptr;
};

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// Milliseconds of one call of work, between two events, as the median of rounds that together take about so many seconds.
template <class Work>
double milliseconds(cudaStream_t stream, double seconds, const Work& work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate"), require(cudaEventCreate(&end), "cudaEventCreate");
  const auto once = [&](int calls) {
    require(cudaEventRecord(begin, stream), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) work();
    require(cudaEventRecord(end, stream), "cudaEventRecord"), require(cudaEventSynchronize(end), "cudaEventSynchronize");
    float result = 0;
    require(cudaEventElapsedTime(&result, begin, end), "cudaEventElapsedTime");
    return static_cast<double>(result) / calls;
  };
  once(3);  // warms up
  const double first = (std::max)(once(3), 1e-3);
  const int rounds = 7, calls = (std::max)(1, static_cast<int>(seconds * 1e3 / rounds / first));
  std::vector<double> all;
  for (int round = 0; round < rounds; ++round) all.push_back(once(calls));
  require(cudaEventDestroy(begin), "cudaEventDestroy"), require(cudaEventDestroy(end), "cudaEventDestroy");
  return median(all);
}

}  // namespace

/// Ordinary gradients under a scale of 65536: ±[2, 4), none of whose moments ever becomes subnormal.
template <class Format>
struct gradient_numbers {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t i, Real) const {
    const Real x = Real(2) + static_cast<Real>(i * 40503 % 4096) / Real(2048);
    return i % 2 ? x : -x;
  }
};

namespace {

struct fixed_scale : amp::amend<amp::o2<amp::f16>, amp::loss_scale<amp::static_scale>> {};

template <class Storage>
void measure(const char* name, const shape& s, double seconds) {
  const std::int64_t n = s.elements * s.tensors;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  {
    amp::cuda_context context(stream);
    const array<Storage> gradients(n), low(n);
    const array<float> master(n), state(2 * n);
    const amp::view<Storage> g(gradients.data, {n});
    const amp::shape whole{n};
    amp::fill(context, g, Storage{});  // a map reads its operand, though these numbers follow from the places alone
    amp::detail::map_kernels<amp::cuda_device>::run(context, gradient_numbers<typename amp::view<Storage>::format>{}, amp::detail::make_loops<1>(whole, {&whole}),
                                                    amp::detail::write(g), amp::detail::read(amp::view<const Storage>(g)));
    amp::fill(context, amp::view<float>(master.data, {n}), 0.02f), amp::fill(context, amp::view<float>(state.data, {2 * n}), 0.0f);
    std::vector<amp::parameter_view> parameters;
    for (std::int64_t k = 0, at = 0; k < s.tensors; ++k, at += s.elements)
      parameters.emplace_back(master.data + at, low.data + at, static_cast<const Storage*>(gradients.data + at), state.data + 2 * at, s.elements);
    amp::mixed_optimizer optimizer{context, amp::adamw{1e-4f}, parameters};
    auto scaler = amp::make_scaler<fixed_scale>(context, amp::fixed{65536.0f});
    amp::tensor<float, amp::cuda_context> loss(context, {1});
    amp::fill(context, loss, 1.0f);
    const auto phase = [&] {
      auto scaled_loss = scaler.scale(context, loss);
      auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f});
      scaler.update(context, outcome);
    };
    const double eager = milliseconds(stream, seconds, phase);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
    phase();
    require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture"), require(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
    const double replayed = milliseconds(stream, seconds, [&] { require(cudaGraphLaunch(replay, stream), "cudaGraphLaunch"); });
    // Into memory that the phase has no more use for; as many bytes as a phase moves, so that the caches treat both alike.
    const std::size_t bytes = static_cast<std::size_t>(n) * 8;
    const double copy = milliseconds(stream, seconds, [&] { require(cudaMemcpyAsync(state.data, state.data + n, bytes / 2, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync"); });
    if (optimizer.wait_skipped(context) != 0) std::fprintf(stderr, "phase: steps were skipped\n"), std::exit(1);
    const double copied = static_cast<double>(bytes) / copy * 1e-6, moved = 30e-6 * static_cast<double>(n) / replayed;
    std::printf("{\"bench\": \"phase\", \"format\": \"%s\", \"elements\": %lld, \"tensors\": %lld, \"eager_ms\": %.4f, \"graph_ms\": %.4f, \"gb_s\": %.1f, \"copy_gb_s\": %.1f, \"share\": %.3f}\n",
                name, static_cast<long long>(s.elements), static_cast<long long>(s.tensors), eager, replayed, moved, copied, moved / copied);
    std::fflush(stdout);
    require(cudaGraphExecDestroy(replay), "cudaGraphExecDestroy"), require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

/// "1e6x1,1e4x1000"
std::vector<shape> read_shapes(const char* text) {
  std::vector<shape> result;
  for (const char* at = text; *at;) {
    char* end = nullptr;
    const double elements = std::strtod(at, &end);
    const double tensors = *end == 'x' ? std::strtod(end + 1, &end) : 1;
    if (end == at || (*end && *end != ',') || !(elements >= 1 && elements <= 1e12) || !(tensors >= 1 && tensors <= 1e9))
      std::fprintf(stderr, "phase: '%s' is no list of shapes such as 1e6x1,1e4x1000\n", text), std::exit(2);
    result.push_back({static_cast<std::int64_t>(elements), static_cast<std::int64_t>(tensors)});
    at = *end ? end + 1 : end;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<shape> shapes = read_shapes("1e6x1,1e7x1,1e8x1,1e9x1,1e4x1000,1e5x1000");
  double seconds = 0.3;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--shapes") && i + 1 < argc) shapes = read_shapes(argv[++i]);
    else if (!std::strcmp(argv[i], "--seconds") && i + 1 < argc) seconds = std::atof(argv[++i]);
    else return std::fprintf(stderr, "usage: phase [--shapes 1e6x1,1e4x1000] [--seconds 0.3]\n"), 2;
  }
  try {
    for (const shape& s : shapes) {
      measure<amp::float16>("f16", s, seconds);
      measure<amp::bfloat16>("bf16", s, seconds);
    }
  } catch (const amp::error& e) {
    return std::fprintf(stderr, "phase: %s\n", e.what()), 1;
  }
}
