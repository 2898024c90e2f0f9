// An existing CUDA program, with its own memory, stream, cuBLAS handle and kernels, gains loss scaling and a fused step.
#include <amphora/cuda.cuh>

#include <cublas_v2.h>

#include <cstdio>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o2<amp::f16> {};

constexpr int samples = 16, inputs = 4;

// Theirs: error = x · w − y, and the error times what the loss is scaled by, as the backward pass reads it.
__global__ void errors(const float* product, const float* y, float* loss, const float* scale, __half* scaled_error) {
  float sum = 0;
  for (int s = 0; s < samples; ++s) {
    const float error = product[s] - y[s];
    sum += error * error / samples;
    if (scale) scaled_error[s] = __float2half_rn(*scale * 2 * error / samples);
  }
  *loss = sum;
}
template <class... Parameters, class... Arguments>
void launch_once(cudaStream_t stream, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1), config.stream = stream;
  cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}
/// Their memory.
template <class T>
T* on_device(const std::vector<T>& values, cudaStream_t stream) {
  T* memory = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&memory), values.size() * sizeof(T));
  cudaMemcpyAsync(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, stream);
  return memory;
}

int main() {
  cudaStream_t stream = nullptr;
  cublasHandle_t cublas = nullptr;
  cudaStreamCreate(&stream);
  cublasCreate(&cublas);
  cublasSetStream(cublas, stream);
  std::vector<__half> x_values(samples * inputs);
  std::vector<float> y_values(samples);
  for (int s = 0; s < samples; ++s) {
    const float row[inputs] = {float(s * 7 % 11 - 5) / 8, float((s * 7 + 5) % 11 - 5) / 8, float((s * 7 + 10) % 11 - 5) / 8, float((s * 7 + 15) % 11 - 5) / 8};
    for (int i = 0; i < inputs; ++i) x_values[s * inputs + i] = __float2half_rn(row[i]);
    y_values[s] = 6 * row[0] - 3 * row[1] + row[3];
  }
  __half* x = on_device(x_values, stream);
  float* y = on_device(y_values, stream);
  float *master = on_device(std::vector<float>(inputs, 0.0f), stream), *product = on_device(y_values, stream), *loss = on_device(std::vector<float>{0}, stream);
  const std::vector<__half> zeros(samples, __float2half_rn(0));
  __half *weights = on_device(zeros, stream), *gradients = on_device(zeros, stream), *error = on_device(zeros, stream);

  //! [context]
  {
    amp::cuda_context context{stream, cublas};  // theirs
    auto scaler = amp::make_scaler<mixed>(context);
    amp::mixed_optimizer optimizer{context, amp::adamw{/*lr*/ 0.05f}, {{master, weights, gradients, nullptr, inputs}}};
    //! [context]
    const float one = 1, zero = 0;
    for (int step = 0; step < 400; ++step) {
      //! [step]
      cublasGemmEx(cublas, CUBLAS_OP_T, CUBLAS_OP_N, samples, 1, inputs, &one, x, CUDA_R_16F, inputs, weights, CUDA_R_16F, inputs, &zero, product,  // their forward pass,
                   CUDA_R_32F, samples, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);                                                                   // on the 16-bit weights
      launch_once(stream, errors, product, y, loss, nullptr, error);
      auto scaled_loss = scaler.scale(context, amp::view{loss});
      launch_once(stream, errors, product, y, loss, scaled_loss.gradient().data(), error);  // their backward pass, into 16-bit gradients
      cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, inputs, 1, samples, &one, x, CUDA_R_16F, inputs, error, CUDA_R_16F, samples, &zero, gradients, CUDA_R_16F, inputs,
                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f});
      scaler.update(context, outcome);  // no line above or here waits for the device
      //! [step]
    }
    std::printf("the loss fell below 1e-2: %s\n", amp::wait_read(context, amp::view{loss})[0] < 1e-2f ? "yes" : "no");
    std::printf("steps skipped until the scale fit: %d\n", static_cast<int>(scaler.wait_state(context).skipped));
  }
  for (void* memory : {static_cast<void*>(x), static_cast<void*>(weights), static_cast<void*>(gradients), static_cast<void*>(error), static_cast<void*>(y), static_cast<void*>(master),
                       static_cast<void*>(product), static_cast<void*>(loss)})
    cudaFree(memory);
  cublasDestroy(cublas);
  cudaStreamDestroy(stream);
}
