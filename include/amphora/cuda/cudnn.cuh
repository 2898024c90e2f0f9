// cuDNN for the convolutions of a context. For programs that have it, beside cuda.cuh and linked with amphora::cudnn; nothing else needs it.
#pragma once
#include <amphora/cuda/context.cuh>            // cuda_context
#include <amphora/cuda/convolution_call.cuh>   // convolution_backend
#include <amphora/cuda/cudnn_convolution.cuh>  // run_cudnn
#include <amphora/cuda/cudnn_descriptor.cuh>
#include <amphora/cuda/cudnn_handle.cuh>       // cudnn_state
#include <amphora/cuda/cudnn_plan.cuh>         // cudnn_plans

#include <cudnn.h>  // cudnnHandle_t

#include <cstddef>  // size_t

namespace amphora { inline namespace AMPHORA_ABI {

/// From now on the context's convolutions, forward and backward, go to cuDNN, with the formats and to the accuracy of the library's own. What cuDNN
/// does not do (different paddings on the two sides of an axis, sums in half, more than 2^31 - 1 elements, a shape without a kernel) stays here.
///
/// An algorithm is chosen once for each shape, geometry and format, by cuDNN's heuristics and without a trial run, on the host. It adds in the same
/// order each time, and multiplies the numbers as they are: not by Winograd's or Fourier's transform. Floats are multiplied as TF32 only where the
/// policy computes in tf32. Memory to work in is the context's. All of it may be part of a stream capture, this call must come before.
///
/// cuDNN reads and writes one format. So operands in another than the policy computes in are copied, as everywhere; and where 16-bit operands have a
/// result in a wider format (a float gradient), they are copied as floats and multiplied as TF32, which loses nothing and takes twice the time.
///
/// handle          the caller's, on the context's stream; it must live as long as convolutions are called. Null: one of the context's own is made here
/// most_workspace  bytes; an algorithm that needs more is not chosen
/// Errors          device     another device is current
///                 capture    a handle cannot be made while the stream is captured
///                 cuda-call  cuDNN cannot be used
inline void use_cudnn(cuda_context& context, cudnnHandle_t handle = nullptr, std::size_t most_workspace = std::size_t(1) << 30) {
  auto& state = context.cache<detail::cudnn_state>();
  state.use(handle);
  state.most_workspace = most_workspace;
  context.cache<detail::cudnn_plans>().clear();
  context.cache<detail::convolution_backend>().run = &detail::run_cudnn;
}

}}  // namespace amphora
