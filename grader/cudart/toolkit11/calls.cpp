// SPDX-License-Identifier: MIT
// The calls that only the client of CUDA 11 has.
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

constexpr int kRuntimeVersion = 11080;  ///< whose ABI this client has

}  // namespace

OLDER_CALL(cudaRuntimeGetVersion, int* version) {
  if (version == nullptr) return warpgrade_stub_cudaRuntimeGetVersion(nullptr);
  *version = kRuntimeVersion;
  return cudaSuccess;
}

OLDER_CALL(cudaFuncGetAttributes, void* to, const void* function) {
  return copy_beginning<cudaFuncAttributes>(
      to, kFuncAttributesOf11Bytes,
      [&](cudaFuncAttributes* all) { return warpgrade_stub_cudaFuncGetAttributes(all, function); });
}

OLDER_CALL(cudaCreateTextureObject, cudaTextureObject_t* to, const void* resource,
           const void* texture, const void* view) {
  return create_texture(to, resource, texture, kTextureDescOf11Bytes, view);
}

OLDER_CALL(cudaCreateTextureObject_v2, cudaTextureObject_t* to, const void* resource,
           const cudaTextureDesc* texture, const void* view) {
  return create_texture(to, resource, texture, sizeof *texture, view);
}

OLDER_CALL(cudaGetTextureObjectTextureDesc, void* to, cudaTextureObject_t texture) {
  return describe_texture(to, kTextureDescOf11Bytes, texture);
}

OLDER_CALL(cudaGetTextureObjectTextureDesc_v2, cudaTextureDesc* to, cudaTextureObject_t texture) {
  return describe_texture(to, sizeof *to, texture);
}

OLDER_CALL(cudaGetDriverEntryPoint, const char* name, void** function, unsigned long long flags) {
  return warpgrade_stub_cudaGetDriverEntryPoint(name, function, flags, nullptr);
}
OLDER_ALSO_AS(cudaGetDriverEntryPoint, _ptsz)

OLDER_CALL(cudaGraphInstantiate, cudaGraphExec_t* to, cudaGraph_t graph,
           cudaGraphNode_t* error_node, char* log, size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) *log = '\0';
  return warpgrade_stub_cudaGraphInstantiate(to, graph, 0);
}

OLDER_CALL(cudaGraphExecUpdate, cudaGraphExec_t executable, cudaGraph_t graph,
           cudaGraphNode_t* error_node, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = warpgrade_stub_cudaGraphExecUpdate(executable, graph, &info);
  if (error_node != nullptr) *error_node = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

/// It wrote the profiler's settings to a file, for a profiler that no longer exists.
OLDER_CALL(cudaProfilerInitialize, const char*, const char*, int) { return cudaSuccess; }

}  // namespace warpgrade::cudart
