// SPDX-License-Identifier: MIT
// CUDA Driver API: streams, events, and the launch of graphs.
#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return in_context([&] { return cudaStreamGetId(stream, id); });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return in_context([&] { return cudaStreamGetDevice(stream, device); });
}
CUresult cuStreamGetCtx(CUstream, CUcontext* context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                             unsigned flags) {
  // Both kinds of callback take the same arguments, and the codes of results are the same numbers.
  const auto same = reinterpret_cast<cudaStreamCallback_t>(reinterpret_cast<void*>(callback));
  return in_context([&] { return cudaStreamAddCallback(stream, same, data, flags); });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                unsigned flags) {
  return in_context(
      [&] { return cudaStreamAttachMemAsync(stream, pointer(address), bytes, flags); });
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return in_context(
      [&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return in_context([&] { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return in_context([&] {
    return cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status));
  });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return in_context([&] {
    return cudaThreadExchangeStreamCaptureMode(reinterpret_cast<cudaStreamCaptureMode*>(mode));
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy(CUevent event) {
  return in_context([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return in_context([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return in_context([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventSynchronize(CUevent event) {
  return in_context([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
  return in_context([&] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  return in_context([&] { return cudaEventElapsedTime(ms, start, end); });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return in_context([&] { return cudaGraphCreate(graph, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return in_context([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* ready, CUgraph graph, unsigned long long flags) {
  return in_context([&] { return cudaGraphInstantiate(ready, graph, flags); });
}
CUresult cuGraphLaunch(CUgraphExec ready, CUstream stream) {
  return in_context([&] { return cudaGraphLaunch(ready, stream); });
}
CUresult cuGraphUpload(CUgraphExec ready, CUstream stream) {
  return in_context([&] { return cudaGraphUpload(ready, stream); });
}
CUresult cuGraphExecDestroy(CUgraphExec ready) {
  return in_context([&] { return cudaGraphExecDestroy(ready); });
}

}  // extern "C"
