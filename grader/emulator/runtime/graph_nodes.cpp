// SPDX-License-Identifier: MIT
#include "emulator/runtime/graph_nodes.h"

#include "emulator/runtime/arrays.h"

namespace warpgrade::emulator {

cudaError_t to_work(ApiCall& call, const cudaKernelNodeParams* params, KernelNode& work) {
  if (params == nullptr || params->kernelParams == nullptr) return cudaErrorInvalidValue;
  const LoadedKernel kernel = load_kernel(call, params->func);
  if (kernel.error != cudaSuccess) return kernel.error;
  work.launch = {params->func, params->gridDim, params->blockDim, params->sharedMemBytes};
  work.arguments = copy_arguments(*kernel.info, params->kernelParams);
  return cudaSuccess;
}

cudaError_t to_work(ApiCall& call, const cudaMemcpy3DParms* params, CopyNode& work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  work.kind = params->kind;
  return copy_sides(call, *params, work.to, work.from, work.shape);
}

cudaError_t to_work(ApiCall&, const cudaMemsetParams* params, FillNode& work) {
  if (params == nullptr || params->dst == nullptr) return cudaErrorInvalidValue;
  const unsigned element = params->elementSize;
  if (element != 1 && element != 2 && element != 4) return cudaErrorInvalidValue;
  work.to = {reinterpret_cast<uint64_t>(params->dst), params->pitch, 0};
  work.shape = {params->width * element, params->height};
  work.value = params->value;
  work.element_bytes = element;
  return cudaSuccess;
}

cudaError_t to_work(ApiCall&, const cudaHostNodeParams* params, HostNode& work) {
  if (params == nullptr || params->fn == nullptr) return cudaErrorInvalidValue;
  work.function = *params;
  return cudaSuccess;
}

cudaMemcpy3DParms linear_copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  cudaMemcpy3DParms params = {};
  params.dstPtr = {dst, count, count, 1};
  params.srcPtr = {const_cast<void*>(src), count, count, 1};
  params.extent = {count, 1, 1};
  params.kind = kind;
  return params;
}

cudaGraphNodeType type_of(const Work& work) {
  struct Types {
    cudaGraphNodeType operator()(const EmptyNode&) { return cudaGraphNodeTypeEmpty; }
    cudaGraphNodeType operator()(const KernelNode&) { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const CopyNode&) { return cudaGraphNodeTypeMemcpy; }
    cudaGraphNodeType operator()(const FillNode&) { return cudaGraphNodeTypeMemset; }
    cudaGraphNodeType operator()(const HostNode&) { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const EventNode& node) {
      return node.waits ? cudaGraphNodeTypeWaitEvent : cudaGraphNodeTypeEventRecord;
    }
    cudaGraphNodeType operator()(const ChildNode&) { return cudaGraphNodeTypeGraph; }
    cudaGraphNodeType operator()(const AllocNode&) { return cudaGraphNodeTypeMemAlloc; }
    cudaGraphNodeType operator()(const FreeNode&) { return cudaGraphNodeTypeMemFree; }
  };
  return std::visit(Types{}, work);
}

}  // namespace warpgrade::emulator
