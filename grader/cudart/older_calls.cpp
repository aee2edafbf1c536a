// SPDX-License-Identifier: MIT
// Calls of CUDA 11 and 12 that CUDA 13 dropped or gave another signature.
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

cudaMemLocation location_of(int device) {
  const bool is_host = device == cudaCpuDeviceId;
  return {is_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, is_host ? 0 : device};
}

}  // namespace

// Memory.
OLDER_CALL(cudaMemAdvise, const void* memory, size_t bytes, cudaMemoryAdvise advice, int device) {
  return warpgrade_stub_cudaMemAdvise(memory, bytes, advice, location_of(device));
}

OLDER_CALL(cudaMemPrefetchAsync, const void* memory, size_t bytes, int device,
           cudaStream_t stream) {
  return warpgrade_stub_cudaMemPrefetchAsync(memory, bytes, location_of(device), 0, stream);
}
OLDER_ALSO_AS(cudaMemPrefetchAsync, _ptsz)

// Graphs, before their edges carried data.
OLDER_CALL(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t* from,
           const cudaGraphNode_t* to, size_t count) {
  return warpgrade_stub_cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

OLDER_CALL(cudaGraphRemoveDependencies, cudaGraph_t graph, const cudaGraphNode_t* from,
           const cudaGraphNode_t* to, size_t count) {
  return warpgrade_stub_cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

OLDER_CALL(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
           size_t* count) {
  return warpgrade_stub_cudaGraphGetEdges(graph, from, to, nullptr, count);
}

OLDER_CALL(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t* nodes,
           size_t* count) {
  return warpgrade_stub_cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}

OLDER_CALL(cudaGraphNodeGetDependentNodes, cudaGraphNode_t node, cudaGraphNode_t* nodes,
           size_t* count) {
  return warpgrade_stub_cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

OLDER_CALL(cudaStreamUpdateCaptureDependencies, cudaStream_t stream, cudaGraphNode_t* nodes,
           size_t count, unsigned flags) {
  return warpgrade_stub_cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
OLDER_ALSO_AS(cudaStreamUpdateCaptureDependencies, _ptsz)

OLDER_CALL(cudaStreamGetCaptureInfo, cudaStream_t stream, cudaStreamCaptureStatus* status,
           unsigned long long* id) {
  return warpgrade_stub_cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr,
                                                 nullptr);
}
OLDER_ALSO_AS(cudaStreamGetCaptureInfo, _ptsz)

OLDER_CALL(cudaStreamGetCaptureInfo_v2, cudaStream_t stream, cudaStreamCaptureStatus* status,
           unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
           size_t* count) {
  return warpgrade_stub_cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
OLDER_ALSO_AS(cudaStreamGetCaptureInfo_v2, _ptsz)

// The names from before CUDA 4.
OLDER_CALL(cudaThreadSynchronize) { return warpgrade_stub_cudaDeviceSynchronize(); }

OLDER_CALL(cudaThreadExit) { return warpgrade_stub_cudaDeviceReset(); }

OLDER_CALL(cudaThreadGetLimit, size_t* value, cudaLimit limit) {
  return warpgrade_stub_cudaDeviceGetLimit(value, limit);
}

OLDER_CALL(cudaThreadSetLimit, cudaLimit limit, size_t value) {
  return warpgrade_stub_cudaDeviceSetLimit(limit, value);
}

OLDER_CALL(cudaThreadGetCacheConfig, cudaFuncCache* config) {
  return warpgrade_stub_cudaDeviceGetCacheConfig(config);
}

OLDER_CALL(cudaThreadSetCacheConfig, cudaFuncCache config) {
  return warpgrade_stub_cudaDeviceSetCacheConfig(config);
}

/// They converted for devices without double precision, of which none is left.
OLDER_CALL(cudaSetDoubleForDevice, double*) { return cudaSuccess; }
OLDER_CALL(cudaSetDoubleForHost, double*) { return cudaSuccess; }

OLDER_UNSUPPORTED(cudaLaunchCooperativeKernelMultiDevice)
OLDER_UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2)
OLDER_UNSUPPORTED(cudaSignalExternalSemaphoresAsync_v2_ptsz)
OLDER_UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2)
OLDER_UNSUPPORTED(cudaWaitExternalSemaphoresAsync_v2_ptsz)

}  // namespace warpgrade::cudart
