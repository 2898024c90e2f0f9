#include "run.hpp"

#include <cudnn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>

namespace {

std::size_t bytes_of(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2; }
double unit(cudnnDataType_t type) { return std::ldexp(1.0, type == CUDNN_DATA_DOUBLE ? -53 : type == CUDNN_DATA_FLOAT ? -24 : type == CUDNN_DATA_HALF ? -11 : -8); }

/// Numbers of a type on the device.
struct array {
  cudnnDataType_t type;
  numbers<unsigned char> memory;

  array(cudnnDataType_t of, std::int64_t n) : type(of), memory(static_cast<std::size_t>(n) * bytes_of(of)) {}
  array(cudnnDataType_t of, const std::vector<double>& values) : array(of, static_cast<std::int64_t>(values.size())) {
    std::vector<unsigned char> raw(values.size() * bytes_of(of));
    for (std::size_t i = 0; i < values.size(); ++i) emulated::put_number(raw.data() + i * bytes_of(of), emulated::cuda_type(of), values[i]);
    REQUIRE(cudaMemcpy(memory.data(), raw.data(), raw.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  array(cudnnDataType_t of, std::initializer_list<double> values) : array(of, std::vector<double>(values)) {}
  void* data() const { return memory.data(); }
  std::vector<double> get() const {
    const std::vector<unsigned char> raw = memory.get();
    std::vector<double> values;
    for (std::size_t i = 0; i < raw.size(); i += bytes_of(type)) values.push_back(emulated::number_at(raw.data() + i, emulated::cuda_type(type)));
    return values;
  }
};
/// Numbers between -1 and 1 that the type has, other ones for each seed.
std::vector<double> some(cudnnDataType_t type, std::int64_t n, unsigned seed) {
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) {
    unsigned char raw[8];
    emulated::put_number(raw, emulated::cuda_type(type), std::sin(1.3 * static_cast<double>(i) + seed));
    x.push_back(emulated::number_at(raw, emulated::cuda_type(type)));
  }
  return x;
}

/// A convolution over a depth, a height and a width; the depth is 1 throughout for one over two axes.
struct layout {
  int n, groups, c, k;  // c and k in each group
  int x[3], w[3], pad[3], stride[3], dilation[3];

  int y(int axis) const { return (x[axis] + 2 * pad[axis] - (dilation[axis] * (w[axis] - 1) + 1)) / stride[axis] + 1; }
  int size_x() const { return n * groups * c * x[0] * x[1] * x[2]; }
  int size_w() const { return groups * k * c * w[0] * w[1] * w[2]; }
  int size_y() const { return n * groups * k * y(0) * y(1) * y(2); }
  /// Calls f(x, w, y) with places in [n, channel, depth, height, width].
  template <class F> void for_each(bool flipped, const F& f) const {
    for (int b = 0; b < n; ++b)
      for (int g = 0; g < groups; ++g)
        for (int i = 0; i < k; ++i)
          for (int j = 0; j < c; ++j)
            for (int o0 = 0; o0 < y(0); ++o0) for (int o1 = 0; o1 < y(1); ++o1) for (int o2 = 0; o2 < y(2); ++o2)
              for (int r0 = 0; r0 < w[0]; ++r0) for (int r1 = 0; r1 < w[1]; ++r1) for (int r2 = 0; r2 < w[2]; ++r2) {
                const int i0 = o0 * stride[0] - pad[0] + (flipped ? w[0] - 1 - r0 : r0) * dilation[0], i1 = o1 * stride[1] - pad[1] + (flipped ? w[1] - 1 - r1 : r1) * dilation[1],
                          i2 = o2 * stride[2] - pad[2] + (flipped ? w[2] - 1 - r2 : r2) * dilation[2];
                if (i0 < 0 || i0 >= x[0] || i1 < 0 || i1 >= x[1] || i2 < 0 || i2 >= x[2]) continue;
                f((((b * groups + g) * c + j) * x[0] + i0) * x[1] * x[2] + i1 * x[2] + i2, ((((g * k + i) * c + j) * w[0] + r0) * w[1] + r1) * w[2] + r2,
                  (((b * groups + g) * k + i) * y(0) + o0) * y(1) * y(2) + o1 * y(2) + o2);
              }
  }
};
constexpr layout plain = {2, 1, 3, 4, {1, 6, 5}, {1, 3, 2}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}}, strided = {2, 1, 2, 3, {1, 7, 8}, {1, 3, 3}, {0, 1, 2}, {1, 2, 3}, {1, 1, 2}},
                 grouped = {1, 3, 2, 2, {1, 5, 5}, {1, 3, 3}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}}, deep = {2, 2, 1, 2, {4, 3, 5}, {2, 3, 1}, {1, 1, 0}, {2, 1, 1}, {2, 1, 1}};

/// All that a convolution needs.
struct convolution {
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t window = nullptr;
  numbers<unsigned char> work{emulated::cudnn_workspace};

  explicit convolution(const layout& l, cudnnDataType_t type = CUDNN_DATA_FLOAT, cudnnMathType_t math = CUDNN_FMA_MATH, bool flipped = false, cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW) {
    REQUIRE(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateTensorDescriptor(&x) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateTensorDescriptor(&y) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateFilterDescriptor(&w) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateConvolutionDescriptor(&window) == CUDNN_STATUS_SUCCESS);
    const bool flat = l.x[0] == 1;
    const int from = flat ? 1 : 0, axes = 3 - from;
    const auto sizes = [&](int first, int second, int a, int b, int c) { return flat ? std::vector<int>{first, second, b, c} : std::vector<int>{first, second, a, b, c}; };
    REQUIRE(cudnnSetTensorNdDescriptorEx(x, format, type, 2 + axes, sizes(l.n, l.groups * l.c, l.x[0], l.x[1], l.x[2]).data()) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetTensorNdDescriptorEx(y, format, type, 2 + axes, sizes(l.n, l.groups * l.k, l.y(0), l.y(1), l.y(2)).data()) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetFilterNdDescriptor(w, type, format, 2 + axes, sizes(l.groups * l.k, l.c, l.w[0], l.w[1], l.w[2]).data()) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetConvolutionNdDescriptor(window, axes, l.pad + from, l.stride + from, l.dilation + from, flipped ? CUDNN_CONVOLUTION : CUDNN_CROSS_CORRELATION,
                                            type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetConvolutionGroupCount(window, l.groups) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetConvolutionMathType(window, math) == CUDNN_STATUS_SUCCESS);
  }
  convolution(const convolution&) = delete;
  ~convolution() {
    cudnnDestroyTensorDescriptor(x), cudnnDestroyTensorDescriptor(y), cudnnDestroyFilterDescriptor(w), cudnnDestroyConvolutionDescriptor(window), cudnnDestroy(handle);
  }

  cudnnStatus_t forward(const void* data_x, const void* data_w, void* data_y, const void* alpha, const void* beta, cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM) {
    return cudnnConvolutionForward(handle, alpha, x, data_x, w, data_w, window, algorithm, work.data(), emulated::cudnn_workspace, beta, y, data_y);
  }
  cudnnStatus_t backward_data(const void* data_w, const void* data_y, void* data_x, const void* alpha, const void* beta) {
    return cudnnConvolutionBackwardData(handle, alpha, w, data_w, y, data_y, window, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, work.data(), emulated::cudnn_workspace, beta, x, data_x);
  }
  cudnnStatus_t backward_filter(const void* data_x, const void* data_y, void* data_w, const void* alpha, const void* beta) {
    return cudnnConvolutionBackwardFilter(handle, alpha, x, data_x, y, data_y, window, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, work.data(), emulated::cudnn_workspace, beta, w, data_w);
  }
};

/// The largest distance to `want`, in units of what a sum of so many terms up to 1 may be off in that type.
double off(const std::vector<double>& have, const std::vector<double>& want, cudnnDataType_t type, int terms) {
  REQUIRE(have.size() == want.size());
  double most = 0;
  const double bound = terms * terms * unit(type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT) + (terms + 1) * unit(type);
  for (std::size_t i = 0; i < want.size(); ++i) most = std::max(most, !(std::abs(have[i] - want[i]) <= 1e30) ? 1e30 : std::abs(have[i] - want[i]) / bound);
  return most;
}
constexpr float one = 1, none = 0;
constexpr int many = 100;  // terms of any sum here

}  // namespace

TEST_CASE("a convolution is that of plain loops in double, forward and backward, in each type, mode and blend") {
  for (const layout& l : {plain, strided, grouped, deep})
    for (const cudnnDataType_t type : {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16})
      for (const bool flipped : {false, true}) {
        convolution c(l, type, type == CUDNN_DATA_FLOAT ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH, flipped);
        const double blend = flipped ? 0.5 : 0;
        const double alpha_double = 0.75;
        const float alpha_float = 0.75f, beta_float = static_cast<float>(blend);
        const void* const alpha = type == CUDNN_DATA_DOUBLE ? static_cast<const void*>(&alpha_double) : &alpha_float;
        const void* const beta = type == CUDNN_DATA_DOUBLE ? static_cast<const void*>(&blend) : &beta_float;
        const auto x = some(type, l.size_x(), 1), w = some(type, l.size_w(), 2), y = some(type, l.size_y(), 3);
        const array on_x(type, x), on_w(type, w), on_y(type, y), to_x(type, x), to_w(type, w), to_y(type, y);
        REQUIRE(c.forward(on_x.data(), on_w.data(), to_y.data(), alpha, beta) == CUDNN_STATUS_SUCCESS);
        REQUIRE(c.backward_data(on_w.data(), on_y.data(), to_x.data(), alpha, beta) == CUDNN_STATUS_SUCCESS);
        REQUIRE(c.backward_filter(on_x.data(), on_y.data(), to_w.data(), alpha, beta) == CUDNN_STATUS_SUCCESS);
        std::vector<double> want_x = x, want_w = w, want_y = y;
        for (auto* want : {&want_x, &want_w, &want_y})
          for (double& number : *want) number *= blend;
        l.for_each(flipped, [&](int at_x, int at_w, int at_y) {
          const auto i = static_cast<std::size_t>(at_x), j = static_cast<std::size_t>(at_w), k = static_cast<std::size_t>(at_y);
          want_y[k] += 0.75 * x[i] * w[j], want_x[i] += 0.75 * y[k] * w[j], want_w[j] += 0.75 * x[i] * y[k];
        });
        CAPTURE(type);
        CAPTURE(flipped);
        CHECK(off(to_y.get(), want_y, type, many) <= 1);
        CHECK(off(to_x.get(), want_x, type, many) <= 1);
        CHECK(off(to_w.get(), want_w, type, many) <= 1);
      }
}

TEST_CASE("a sum of one term is exact, and a cross-correlation does not turn the window") {
  const layout l = {1, 1, 1, 1, {1, 1, 3}, {1, 1, 3}, {0, 0, 2}, {1, 1, 1}, {1, 1, 1}};
  const array x(CUDNN_DATA_FLOAT, {0, 1, 0}), w(CUDNN_DATA_FLOAT, {2, 3, 4}), y(CUDNN_DATA_FLOAT, 5);
  convolution straight(l), flipped(l, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, true);
  REQUIRE(straight.forward(x.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
  CHECK(y.get() == std::vector<double>{0, 4, 3, 2, 0});
  REQUIRE(flipped.forward(x.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
  CHECK(y.get() == std::vector<double>{0, 2, 3, 4, 0});
}

TEST_CASE("interleaved channels give the numbers of planes") {
  const layout& l = grouped;
  convolution planes(l), together(l, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, false, CUDNN_TENSOR_NHWC);
  const auto interleaved = [](const std::vector<double>& from, int n, int c, int area) {
    std::vector<double> to(from.size());
    for (int i = 0; i < n; ++i) for (int j = 0; j < c; ++j) for (int k = 0; k < area; ++k) to[static_cast<std::size_t>((i * area + k) * c + j)] = from[static_cast<std::size_t>((i * c + j) * area + k)];
    return to;
  };
  const auto x = some(CUDNN_DATA_FLOAT, l.size_x(), 1), w = some(CUDNN_DATA_FLOAT, l.size_w(), 2);
  const array first_x(CUDNN_DATA_FLOAT, x), first_w(CUDNN_DATA_FLOAT, w), first_y(CUDNN_DATA_FLOAT, l.size_y()), second_y(CUDNN_DATA_FLOAT, l.size_y());
  const array second_x(CUDNN_DATA_FLOAT, interleaved(x, l.n, l.groups * l.c, l.x[1] * l.x[2])), second_w(CUDNN_DATA_FLOAT, interleaved(w, l.groups * l.k, l.c, l.w[1] * l.w[2]));
  REQUIRE(planes.forward(first_x.data(), first_w.data(), first_y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
  REQUIRE(together.forward(second_x.data(), second_w.data(), second_y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
  CHECK(second_y.get() == interleaved(first_y.get(), l.n, l.groups * l.k, l.y(1) * l.y(2)));
}

TEST_CASE("what becomes of 16 bits and floats as the mathematics says") {
  const layout l = {1, 1, 4096, 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  for (const cudnnDataType_t type : {CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16}) {  // sums in float
    convolution c(l, type, CUDNN_TENSOR_OP_MATH);
    const array ones(type, std::vector<double>(4096, 1.0)), y(type, 1);
    REQUIRE(c.forward(ones.data(), ones.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
    CHECK(y.get()[0] == 4096);
  }
  const layout single = {1, 1, 1, 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  const double fine = 1 + 0x1p-11 + 0x1p-20;
  const array x(CUDNN_DATA_FLOAT, {fine}), w(CUDNN_DATA_FLOAT, {1.0}), y(CUDNN_DATA_FLOAT, 1);
  const auto product = [&](cudnnMathType_t math) {
    convolution c(single, CUDNN_DATA_FLOAT, math);
    REQUIRE(c.forward(x.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
    return y.get()[0];
  };
  CHECK(product(CUDNN_FMA_MATH) == fine);
  CHECK(product(CUDNN_DEFAULT_MATH) == 1 + 0x1p-10);  // TF32 is what floats get unless it is refused
  CHECK(product(CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION) == 1 + 0x1p-10);
  emulated::capability_major = 7;
  CHECK(product(CUDNN_DEFAULT_MATH) == fine);
  emulated::capability_major = 9;
  convolution large(single, CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION);
  const array past(CUDNN_DATA_FLOAT, {1e6});
  REQUIRE(large.forward(past.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
  CHECK(std::isinf(y.get()[0]));
}

TEST_CASE("operands, results and workspaces of a convolution are checked") {
  const layout& l = plain;
  convolution c(l);
  const array x(CUDNN_DATA_FLOAT, std::vector<double>(static_cast<std::size_t>(l.size_x()), 1.0)), w(CUDNN_DATA_FLOAT, std::vector<double>(static_cast<std::size_t>(l.size_w()), 1.0)), y(CUDNN_DATA_FLOAT, l.size_y()),
      small(CUDNN_DATA_FLOAT, l.size_y() - 1), fresh(CUDNN_DATA_FLOAT, l.size_x());
  CHECK(thrown([&] { c.forward(x.data(), w.data(), y.data(), &one, &none); }).empty());
  CHECK(has(thrown([&] { c.forward(x.data(), w.data(), small.data(), &one, &none); }), "an access outside every allocation"));
  CHECK(has(thrown([&] { c.forward(fresh.data(), w.data(), y.data(), &one, &none); }), "a read of memory never written"));
  CHECK(has(thrown([&] { c.forward(x.data(), w.data(), fresh.data(), &one, &one); }), "a read of memory never written"));  // beta
  CHECK(has(thrown([&] { c.forward(static_cast<char*>(x.data()) + 2, w.data(), y.data(), &one, &none); }), "a misaligned array"));
  convolution tensor_cores(l, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH);
  const array longer(CUDNN_DATA_FLOAT, std::vector<double>(static_cast<std::size_t>(l.size_x()) + 1, 1.0));
  CHECK(thrown([&] { c.forward(static_cast<char*>(longer.data()) + 4, w.data(), y.data(), &one, &none); }).empty());
  CHECK(has(thrown([&] { tensor_cores.forward(static_cast<char*>(longer.data()) + 4, w.data(), y.data(), &one, &none); }), "memory that tensor cores cannot read"));
  CHECK(has(thrown([&] { c.forward(&one, w.data(), y.data(), &one, &none); }), "memory of the host"));
  CHECK(c.forward(nullptr, w.data(), y.data(), &one, &none) == CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  CHECK(cudnnConvolutionForward(c.handle, &one, c.x, x.data(), c.w, w.data(), c.window, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, c.work.data(), emulated::cudnn_workspace - 1, &none, c.y, y.data()) ==
        CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  CHECK(cudnnConvolutionForward(c.handle, &one, c.x, x.data(), c.w, w.data(), c.window, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &none, c.y, y.data()) == CUDNN_STATUS_SUCCESS);
  CHECK(c.forward(x.data(), w.data(), y.data(), &one, &none, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT) == CUDNN_STATUS_NOT_SUPPORTED);
  emulated::fail_next_convolution = CUDNN_STATUS_EXECUTION_FAILED;
  CHECK(c.forward(x.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_EXECUTION_FAILED);
  CHECK(c.forward(x.data(), w.data(), y.data(), &one, &none) == CUDNN_STATUS_SUCCESS);
}

TEST_CASE("a convolution with wrong sizes or types is refused by name, and says why") {
  convolution c(plain);
  int found = 0;
  cudnnConvolutionFwdAlgoPerf_t perf[8];
  const auto ask = [&] { return cudnnGetConvolutionForwardAlgorithm_v7(c.handle, c.x, c.w, c.window, c.y, 8, &found, perf); };
  REQUIRE(ask() == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetTensor4dDescriptor(c.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 4, 4, 5) == CUDNN_STATUS_SUCCESS);  // it is 4 × 4
  CHECK(ask() == CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  char why[64] = {};
  cudnnGetLastErrorString(why, sizeof why);
  CHECK(std::string(why) == "the sizes do not fit each other");
  cudnnGetLastErrorString(why, sizeof why);
  CHECK(std::string(why).empty());
  REQUIRE(cudnnSetTensor4dDescriptor(c.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_HALF, 2, 4, 4, 4) == CUDNN_STATUS_SUCCESS);
  CHECK(ask() == CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
  REQUIRE(cudnnSetTensor4dDescriptor(c.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, 4, 4, 4) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetConvolutionGroupCount(c.window, 3) == CUDNN_STATUS_SUCCESS);
  CHECK(ask() == CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
  const int pad[] = {0, 0}, stride[] = {1, 1}, bad[] = {1, 0}, negative[] = {0, -1};
  CHECK(cudnnSetConvolutionNdDescriptor(c.window, 2, negative, stride, stride, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnSetConvolutionNdDescriptor(c.window, 2, pad, bad, stride, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnSetConvolutionNdDescriptor(c.window, 2, pad, stride, bad, CUDNN_CONVOLUTION, CUDNN_DATA_FLOAT) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnSetConvolutionGroupCount(c.window, 0) == CUDNN_STATUS_BAD_PARAM);
  REQUIRE(cudnnSetConvolutionGroupCount(c.window, 1) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetConvolutionNdDescriptor(c.window, 2, pad, stride, stride, CUDNN_CROSS_CORRELATION, CUDNN_DATA_HALF) == CUDNN_STATUS_SUCCESS);
  CHECK(ask() == CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE);
  const int sizes[] = {1, 0, 3, 3}, huge[] = {1 << 16, 1 << 8, 1 << 8, 1}, few[] = {1, 2};
  CHECK(cudnnSetTensorNdDescriptorEx(c.x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, sizes) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnSetTensorNdDescriptorEx(c.x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 4, huge) == CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(cudnnSetTensorNdDescriptorEx(c.x, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 2, few) == CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(cudnnSetFilterNdDescriptor(c.w, static_cast<cudnnDataType_t>(40), CUDNN_TENSOR_NCHW, 4, huge) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnGetErrorString(CUDNN_STATUS_NOT_SUPPORTED) == std::string("CUDNN_STATUS_NOT_SUPPORTED"));
  emulated::capability_major = 7;
  convolution bf(plain, CUDNN_DATA_BFLOAT16);
  CHECK(cudnnGetConvolutionForwardAlgorithm_v7(bf.handle, bf.x, bf.w, bf.window, bf.y, 8, &found, perf) == CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH);
  emulated::capability_major = 9;
}

TEST_CASE("the heuristics answer in order, with what each algorithm is like and needs") {
  convolution c(plain);
  cudnnConvolutionBwdFilterAlgoPerf_t perf[8];
  int found = 0;
  const auto before = emulated::cudnn_searches;
  REQUIRE(cudnnGetConvolutionBackwardFilterAlgorithm_v7(c.handle, c.x, c.y, c.window, c.w, 8, &found, perf) == CUDNN_STATUS_SUCCESS);
  CHECK(emulated::cudnn_searches == before + 1);
  REQUIRE(found == 4);
  bool some_are_not_deterministic = false, some_are = false;
  for (int i = 0; i < found; ++i) {
    std::size_t bytes = 0;
    CHECK(cudnnGetConvolutionBackwardFilterWorkspaceSize(c.handle, c.x, c.y, c.window, c.w, perf[i].algo, &bytes) == CUDNN_STATUS_SUCCESS);
    CHECK((perf[i].status == CUDNN_STATUS_SUCCESS && perf[i].memory == bytes && perf[i].mathType == CUDNN_DEFAULT_MATH));
    (perf[i].determinism == CUDNN_DETERMINISTIC ? some_are : some_are_not_deterministic) = true;
  }
  CHECK((some_are && some_are_not_deterministic));
  REQUIRE(cudnnGetConvolutionBackwardFilterAlgorithm_v7(c.handle, c.x, c.y, c.window, c.w, 1, &found, perf) == CUDNN_STATUS_SUCCESS);
  CHECK(found == 1);
  emulated::heuristics = emulated::cudnn_finds::nothing;
  REQUIRE(cudnnGetConvolutionBackwardFilterAlgorithm_v7(c.handle, c.x, c.y, c.window, c.w, 8, &found, perf) == CUDNN_STATUS_SUCCESS);
  emulated::heuristics = emulated::cudnn_finds::all;
  for (int i = 0; i < found; ++i) CHECK(perf[i].status == CUDNN_STATUS_NOT_SUPPORTED);
}

TEST_CASE("a convolution goes into the handle's stream, and into its capture, where no handle is made") {
  const layout single = {1, 1, 1, 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  convolution c(single);
  const array x(CUDNN_DATA_FLOAT, {3.0}), y(CUDNN_DATA_FLOAT, {1.0});
  cudaStream_t s = nullptr, back = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudnnSetStream(c.handle, s) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnGetStream(c.handle, &back) == CUDNN_STATUS_SUCCESS);
  CHECK(back == s);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  REQUIRE(c.forward(x.data(), x.data(), y.data(), &one, &one) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
  CHECK(y.get()[0] == 1);
  REQUIRE(cudaGraphLaunch(ready, s) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(ready, s) == cudaSuccess);
  CHECK(y.get()[0] == 19);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudnnHandle_t late = nullptr;
  CHECK(cudnnCreate(&late) == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGraphExecDestroy(ready), cudaStreamDestroy(s);
  cudaGetLastError();
}

TEST_CASE("no handle or descriptor, no call") {
  CHECK(cudnnSetStream(nullptr, nullptr) == CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  CHECK(cudnnDestroy(nullptr) == CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  CHECK(cudnnDestroyTensorDescriptor(nullptr) == CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  emulated::no_device = true;
  cudnnHandle_t h = nullptr;
  CHECK(cudnnCreate(&h) == CUDNN_STATUS_NOT_INITIALIZED);
  emulated::no_device = false;
  emulated::fail_next_descriptor = CUDNN_STATUS_INTERNAL_ERROR;
  cudnnFilterDescriptor_t w = nullptr;
  CHECK(cudnnCreateFilterDescriptor(&w) == CUDNN_STATUS_INTERNAL_ERROR);
  REQUIRE(cudnnCreateFilterDescriptor(&w) == CUDNN_STATUS_SUCCESS);
  CHECK(cudnnDestroyFilterDescriptor(w) == CUDNN_STATUS_SUCCESS);
  CHECK(cudnnDestroyFilterDescriptor(w) == CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
}
