// cuDNN: handles, descriptors, heuristics and convolutions.
#pragma once
#include "cudnn_types.hpp"  // cudnnHandle_t
#include "convolution.hpp"  // convolution_work, convolve
#include "streams.hpp"      // submit

#include <cstdio>  // snprintf
#include <set>     // set
#include <string>  // string

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
  emulated::dnn_array array;
};
struct cudnnFilterStruct {
  emulated::dnn_array array;
};
struct cudnnConvolutionStruct {
  int places = 0;
  std::int64_t pad[CUDNN_DIM_MAX] = {}, stride[CUDNN_DIM_MAX] = {}, dilation[CUDNN_DIM_MAX] = {};
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int groups = 1;
};

namespace emulated {

inline std::set<const void*>& cudnn_objects = *new std::set<const void*>;  // handles and descriptors that live
inline std::int64_t cudnn_searches = 0;      ///< calls of the heuristics so far
inline std::int64_t cudnn_convolutions = 0;  ///< convolutions that were taken so far
/// What the next convolution, the next making of a descriptor, or the next search returns instead of doing anything.
inline cudnnStatus_t fail_next_convolution = CUDNN_STATUS_SUCCESS, fail_next_descriptor = CUDNN_STATUS_SUCCESS, fail_next_search = CUDNN_STATUS_SUCCESS;
/// What the heuristics find: everything, what sums atomically or in a transformed space alone, or nothing.
enum class cudnn_finds { all, inexact, nothing };
inline cudnn_finds heuristics = cudnn_finds::all;
inline bool cudnn_only_writes = false;     ///< there are no kernels with a beta that is not 0
inline std::size_t cudnn_workspace = 1000;  ///< bytes that each algorithm but the first needs

inline std::string& cudnn_last_error = *new std::string;
inline cudnnStatus_t dnn_status(cudnnStatus_t s, const char* why) { return cudnn_last_error = s == CUDNN_STATUS_SUCCESS ? "" : why, s; }
inline cudnnStatus_t taken(cudnnStatus_t& wanted) {
  const cudnnStatus_t s = wanted;
  return wanted = CUDNN_STATUS_SUCCESS, dnn_status(s, "as the test wanted");
}
inline cudnnStatus_t known(const void* object) { return cudnn_objects.count(object) ? CUDNN_STATUS_SUCCESS : dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no such handle or descriptor"); }

template <class Object>
cudnnStatus_t make_descriptor(Object** to) {
  if (!to) return dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for a descriptor");
  if (const cudnnStatus_t wanted = taken(fail_next_descriptor)) return wanted;
  *to = new Object;
  cudnn_objects.insert(*to);
  return CUDNN_STATUS_SUCCESS;
}
template <class Object>
cudnnStatus_t end_descriptor(Object* object) {
  if (!cudnn_objects.erase(object)) return dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no such descriptor");
  return delete object, CUDNN_STATUS_SUCCESS;
}

inline bool is_type(cudnnDataType_t t) { return t == CUDNN_DATA_FLOAT || t == CUDNN_DATA_DOUBLE || t == CUDNN_DATA_HALF || t == CUDNN_DATA_BFLOAT16; }
inline cudnnStatus_t set_array(dnn_array& a, cudnnDataType_t type, int rank, const int* size, const int* stride) {
  if (rank < 3 || rank > CUDNN_DIM_MAX) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED, "3 to 8 axes are supported");
  if (!is_type(type) || !size) return dnn_status(CUDNN_STATUS_BAD_PARAM, "no such type, or no sizes");
  dnn_array made;
  made.rank = rank, made.type = type;
  std::int64_t all = 1;
  for (int i = rank - 1; i >= 0; --i) {
    if (size[i] <= 0 || (stride && stride[i] <= 0)) return dnn_status(CUDNN_STATUS_BAD_PARAM, "a size or stride that is not positive");
    made.size[i] = size[i], made.stride[i] = stride ? stride[i] : all, all *= size[i];
    if (all > 0x7fffffff) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED, "more than 2^31 - 1 elements");
  }
  return a = made, CUDNN_STATUS_SUCCESS;
}
/// The strides of an array whose channels lie together.
inline void interleave(dnn_array& a) {
  std::int64_t all = a.size[1];
  a.stride[1] = 1;
  for (int i = a.rank - 1; i >= 2; --i) a.stride[i] = all, all *= a.size[i];
  a.stride[0] = all;
}

/// Whether the three arrays fit; the result's sizes are what forward gives.
inline cudnnStatus_t fits(const cudnnConvolutionStruct& c, const dnn_array& x, const dnn_array& w, const dnn_array& y) {
  if (x.rank != w.rank || x.rank != y.rank || c.places != x.rank - 2) return dnn_status(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "the arrays and the convolution have different numbers of axes");
  if (x.rank != 4 && x.rank != 5) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "convolutions have 4 or 5 axes");
  if (x.type != w.type || x.type != y.type) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "the arrays have different types");
  const bool is_double = x.type == CUDNN_DATA_DOUBLE;
  if (c.compute != (is_double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "this type is not computed so");
  if (x.type == CUDNN_DATA_BFLOAT16 && capability_major < 8) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, "bfloat16 needs sm_80");
  bool right = x.size[0] == y.size[0] && x.size[1] == w.size[1] * c.groups && y.size[1] == w.size[0] && w.size[0] % c.groups == 0;
  for (int i = 0; i < c.places; ++i) {
    const std::int64_t room = x.size[i + 2] + 2 * c.pad[i] - ((w.size[i + 2] - 1) * c.dilation[i] + 1);
    right = right && room >= 0 && y.size[i + 2] == room / c.stride[i] + 1;
  }
  return right ? CUDNN_STATUS_SUCCESS : dnn_status(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "the sizes do not fit each other");
}

/// What the heuristics say of one algorithm: whether its sums have one order, and whether it multiplies the numbers as they are.
struct dnn_algorithm {
  int number;
  bool deterministic, plain, needs_workspace;
};
inline constexpr dnn_algorithm forward_algorithms[] = {{CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, true, false, true}, {CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING, true, false, true},
                                                       {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, true, true, true}, {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, true, true, false}};
inline constexpr dnn_algorithm data_algorithms[] = {{CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, false, true, false}, {CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED, true, false, true},
                                                    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, true, true, true}};
inline constexpr dnn_algorithm filter_algorithms[] = {{CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3, false, true, true}, {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, false, true, false},
                                                      {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT, true, false, true}, {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, true, true, true}};
inline std::size_t workspace_of(const dnn_algorithm& a) { return a.needs_workspace ? cudnn_workspace : 0; }

/// The algorithm of a number; null where there is none.
template <std::size_t N>
const dnn_algorithm* algorithm_of(const dnn_algorithm (&all)[N], int number) {
  for (const dnn_algorithm& a : all)
    if (a.number == number) return &a;
  return nullptr;
}
template <std::size_t N, class Perf>
cudnnStatus_t find_algorithms(cudnnHandle_t handle, const dnn_algorithm (&all)[N], const cudnnConvolutionStruct* c, const dnn_array& x, const dnn_array& w, const dnn_array& y, int wanted, int* found, Perf* to) {
  if (const cudnnStatus_t s = known(handle)) return s;
  if (!c || !found || !to || wanted < 1) return dnn_status(CUDNN_STATUS_BAD_PARAM, "no place for an answer");
  ++cudnn_searches;
  if (const cudnnStatus_t status = taken(fail_next_search)) return status;
  if (const cudnnStatus_t s = fits(*c, x, w, y)) return s;
  *found = 0;
  const bool is_half = x.type == CUDNN_DATA_HALF || x.type == CUDNN_DATA_BFLOAT16;
  for (const dnn_algorithm& a : all) {
    if (*found == wanted) break;
    const bool shown = heuristics == cudnn_finds::all || (heuristics == cudnn_finds::inexact && !(a.plain && a.deterministic));
    Perf& p = to[(*found)++];
    p = {};
    p.algo = static_cast<decltype(p.algo)>(a.number), p.status = shown ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED, p.time = -1, p.memory = workspace_of(a);
    p.determinism = a.deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    p.mathType = is_half ? c->math : CUDNN_DEFAULT_MATH;  // whatever the descriptor says
  }
  return CUDNN_STATUS_SUCCESS;
}
template <std::size_t N>
cudnnStatus_t workspace_size(cudnnHandle_t handle, const dnn_algorithm (&all)[N], int number, const cudnnConvolutionStruct* c, const dnn_array& x, const dnn_array& w, const dnn_array& y, std::size_t* bytes) {
  if (const cudnnStatus_t s = known(handle)) return s;
  const dnn_algorithm* const a = algorithm_of(all, number);
  if (!a) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED, "no such algorithm");
  if (const cudnnStatus_t s = fits(*c, x, w, y)) return s;
  return *bytes = workspace_of(*a), CUDNN_STATUS_SUCCESS;
}

inline double dnn_scalar(const void* p, bool is_double) {
  if (is_double) { double x; return std::memcpy(&x, p, 8), x; }
  float x;
  return std::memcpy(&x, p, 4), static_cast<double>(x);
}
template <std::size_t N>
cudnnStatus_t run_convolution(cudnnHandle_t handle, convolved part, const dnn_algorithm (&all)[N], int number, const cudnnConvolutionStruct* c, const void* alpha, const void* beta, const dnn_array& x, const void* data_x,
                              const dnn_array& w, const void* data_w, const dnn_array& y, const void* data_y, void* workspace, std::size_t workspace_bytes) {
  if (const cudnnStatus_t s = known(handle)) return s;
  if (const cudnnStatus_t wanted = taken(fail_next_convolution)) return wanted;
  if (!c || !alpha || !beta || !data_x || !data_w || !data_y) return dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "a null pointer");
  const dnn_algorithm* const a = algorithm_of(all, number);
  if (!a) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED, "no such algorithm");
  if (const cudnnStatus_t s = fits(*c, x, w, y)) return s;
  if (workspace_bytes < workspace_of(*a) || (workspace_of(*a) && !workspace)) return dnn_status(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "the workspace is too small");
  convolution_work work;
  work.part = part, work.x = x, work.w = w, work.y = y, work.data_x = data_x, work.data_w = data_w, work.data_y = data_y;
  for (int i = 0; i < c->places; ++i) work.pad[i] = c->pad[i], work.stride[i] = c->stride[i], work.dilation[i] = c->dilation[i];
  work.groups = c->groups, work.flipped = c->mode == CUDNN_CONVOLUTION, work.compute = c->compute;
  if (x.type == CUDNN_DATA_FLOAT) work.as_half = c->math == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, work.as_tf32 = c->math != CUDNN_FMA_MATH && capability_major >= 8;
  work.needs_alignment = c->math != CUDNN_FMA_MATH && x.type != CUDNN_DATA_DOUBLE;
  const bool is_double = x.type == CUDNN_DATA_DOUBLE;
  work.alpha = dnn_scalar(alpha, is_double), work.beta = dnn_scalar(beta, is_double);
  if (cudnn_only_writes && work.beta != 0) return dnn_status(CUDNN_STATUS_NOT_SUPPORTED, "no kernel for this beta");
  work.workspace = workspace, work.workspace_bytes = workspace_of(*a);
  ++cudnn_convolutions;
  return submit(handle->stream, [work] { convolve(work); }) == cudaSuccess ? CUDNN_STATUS_SUCCESS : dnn_status(CUDNN_STATUS_EXECUTION_FAILED, "the stream does not take it");
}

struct known_cudnn_status {
  cudnnStatus_t status;
  const char* name;
};
inline constexpr known_cudnn_status known_cudnn_statuses[] = {
    {CUDNN_STATUS_SUCCESS, "CUDNN_STATUS_SUCCESS"},
    {CUDNN_STATUS_NOT_INITIALIZED, "CUDNN_STATUS_NOT_INITIALIZED"},
    {CUDNN_STATUS_BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"},
    {CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
    {CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT"},
    {CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
    {CUDNN_STATUS_NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
    {CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"},
    {CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE"},
    {CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
    {CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE, "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"},
    {CUDNN_STATUS_INTERNAL_ERROR, "CUDNN_STATUS_INTERNAL_ERROR"},
    {CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"},
    {CUDNN_STATUS_EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"},
};

}  // namespace emulated

extern "C" {

inline std::size_t cudnnGetVersion() { return CUDNN_VERSION; }
inline const char* cudnnGetErrorString(cudnnStatus_t status) {
  for (const auto& s : emulated::known_cudnn_statuses)
    if (s.status == status) return s.name;
  return "CUDNN_UNKNOWN_STATUS";
}
/// Why the last call that failed did; empty once it was asked.
inline void cudnnGetLastErrorString(char* message, std::size_t size) {
  if (size) std::snprintf(message, size, "%s", emulated::cudnn_last_error.c_str());
  emulated::cudnn_last_error.clear();
}

/// Allocates, so that it is refused in a capture and counted.
inline cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (!handle) return emulated::dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for a handle");
  if (emulated::no_device) return emulated::dnn_status(CUDNN_STATUS_NOT_INITIALIZED, "no device");
  if (emulated::unsafe_in_capture()) return emulated::dnn_status(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, "a stream is being captured");
  emulated::count_allocation("cudnnCreate");
  *handle = new cudnnContext;
  emulated::cudnn_objects.insert(*handle);
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  if (const cudnnStatus_t s = emulated::end_descriptor(handle)) return s;
  emulated::count_allocation("cudnnDestroy"), emulated::count_wait("cudnnDestroy");
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (const cudnnStatus_t s = emulated::known(handle)) return s;
  return handle->stream = stream, CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  if (const cudnnStatus_t s = emulated::known(handle)) return s;
  return *stream = handle->stream, CUDNN_STATUS_SUCCESS;
}

inline cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* to) { return emulated::make_descriptor(to); }
inline cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t of) { return emulated::end_descriptor(of); }
inline cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t of, cudnnDataType_t type, int rank, const int* size, const int* stride) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  return stride ? emulated::set_array(of->array, type, rank, size, stride) : emulated::dnn_status(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no strides");
}
inline cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t of, cudnnTensorFormat_t format, cudnnDataType_t type, int rank, const int* size) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  if (const cudnnStatus_t s = emulated::set_array(of->array, type, rank, size, nullptr)) return s;
  if (format == CUDNN_TENSOR_NHWC) emulated::interleave(of->array);
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t of, cudnnTensorFormat_t format, cudnnDataType_t type, int n, int c, int h, int w) {
  const int size[] = {n, c, h, w};
  return cudnnSetTensorNdDescriptorEx(of, format, type, 4, size);
}
inline cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* to) { return emulated::make_descriptor(to); }
inline cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t of) { return emulated::end_descriptor(of); }
inline cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t of, cudnnDataType_t type, cudnnTensorFormat_t format, int rank, const int* size) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  if (const cudnnStatus_t s = emulated::set_array(of->array, type, rank, size, nullptr)) return s;
  if (format == CUDNN_TENSOR_NHWC) emulated::interleave(of->array);
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t of, cudnnDataType_t type, cudnnTensorFormat_t format, int k, int c, int h, int w) {
  const int size[] = {k, c, h, w};
  return cudnnSetFilterNdDescriptor(of, type, format, 4, size);
}

inline cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* to) { return emulated::make_descriptor(to); }
inline cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t of) { return emulated::end_descriptor(of); }
inline cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t of, int places, const int* pad, const int* stride, const int* dilation, cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  if (places < 1 || places > CUDNN_DIM_MAX - 2 || !emulated::is_type(compute)) return emulated::dnn_status(CUDNN_STATUS_BAD_PARAM, "so many axes, or such a type, there is not");
  for (int i = 0; i < places; ++i)
    if (pad[i] < 0 || stride[i] < 1 || dilation[i] < 1) return emulated::dnn_status(CUDNN_STATUS_BAD_PARAM, "a negative padding, or a stride or dilation below 1");
  of->places = places, of->mode = mode, of->compute = compute;
  for (int i = 0; i < places; ++i) of->pad[i] = pad[i], of->stride[i] = stride[i], of->dilation[i] = dilation[i];
  return CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t of, int groups) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  if (groups < 1) return emulated::dnn_status(CUDNN_STATUS_BAD_PARAM, "fewer than one group");
  return of->groups = groups, CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t of, cudnnMathType_t math) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  return of->math = math, CUDNN_STATUS_SUCCESS;
}
inline cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t of, cudnnMathType_t* math) {
  if (const cudnnStatus_t s = emulated::known(of)) return s;
  return *math = of->math, CUDNN_STATUS_SUCCESS;
}

inline cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t y,
                                                            const int wanted, int* found, cudnnConvolutionFwdAlgoPerf_t* to) {
  return emulated::find_algorithms(handle, emulated::forward_algorithms, c, x->array, w->array, y->array, wanted, found, to);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t x,
                                                                 const int wanted, int* found, cudnnConvolutionBwdDataAlgoPerf_t* to) {
  return emulated::find_algorithms(handle, emulated::data_algorithms, c, x->array, w->array, y->array, wanted, found, to);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t c, const cudnnFilterDescriptor_t w,
                                                                   const int wanted, int* found, cudnnConvolutionBwdFilterAlgoPerf_t* to) {
  return emulated::find_algorithms(handle, emulated::filter_algorithms, c, x->array, w->array, y->array, wanted, found, to);
}
inline cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t y,
                                                             cudnnConvolutionFwdAlgo_t algorithm, std::size_t* bytes) {
  return emulated::workspace_size(handle, emulated::forward_algorithms, algorithm, c, x->array, w->array, y->array, bytes);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t c, const cudnnTensorDescriptor_t x,
                                                                  cudnnConvolutionBwdDataAlgo_t algorithm, std::size_t* bytes) {
  return emulated::workspace_size(handle, emulated::data_algorithms, algorithm, c, x->array, w->array, y->array, bytes);
}
inline cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t y, const cudnnConvolutionDescriptor_t c,
                                                                    const cudnnFilterDescriptor_t w, cudnnConvolutionBwdFilterAlgo_t algorithm, std::size_t* bytes) {
  return emulated::workspace_size(handle, emulated::filter_algorithms, algorithm, c, x->array, w->array, y->array, bytes);
}

inline cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x, const void* data_x, const cudnnFilterDescriptor_t w, const void* data_w,
                                             const cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t algorithm, void* workspace, std::size_t bytes, const void* beta, const cudnnTensorDescriptor_t y, void* data_y) {
  return emulated::run_convolution(handle, emulated::convolved::forward, emulated::forward_algorithms, algorithm, c, alpha, beta, x->array, data_x, w->array, data_w, y->array, data_y, workspace, bytes);
}
inline cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha, const cudnnFilterDescriptor_t w, const void* data_w, const cudnnTensorDescriptor_t y, const void* data_y,
                                                  const cudnnConvolutionDescriptor_t c, cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, std::size_t bytes, const void* beta, const cudnnTensorDescriptor_t x,
                                                  void* data_x) {
  return emulated::run_convolution(handle, emulated::convolved::data, emulated::data_algorithms, algorithm, c, alpha, beta, x->array, data_x, w->array, data_w, y->array, data_y, workspace, bytes);
}
inline cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x, const void* data_x, const cudnnTensorDescriptor_t y, const void* data_y,
                                                    const cudnnConvolutionDescriptor_t c, cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, std::size_t bytes, const void* beta, const cudnnFilterDescriptor_t w,
                                                    void* data_w) {
  return emulated::run_convolution(handle, emulated::convolved::filter, emulated::filter_algorithms, algorithm, c, alpha, beta, x->array, data_x, w->array, data_w, y->array, data_y, workspace, bytes);
}

}  // extern "C"
