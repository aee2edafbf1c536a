// SPDX-License-Identifier: MIT
// The calls that only the client of CUDA 12 has. Where CUDA 12 has two, the one with a number is CUDA 13's.
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

constexpr int kRuntimeVersion = 12040;  ///< whose ABI this client has

}  // namespace

OLDER_CALL(cudaRuntimeGetVersion, int* version) {
  if (version == nullptr) return warpgrade_stub_cudaRuntimeGetVersion(nullptr);
  *version = kRuntimeVersion;
  return cudaSuccess;
}

OLDER_CALL(cudaGetDeviceProperties_v2, OlderDeviceProperties* to, int device) {
  if (to == nullptr) return warpgrade_stub_cudaGetDeviceProperties(nullptr, device);
  return older_properties(*to, device);
}

OLDER_CALL(cudaCreateTextureObject, cudaTextureObject_t* to, const void* resource,
           const cudaTextureDesc* texture, const void* view) {
  return create_texture(to, resource, texture, sizeof *texture, view);
}

OLDER_CALL(cudaGraphAddNode, cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
           size_t count, cudaGraphNodeParams* params) {
  return warpgrade_stub_cudaGraphAddNode(to, graph, after, nullptr, count, params);
}

OLDER_CALL(cudaGraphAddNode_v2, cudaGraphNode_t* to, cudaGraph_t graph,
           const cudaGraphNode_t* after, const cudaGraphEdgeData* edges, size_t count,
           cudaGraphNodeParams* params) {
  return warpgrade_stub_cudaGraphAddNode(to, graph, after, edges, count, params);
}

OLDER_CALL(cudaGraphAddDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t* from,
           const cudaGraphNode_t* to, const cudaGraphEdgeData* edges, size_t count) {
  return warpgrade_stub_cudaGraphAddDependencies(graph, from, to, edges, count);
}

OLDER_CALL(cudaGraphRemoveDependencies_v2, cudaGraph_t graph, const cudaGraphNode_t* from,
           const cudaGraphNode_t* to, const cudaGraphEdgeData* edges, size_t count) {
  return warpgrade_stub_cudaGraphRemoveDependencies(graph, from, to, edges, count);
}

OLDER_CALL(cudaGraphGetEdges_v2, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
           cudaGraphEdgeData* edges, size_t* count) {
  return warpgrade_stub_cudaGraphGetEdges(graph, from, to, edges, count);
}

OLDER_CALL(cudaGraphNodeGetDependencies_v2, cudaGraphNode_t node, cudaGraphNode_t* nodes,
           cudaGraphEdgeData* edges, size_t* count) {
  return warpgrade_stub_cudaGraphNodeGetDependencies(node, nodes, edges, count);
}

OLDER_CALL(cudaGraphNodeGetDependentNodes_v2, cudaGraphNode_t node, cudaGraphNode_t* nodes,
           cudaGraphEdgeData* edges, size_t* count) {
  return warpgrade_stub_cudaGraphNodeGetDependentNodes(node, nodes, edges, count);
}

OLDER_CALL(cudaMemAdvise_v2, const void* memory, size_t bytes, cudaMemoryAdvise advice,
           cudaMemLocation location) {
  return warpgrade_stub_cudaMemAdvise(memory, bytes, advice, location);
}

OLDER_CALL(cudaMemPrefetchAsync_v2, const void* memory, size_t bytes, cudaMemLocation location,
           unsigned flags, cudaStream_t stream) {
  return warpgrade_stub_cudaMemPrefetchAsync(memory, bytes, location, flags, stream);
}
OLDER_ALSO_AS(cudaMemPrefetchAsync_v2, _ptsz)

OLDER_CALL(cudaStreamGetCaptureInfo_v3, cudaStream_t stream, cudaStreamCaptureStatus* status,
           unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** nodes,
           const cudaGraphEdgeData** edges, size_t* count) {
  return warpgrade_stub_cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, edges, count);
}
OLDER_ALSO_AS(cudaStreamGetCaptureInfo_v3, _ptsz)

OLDER_CALL(cudaStreamUpdateCaptureDependencies_v2, cudaStream_t stream, cudaGraphNode_t* nodes,
           const cudaGraphEdgeData* edges, size_t count, unsigned flags) {
  return warpgrade_stub_cudaStreamUpdateCaptureDependencies(stream, nodes, edges, count, flags);
}
OLDER_ALSO_AS(cudaStreamUpdateCaptureDependencies_v2, _ptsz)

}  // namespace warpgrade::cudart
