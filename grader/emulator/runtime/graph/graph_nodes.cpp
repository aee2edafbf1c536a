// SPDX-License-Identifier: MIT
#include "emulator/runtime/graph/graph_nodes.h"

#include <algorithm>

#include "emulator/runtime/memory/arrays.h"

namespace warpgrade::emulator {

cudaError_t to_work(ApiCall& call, const cudaKernelNodeParams* params, KernelNode& work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const LoadedKernel kernel = load_kernel(call, params->func);
  if (kernel.error != cudaSuccess) return kernel.error;
  if (params->kernelParams == nullptr && !kernel.info->parameters.empty())
    return cudaErrorInvalidValue;
  work.launch = {params->func, params->gridDim, params->blockDim, params->sharedMemBytes};
  work.arguments = copy_arguments(*kernel.info, params->kernelParams);
  return cudaSuccess;
}

cudaError_t to_work(ApiCall& call, const cudaMemcpy3DParms* params, CopyNode& work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  work.kind = params->kind;
  work.params = *params;
  work.record = {};
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
  work.record = {};
  return cudaSuccess;
}

cudaError_t to_work(ApiCall&, const cudaHostNodeParams* params, HostNode& work) {
  if (params == nullptr || params->fn == nullptr) return cudaErrorInvalidValue;
  work.function = *params;
  return cudaSuccess;
}

bool may_add(ApiCall& call, const cudaGraphNode_t* node, cudaGraph_t graph,
             NodeDependencies after) {
  if (node == nullptr || (after.count != 0 && after.nodes == nullptr)) return false;
  const Graphs& graphs = call.machine().graphs;
  return graphs.is_graph(graph) &&
         std::all_of(after.nodes, after.nodes + after.count, [&](cudaGraphNode_t each) {
           return graphs.is_node(each) && each->graph == graph;
         });
}

cudaError_t add_to(ApiCall& call, cudaGraphNode_t* node, cudaGraph_t graph, NodeDependencies after,
                   Work work) {
  if (!may_add(call, node, graph, after) || !settle(*graph, work)) return cudaErrorInvalidValue;
  *node = add_node(*graph, std::move(work), {after.nodes, after.nodes + after.count});
  return cudaSuccess;
}

cudaError_t give_nodes(const std::vector<cudaGraphNode_t>& list, cudaGraphNode_t* to, size_t* count,
                       bool only_length) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (!only_length) {
    std::fill_n(to, *count, nullptr);
    std::copy_n(list.begin(), std::min(*count, list.size()), to);
  }
  if (only_length || *count > list.size()) *count = list.size();
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
    cudaGraphNodeType operator()(const ConditionalNode&) { return cudaGraphNodeTypeConditional; }
  };
  return std::visit(Types{}, work);
}

}  // namespace warpgrade::emulator
