// Stream capture, and graphs that replay what was captured.
#pragma once
#include "streams.hpp"  // recording, submit

extern "C" {

inline cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s) return emulated::status(cudaErrorInvalidResourceHandle);
  if (s == &emulated::legacy_stream) return emulated::status(cudaErrorStreamCaptureUnsupported);
  if (s->capture) return emulated::status(cudaErrorIllegalState);
  static unsigned long long id = 0;
  auto r = std::make_shared<emulated::recording>();
  r->graph = new CUgraph_st, r->origin = s, r->mode = mode, r->id = ++id;
  s->capture = r;
  emulated::recordings.insert(r);
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s || !graph) return emulated::status(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  *graph = nullptr;
  if (!s->capture) return emulated::status(cudaErrorIllegalState);
  const std::shared_ptr<emulated::recording> r = s->capture;
  if (r->origin != s) return emulated::status(cudaErrorStreamCaptureUnmatched);
  bool joined = true;
  for (const auto& other : r->unjoined) joined = joined && other.second == 0;
  for (const cudaStream_t other : emulated::streams)
    if (other->capture == r) other->capture = nullptr;
  s->capture = nullptr;
  emulated::recordings.erase(r);
  if (!r->invalid && joined) return *graph = r->graph, cudaSuccess;
  delete r->graph;
  return emulated::status(r->invalid ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined);
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* answer) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s || !answer) return emulated::status(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  if (const cudaError_t e = emulated::implicit_in_capture(s)) return e;
  *answer = !s->capture ? cudaStreamCaptureStatusNone : s->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
/// Of the answers only status, id and graph are known here.
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* answer, unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                            std::size_t* count) {
  if (const cudaError_t e = cudaStreamIsCapturing(handle, answer)) return e;
  if (nodes || edges || count) return emulated::status(cudaErrorNotSupported);
  const cudaStream_t s = emulated::stream_of(handle);
  if (id && s->capture) *id = s->capture->id;
  if (graph && s->capture) *graph = s->capture->graph;
  return cudaSuccess;
}
#endif
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (!mode) return emulated::status(cudaErrorInvalidValue);
  return std::swap(*mode, emulated::thread_mode), cudaSuccess;
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  if (!made || !graph) return emulated::status(cudaErrorInvalidValue);
  return *made = new CUgraphExec_st{*graph}, cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long flags) { return cudaGraphInstantiate(made, graph, flags); }
inline cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t s) { return graph ? emulated::may_submit(s) : emulated::status(cudaErrorInvalidValue); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t s) {
  if (!graph) return emulated::status(cudaErrorInvalidValue);
  emulated::on_device once_for_all;
  for (const auto& node : graph->nodes)
    if (const cudaError_t e = emulated::submit(s, node)) return e;
  return graph->nodes.empty() ? emulated::may_submit(s) : cudaSuccess;
}
/// The nodes are not told apart: only their number is answered.
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (!graph || !count) return emulated::status(cudaErrorInvalidValue);
  if (nodes) return emulated::status(cudaErrorNotSupported);
  return *count = graph->nodes.size(), cudaSuccess;
}
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return delete graph, cudaSuccess; }

}  // extern "C"
