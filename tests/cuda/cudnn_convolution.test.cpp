#include <amphora/cuda/cudnn.cuh>

#include <amphora/format/convert.hpp>
#include <amphora/format/format_id.hpp>
#include <amphora/format/storage.hpp>
#include <device.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;
using amp::format_id;
using id = format_id;

static_assert(cudnn_type(id::f16) == CUDNN_DATA_HALF && cudnn_type(id::bf16) == CUDNN_DATA_BFLOAT16 && cudnn_type(id::f32) == CUDNN_DATA_FLOAT && cudnn_type(id::f64) == CUDNN_DATA_DOUBLE);
static_assert(is_unsupported(CUDNN_STATUS_NOT_SUPPORTED) && is_unsupported(CUDNN_STATUS_ARCH_MISMATCH) && !is_unsupported(CUDNN_STATUS_SUCCESS) && !is_unsupported(CUDNN_STATUS_BAD_PARAM) && !is_unsupported(CUDNN_STATUS_EXECUTION_FAILED));

namespace {

/// Numbers in a format that a test picks when it runs.
template <class Call> void with_format(id format, const Call& call) {
  switch (format) {
    case id::f16: return call(amp::f16{});
    case id::bf16: return call(amp::bf16{});
    case id::f64: return call(amp::f64{});
    case id::e4m3: return call(amp::e4m3{});
    default: return call(amp::f32{});
  }
}
double rounded(id format, double x) {
  double result = 0;
  with_format(format, [&](auto f) {
    if constexpr (std::is_same_v<decltype(f), amp::e4m3>) result = static_cast<double>(static_cast<float>(amp::convert<amp::e4m3, amp::saturating>(x)));
    else result = static_cast<double>(amp::convert<decltype(f)>(x));
  });
  return result;
}
/// An array on the device, begun so many elements past a multiple of 256 bytes.
class array {
 public:
  array(test_context& context, id format, const std::vector<double>& values, int offset = 0) : context_(context), format_(format), n_(values.size()), offset_(static_cast<std::size_t>(offset)) {
    memory_ = static_cast<char*>(context.allocate(bytes(n_ + offset_)));
    std::vector<char> raw(bytes(n_));
    for (std::size_t i = 0; i < n_; ++i)
      with_format(format, [&](auto f) {
        const auto number = [&] {
          if constexpr (std::is_same_v<decltype(f), amp::e4m3>) return amp::convert<amp::e4m3, amp::saturating>(values[i]);
          else return amp::convert<decltype(f)>(values[i]);
        }();
        std::memcpy(raw.data() + i * sizeof number, &number, sizeof number);
      });
    REQUIRE(cudaMemcpyAsync(data(), raw.data(), raw.size(), cudaMemcpyHostToDevice, context.stream()) == cudaSuccess);
    context.wait();
  }
  array(const array&) = delete;
  ~array() { context_.release(memory_, bytes(n_ + offset_)); }
  void* data() const { return memory_ + bytes(offset_); }
  product_source read(id rounded = id::none) const { return {data(), format_, rounded}; }
  std::vector<double> get() const {
    std::vector<char> raw(bytes(n_));
    REQUIRE(cudaMemcpyAsync(raw.data(), data(), raw.size(), cudaMemcpyDeviceToHost, context_.stream()) == cudaSuccess);
    context_.wait();
    std::vector<double> values(n_);
    for (std::size_t i = 0; i < n_; ++i)
      with_format(format_, [&](auto f) {
        amp::storage_t<decltype(f)> number;
        std::memcpy(&number, raw.data() + i * sizeof number, sizeof number);
        if constexpr (std::is_same_v<decltype(f), amp::e4m3>) values[i] = static_cast<double>(static_cast<float>(number));
        else values[i] = static_cast<double>(number);
      });
    return values;
  }

 private:
  std::size_t bytes(std::size_t n) const { return n * static_cast<std::size_t>(amp::size_of(format_)); }
  test_context& context_;
  id format_;
  std::size_t n_, offset_;
  char* memory_;
};

/// Eighths from -1 to 1: any sum of their products is exact in float, so that the result is rounded once or is wrong.
std::vector<double> eighths(std::int64_t n, int seed) {
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<double>((i * 7 + i * i / 5 + seed * 11) % 17 - 8) / 8);
  return x;
}

convolution layout(std::int64_t batch, std::int64_t groups, std::int64_t channels, std::int64_t features, std::vector<std::int64_t> in, std::vector<std::int64_t> window, std::vector<std::int64_t> padding,
                   std::vector<std::int64_t> stride, std::vector<std::int64_t> dilation) {
  convolution c;
  c.batch = batch, c.groups = groups, c.channels = channels, c.features = features;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t axis = 3 - in.size() + i;
    c.in[axis] = in[i], c.window[axis] = window[i], c.before[axis] = c.after[axis] = padding[i], c.stride[axis] = stride[i], c.dilation[axis] = dilation[i];
    c.out[axis] = (in[i] + 2 * padding[i] - c.reach(static_cast<int>(axis))) / stride[i] + 1;
  }
  return c;
}
const convolution plain = layout(2, 1, 3, 4, {6, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}), strided = layout(1, 1, 2, 3, {9, 8}, {3, 2}, {2, 1}, {2, 3}, {1, 2}), line = layout(2, 1, 3, 2, {11}, {4}, {1}, {2}, {1}),
                  depthwise = layout(2, 5, 1, 2, {4, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}), deep = layout(1, 2, 2, 3, {4, 3, 5}, {2, 3, 2}, {1, 1, 0}, {2, 1, 1}, {1, 1, 2}), beside = layout(2, 1, 2, 2, {1, 4, 3}, {1, 2, 2}, {1, 0, 0}, {3, 1, 1}, {1, 1, 1}),  // touches zeros alone
                  point = layout(3, 1, 9, 5, {3, 3}, {1, 1}, {0, 0}, {1, 1}, {1, 1});

std::int64_t size_x(const convolution& c) { return c.batch * c.groups * c.channels * c.in_size(); }
std::int64_t size_w(const convolution& c) { return c.groups * c.features * c.channels * c.window_size(); }
std::int64_t size_y(const convolution& c) { return c.batch * c.groups * c.features * c.out_size(); }

/// The sums of a convolution in double, by plain loops.
std::vector<double> sums_of(const convolution& c, convolution_result result, const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> to(static_cast<std::size_t>(result == convolution_result::y ? size_y(c) : result == convolution_result::x ? size_x(c) : size_w(c)));
  for (std::int64_t image = 0; image < c.batch; ++image)
    for (std::int64_t f = 0; f < c.groups * c.features; ++f)
      for (std::int64_t channel = 0; channel < c.channels; ++channel)
        for (std::int64_t o = 0; o < c.out_size(); ++o)
          for (std::int64_t r = 0; r < c.window_size(); ++r) {
            const std::int64_t os[] = {o / c.out[2] / c.out[1], o / c.out[2] % c.out[1], o % c.out[2]}, rs[] = {r / c.window[2] / c.window[1], r / c.window[2] % c.window[1], r % c.window[2]};
            std::int64_t at = image * c.groups * c.channels + f / c.features * c.channels + channel;
            bool inside = true;
            for (int i = 0; i < 3; ++i) {
              const std::int64_t place = os[i] * c.stride[i] - c.before[i] + rs[i] * c.dilation[i];
              inside = inside && place >= 0 && place < c.in[i], at = at * c.in[i] + place;
            }
            if (!inside) continue;
            const auto x = static_cast<std::size_t>(at), w = static_cast<std::size_t>((f * c.channels + channel) * c.window_size() + r), y = static_cast<std::size_t>((image * c.groups * c.features + f) * c.out_size() + o);
            if (result == convolution_result::y) to[y] += first[x] * second[w];
            else if (result == convolution_result::x) to[x] += first[y] * second[w];
            else to[w] += first[y] * second[x];
          }
  return to;
}

/// A call whose operands lie in one format and are multiplied in another.
struct kind {
  id given, memory, to;
  bool is_tf32 = false;
};
constexpr kind kinds[] = {{id::f16, id::f16, id::f16}, {id::bf16, id::bf16, id::bf16}, {id::f32, id::f32, id::f32}, {id::f64, id::f64, id::f64},                         // as they lie
                          {id::f16, id::f16, id::f32}, {id::bf16, id::bf16, id::f32}, {id::f32, id::f16, id::f16}, {id::f32, id::bf16, id::f32},                         // cast, or summed unrounded
                          {id::f16, id::f16, id::bf16}, {id::f32, id::f32, id::bf16}, {id::f64, id::f64, id::f32}, {id::e4m3, id::f16, id::e4m3}, {id::f32, id::f32, id::f32, true}};

/// Whether cuDNN did a convolution, and whether what it left is what plain loops give, rounded once.
struct outcome {
  bool done, right;
};
outcome run(test_context& context, const convolution& c, convolution_result result, const kind& k, bool with_bias, bool add, int offset = 0, id bias_format = id::f32) {
  const bool to_y = result == convolution_result::y, to_x = result == convolution_result::x;
  const auto first = eighths(to_y ? size_x(c) : size_y(c), 1), second = eighths(to_y || to_x ? size_w(c) : size_x(c), 2);
  std::vector<double> want = sums_of(c, result, first, second);
  const std::int64_t channels = c.groups * (to_y ? c.features : c.channels), places = to_y ? c.out_size() : c.in_size();
  const auto before = eighths(static_cast<std::int64_t>(want.size()), 3), bias = eighths(channels, 4);
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = rounded(k.to, want[i] + (with_bias ? bias[i / static_cast<std::size_t>(places) % static_cast<std::size_t>(channels)] : 0) + (add ? before[i] : 0));
  const array on_first(context, k.given, first, offset), on_second(context, k.given, second, offset), on_bias(context, bias_format, bias), to(context, k.to, before, offset);
  convolution_call call = {c, result, on_first.read(), on_second.read(), {}, to.data(), k.to, add, k.memory, k.is_tf32, k.memory == id::f64 ? id::f64 : id::f32};
  if (with_bias) call.bias = on_bias.read(k.memory == bias_format ? id::none : k.memory);
  const bool done = run_cudnn(context, call);
  return {done, to.get() == (done ? want : before)};
}
constexpr convolution_result results[] = {convolution_result::y, convolution_result::x, convolution_result::w};
#if defined(AMPHORA_EMULATED_CUDA)
constexpr bool does_all = true;
#else
constexpr bool does_all = false;  // a device may lack some kernels: the others take them
#endif

struct own_stream {
  cudaStream_t value = nullptr;
  own_stream() { REQUIRE(cudaStreamCreateWithFlags(&value, cudaStreamNonBlocking) == cudaSuccess); }
  own_stream(const own_stream&) = delete;
  ~own_stream() { cudaStreamDestroy(value); }
};
struct own_handle {
  cudnnHandle_t value = nullptr;
  explicit own_handle(cudaStream_t stream) {
    REQUIRE(cudnnCreate(&value) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetStream(value, stream) == CUDNN_STATUS_SUCCESS);
  }
  own_handle(const own_handle&) = delete;
  ~own_handle() { CHECK(cudnnDestroy(value) == CUDNN_STATUS_SUCCESS); }
  cudaStream_t stream() const {
    cudaStream_t now = nullptr;
    CHECK(cudnnGetStream(value, &now) == CUDNN_STATUS_SUCCESS);
    return now;
  }
};
const kind in_f16 = {id::f16, id::f16, id::f16}, in_f32 = {id::f32, id::f32, id::f32};

}  // namespace

TEST_CASE("forward and backward, in every format, over every kind of layout: rounded once") {
  test_context context;
  amp::use_cudnn(context);
  int done = 0, all = 0;
  for (const kind& k : kinds)
    for (const convolution* c : {&plain, &strided, &line, &depthwise, &deep, &beside, &point})
      for (const convolution_result result : results)
        for (const bool with_bias : {false, true})
          for (const bool add : {false, true}) {
            if (with_bias && result == convolution_result::w) continue;
            const outcome have = run(context, *c, result, k, with_bias, add);
            INFO("from ", amp::name_of(k.given), " by ", amp::name_of(k.memory), " to ", amp::name_of(k.to), ", result ", static_cast<int>(result), ", bias ", with_bias, ", add ", add, ", channels ", c->channels, ", axes ", c->in[0]);
            CHECK(have.right);
            if (does_all) CHECK(have.done);
            done += have.done, ++all;
          }
  CHECK(2 * done > all);
}

TEST_CASE("arrays that do not begin at multiples of 16 bytes go through copies") {
  test_context context;
  amp::use_cudnn(context);
  for (const kind& k : {in_f16, in_f32})
    for (const convolution_result result : results)
      for (const bool add : {false, true}) CHECK(run(context, plain, result, k, false, add, 1).right);
}

TEST_CASE("a bias that the result's format does not have is added before the rounding, and read as the call says") {
  test_context context;
  amp::use_cudnn(context);
  const convolution one = layout(1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1});
  const double fine = 1 + 3.0 / 4096;  // f16 has 1 + 4 / 4096 beside it
  const array x(context, id::f16, {-1.0}), w(context, id::f16, {1.0}), b(context, id::f32, {fine}), y(context, id::f16, {0.0});
  const auto sum = [&](id rounded, bool add) {
    REQUIRE(run_cudnn(context, {one, convolution_result::y, x.read(), w.read(), b.read(rounded), y.data(), id::f16, add, id::f16, false, id::f32}));
    return y.get()[0];
  };
  CHECK(sum(id::none, false) == 3.0 / 4096);
  CHECK(sum(id::none, true) == 6.0 / 4096);
  CHECK(sum(id::f16, false) == 4.0 / 4096);
  CHECK(sum(id::bf16, false) == 0);
}

TEST_CASE("floats are multiplied as TF32 on request only, and 16 bits lose nothing on their way to a float result") {
  test_context context;
  amp::use_cudnn(context);
  const convolution one = layout(1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1});
  const auto product = [&](id given, double x, double w, id memory, bool is_tf32) {
    const array on_x(context, given, {x}), on_w(context, given, {w}), y(context, id::f32, {0.0});
    REQUIRE(run_cudnn(context, {one, convolution_result::y, on_x.read(), on_w.read(), {}, y.data(), id::f32, false, memory, is_tf32, id::f32}));
    return y.get()[0];
  };
  const double fine = 1 + 1.0 / 4096;
  CHECK(product(id::f32, fine, 1, id::f32, false) == fine);
#if defined(AMPHORA_EMULATED_CUDA)  // a device may do more than it is asked for
  CHECK(product(id::f32, fine, 1, id::f32, true) == 1);
#endif
  const double near = 1 + 1.0 / 1024, small = 1.0 / (1 << 24);  // f16's last bit, f16's smallest number
  CHECK(product(id::f16, near, near, id::f16, false) == near * near);
  CHECK(product(id::f16, small, small, id::f16, false) == small * small);
  CHECK(product(id::f32, fine, 1, id::f16, false) == 1);  // read as f16: rounded as its memory would
  CHECK(product(id::f32, small / 4, 1, id::f16, false) == 0);
  CHECK(product(id::f32, 1 + 1.0 / 512, 1, id::bf16, false) == 1);
}

TEST_CASE("what cuDNN cannot do is left to the other kernels, and nothing was done") {
  test_context context;
  amp::use_cudnn(context);
  convolution uneven = plain, empty = plain, longer = plain;
  uneven.after[1] = 2, uneven.out[1] += 1, empty.batch = 0, longer.out[2] -= 1;
  for (const convolution_result result : results) {
    CHECK_FALSE(run(context, uneven, result, in_f16, false, false).done);
    CHECK_FALSE(run(context, longer, result, in_f16, false, false).done);
  }
  const array x(context, id::f16, eighths(size_x(plain), 1)), w(context, id::f16, eighths(size_w(plain), 2)), y(context, id::f16, eighths(size_y(plain), 3));
  const auto before = y.get();
  CHECK_FALSE(run_cudnn(context, {empty, convolution_result::y, x.read(), w.read(), {}, y.data(), id::f16, false, id::f16, false, id::f32}));
  CHECK_FALSE(run_cudnn(context, {plain, convolution_result::y, x.read(), w.read(), {}, y.data(), id::f16, false, id::f16, false, id::f16}));  // sums in half
  CHECK(y.get() == before);

  CHECK(fits_cudnn(plain));
  const std::int64_t past = std::int64_t(1) << 31;
  for (const convolution& c : {layout(past, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1}), layout(1 << 11, 1, 1 << 10, 1, {1 << 10, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1}),
                               layout(1, 1, 1 << 16, 1 << 15, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1}), layout(1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}, {past, 1}, {1, 1})})
    CHECK_FALSE(fits_cudnn(c));
  CHECK(fits_cudnn(layout(past - 1, 1, 1, 1, {1, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 1})));
}

TEST_CASE("a message names the arrays, and an error the call, the arrays, the status and cuDNN's own words") {
  const cudnn_question question(plain, convolution_result::y, id::f16, CUDNN_TENSOR_OP_MATH, false);
  const cudnn_name name{question};
  CHECK(text("cudnnConvolutionForward", name).c_str() == std::string("cudnnConvolutionForward of x [2, 3, 1, 6, 8], w [4, 3, 1, 3, 3] and y [2, 4, 1, 6, 8] in f16"));
  CHECK_NOTHROW(require_cudnn(CUDNN_STATUS_SUCCESS, "cudnnConvolutionForward", name));
  CHECK_THROWS_WITH_AS(require_cudnn(CUDNN_STATUS_EXECUTION_FAILED, "cudnnConvolutionForward", name),
                       doctest::Contains("amphora [cuda-call]: cudnnConvolutionForward of x [2, 3, 1, 6, 8], w [4, 3, 1, 3, 3] and y [2, 4, 1, 6, 8] in f16 failed: CUDNN_STATUS_EXECUTION_FAILED"), amp::error);
  CHECK_THROWS_WITH_AS(require_cudnn(CUDNN_STATUS_ARCH_MISMATCH, "cudnnConvolutionForward", name), doctest::Contains("amphora [arch]: cudnnConvolutionForward of x [2, 3, 1, 6, 8]"), amp::error);
  cudnn_tensor x;
  cudnn_filter w;
  const int none[] = {2, 0, 3, 3};
  CHECK_THROWS_WITH_AS(amp::detail::describe(x, id::f16, none, 4), doctest::Contains("amphora [cuda-call]: cudnnSetTensorNdDescriptor failed: CUDNN_STATUS_"), amp::error);
  CHECK_THROWS_WITH_AS(amp::detail::describe(w, id::f16, none, 4), doctest::Contains("amphora [cuda-call]: cudnnSetFilterNdDescriptor failed: CUDNN_STATUS_"), amp::error);
}

TEST_CASE("the caller's handle is used as it is, and must be on the context's stream") {
  own_stream stream, other;
  own_handle handle(stream.value);
  {
    test_context context(stream.value);
    amp::use_cudnn(context, handle.value);
    CHECK(run(context, plain, convolution_result::y, in_f16, false, false).right);
    CHECK(handle.stream() == stream.value);
    REQUIRE(cudnnSetStream(handle.value, other.value) == CUDNN_STATUS_SUCCESS);
    CHECK_THROWS_WITH_AS(run(context, plain, convolution_result::y, in_f16, false, false), doctest::Contains("amphora [device]"), amp::error);
    CHECK_THROWS_WITH_AS(run(context, plain, convolution_result::y, in_f16, false, false), doctest::Contains("cudnnSetStream(handle, context.stream())"), amp::error);
    CHECK(handle.stream() == other.value);
    amp::use_cudnn(context);  // one of the context's own from here on
    CHECK(run(context, plain, convolution_result::y, in_f16, false, false).right);
    CHECK(handle.stream() == other.value);
  }
  CHECK(handle.stream() == other.value);
}

TEST_CASE("a handle is not made in a capture; a convolution whose shape is new may be captured") {
  test_context context, other;
  const std::vector<double> x = eighths(size_x(plain), 1), w = eighths(size_w(plain), 2);
  const array on_x(context, id::f16, x), on_w(context, id::f16, w), y(context, id::f32, std::vector<double>(static_cast<std::size_t>(size_y(plain))));
  const array grad(context, id::f16, eighths(size_y(plain), 3)), of_w(context, id::f32, std::vector<double>(w.size()));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  REQUIRE(cudaStreamBeginCapture(other.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK_THROWS_WITH_AS(amp::use_cudnn(other), doctest::Contains("[capture]"), amp::error);
  REQUIRE(cudaStreamEndCapture(other.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  amp::use_cudnn(other);

  amp::use_cudnn(context);
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(run_cudnn(context, {plain, convolution_result::y, on_x.read(), on_w.read(), {}, y.data(), id::f32, false, id::f16, false, id::f32}));
  CHECK(run_cudnn(context, {plain, convolution_result::w, grad.read(), on_x.read(), {}, of_w.data(), id::f32, true, id::f16, false, id::f32}));
  REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
  CHECK(y.get() == std::vector<double>(static_cast<std::size_t>(size_y(plain))));  // nothing ran yet
  for (int i = 0; i < 2; ++i) REQUIRE(cudaGraphLaunch(ready, context.stream()) == cudaSuccess);
  CHECK(y.get() == sums_of(plain, convolution_result::y, x, w));
  std::vector<double> twice = sums_of(plain, convolution_result::w, eighths(size_y(plain), 3), x);
  for (double& number : twice) number *= 2;
  CHECK(of_w.get() == twice);
  REQUIRE(cudaGraphExecDestroy(ready) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("a second step asks no heuristics, makes no descriptor, allocates nothing and waits for nothing") {
  test_context context;
  amp::use_cudnn(context);
  const array x(context, id::f32, eighths(size_x(plain), 1)), w(context, id::f32, eighths(size_w(plain), 2)), b(context, id::f32, eighths(4, 3)), y(context, id::bf16, eighths(size_y(plain), 4));
  const auto step = [&] {
    REQUIRE(run_cudnn(context, {plain, convolution_result::y, x.read(), w.read(), b.read(id::f16), y.data(), id::bf16, false, id::f16, false, id::f32}));
    REQUIRE(run_cudnn(context, {plain, convolution_result::x, y.read(), w.read(), {}, x.data(), id::f32, false, id::f16, false, id::f32}));
  };
  step();
  const auto searches = emulated::cudnn_searches, allocations = static_cast<std::int64_t>(context.allocations());
  const std::size_t objects = emulated::cudnn_objects.size();
  CHECK(searches >= 2);
  const emulated::no_waits no_waits;
  const emulated::no_allocations no_allocations;
  const auto taken = emulated::cudnn_convolutions;
  step();
  CHECK((emulated::cudnn_searches == searches && emulated::cudnn_objects.size() == objects && static_cast<std::int64_t>(context.allocations()) == allocations));
  CHECK(emulated::cudnn_convolutions == taken + 2);
}

TEST_CASE("an algorithm that adds in another order each time, or in a transformed space, is not taken") {
  emulated::heuristics = emulated::cudnn_finds::inexact;
  {
    test_context context;
    amp::use_cudnn(context);
    for (const convolution_result result : results) {
      const outcome have = run(context, plain, result, in_f16, false, false);
      CHECK((!have.done && have.right));
    }
  }
  emulated::heuristics = emulated::cudnn_finds::all;
  test_context context;
  amp::use_cudnn(context);
  for (const convolution_result result : results) {
    cudnn_plans& plans = context.cache<cudnn_plans>();
    CHECK(run(context, plain, result, in_f16, false, false).done);
    const int chosen = plans.find({plain, result, id::f16, CUDNN_TENSOR_OP_MATH, false}).algorithm;
    CHECK(chosen == (result == convolution_result::y ? static_cast<int>(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) : result == convolution_result::x ? static_cast<int>(CUDNN_CONVOLUTION_BWD_DATA_ALGO_1)
                                                                                                                                      : static_cast<int>(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1)));
  }
}

TEST_CASE("an algorithm that needs more memory than it may have is not taken; another limit asks again") {
  test_context context;
  amp::use_cudnn(context, nullptr, emulated::cudnn_workspace - 1);
  CHECK(run(context, plain, convolution_result::y, in_f16, false, false).done);  // by one that needs none
  CHECK(context.cache<cudnn_plans>().find({plain, convolution_result::y, id::f16, CUDNN_TENSOR_OP_MATH, false}).algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
  CHECK_FALSE(run(context, plain, convolution_result::x, in_f16, false, false).done);
  amp::use_cudnn(context, nullptr, emulated::cudnn_workspace);
  CHECK(run(context, plain, convolution_result::x, in_f16, false, false).done);
}

TEST_CASE("a kernel that turns out not to be there is not asked for again; any other status is an error") {
  test_context context;
  amp::use_cudnn(context);
  emulated::fail_next_convolution = CUDNN_STATUS_NOT_SUPPORTED_SHAPE;
  CHECK_FALSE(run(context, plain, convolution_result::y, in_f16, false, false).done);
  const auto searches = emulated::cudnn_searches;
  CHECK_FALSE(run(context, plain, convolution_result::y, in_f16, false, false).done);
  CHECK(emulated::cudnn_searches == searches);
  CHECK(run(context, plain, convolution_result::x, in_f16, false, false).right);
  emulated::fail_next_convolution = CUDNN_STATUS_EXECUTION_FAILED;
  CHECK_THROWS_WITH_AS(run(context, plain, convolution_result::x, in_f16, false, false),
                       "amphora [cuda-call]: cudnnConvolutionBackwardData of x [2, 3, 1, 6, 8], w [4, 3, 1, 3, 3] and y [2, 4, 1, 6, 8] in f16 failed: CUDNN_STATUS_EXECUTION_FAILED, as the test wanted", amp::error);
  emulated::fail_next_convolution = CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE;  // where cuDNN is not whole
  CHECK_THROWS_WITH_AS(run(context, plain, convolution_result::x, in_f16, false, false), doctest::Contains("CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"), amp::error);
  emulated::fail_next_search = CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE;
  CHECK_THROWS_WITH_AS(run(context, line, convolution_result::w, in_f16, false, false), doctest::Contains("choosing an algorithm of cuDNN of x [2, 3, 1, 1, 11]"), amp::error);
  CHECK(run(context, line, convolution_result::w, in_f16, false, false).right);
  emulated::fail_next_search = CUDNN_STATUS_NOT_SUPPORTED;
  const outcome unknown = run(context, point, convolution_result::w, in_f16, false, false);
  CHECK((unknown.right && !unknown.done));
  emulated::fail_next_descriptor = CUDNN_STATUS_INTERNAL_ERROR;
  const std::size_t objects = emulated::cudnn_objects.size();
  CHECK_THROWS_WITH_AS(run(context, strided, convolution_result::y, in_f16, false, false), doctest::Contains("making a descriptor of cuDNN failed: CUDNN_STATUS_INTERNAL_ERROR"), amp::error);
  CHECK(emulated::cudnn_objects.size() == objects);
  CHECK(run(context, strided, convolution_result::y, in_f16, false, false).right);
}

TEST_CASE("where no kernel adds to what stands there, the sums are added to it afterwards") {
  emulated::cudnn_only_writes = true;
  {
    test_context context;
    amp::use_cudnn(context);
    for (const kind& k : {in_f16, in_f32})
      for (const convolution_result result : results)
        for (int step = 0; step < 2; ++step) {
          const outcome added = run(context, plain, result, k, false, true), biased = run(context, plain, result, k, result != convolution_result::w, false);
          CHECK((added.right && added.done && biased.right && biased.done));
        }
  }
  emulated::cudnn_only_writes = false;
}

TEST_CASE("bfloat16 where the device has none is the other kernels' to refuse") {
  emulated::capability_major = 7;
  {
    test_context context;
    amp::use_cudnn(context);
    CHECK_FALSE(run(context, plain, convolution_result::y, {id::bf16, id::bf16, id::bf16}, false, false).done);
    CHECK(run(context, plain, convolution_result::y, {id::bf16, id::bf16, id::f32}, false, false).right);  // as floats
  }
  emulated::capability_major = 9;
}

TEST_CASE("without a device there is no handle, and the error says so") {
  test_context context;
  emulated::no_device = true;
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle) == CUDNN_STATUS_NOT_INITIALIZED);
  CHECK_THROWS_AS(amp::use_cudnn(context), amp::error);
  emulated::no_device = false;
  amp::use_cudnn(context);
  CHECK(run(context, plain, convolution_result::y, in_f16, false, false).done);
}
#endif
