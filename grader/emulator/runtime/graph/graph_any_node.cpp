// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": the calls that take nodes of any kind
// (cudaGraphNodeParams), and copies from and to variables.
#include "emulator/runtime/graph/graph_nodes.h"
#include "emulator/runtime/memory/symbols.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

template <class Node, class Params>
cudaError_t made_of(ApiCall& call, Params* params, Work& work) {
  Node node;
  const cudaError_t error = to_work(call, params, node);
  if (error == cudaSuccess) work = std::move(node);
  return error;
}

cudaError_t kernel_of(ApiCall& call, const cudaKernelNodeParamsV2& from, Work& work) {
  cudaKernelNodeParams params = {};
  params.func = from.func;
  params.gridDim = from.gridDim;
  params.blockDim = from.blockDim;
  params.sharedMemBytes = from.sharedMemBytes;
  params.kernelParams = from.kernelParams;
  return made_of<KernelNode>(call, &params, work);
}

cudaError_t fill_of(ApiCall& call, const cudaMemsetParamsV2& from, Work& work) {
  cudaMemsetParams params = {};
  params.dst = from.dst;
  params.pitch = from.pitch;
  params.value = from.value;
  params.elementSize = from.elementSize;
  params.width = from.width;
  params.height = from.height;
  return made_of<FillNode>(call, &params, work);
}

cudaError_t allocation_of(ApiCall& call, cudaMemAllocNodeParamsV2& from, Work& work) {
  AllocNode node;
  node.params.poolProps = from.poolProps;
  node.params.bytesize = from.bytesize;
  const cudaError_t error = reserve(call, node);
  from.dptr = node.params.dptr;
  if (error == cudaSuccess) work = node;
  return error;
}

cudaError_t child_of(ApiCall& call, const cudaChildGraphNodeParams& from, Work& work) {
  if (!call.machine().graphs.is_graph(from.graph)) return cudaErrorInvalidValue;
  if (has_conditional_nodes(*from.graph)) return cudaErrorNotSupported;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;
  work = ChildNode{clone(*from.graph, copy_of)};
  return cudaSuccess;
}

cudaError_t work_of_call(ApiCall& call, cudaGraphNodeParams* params, Work& work) {
  if (params == nullptr) return cudaErrorInvalidValue;
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return kernel_of(call, params->kernel, work);
    case cudaGraphNodeTypeMemcpy:
      return made_of<CopyNode>(call, &params->memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset:
      return fill_of(call, params->memset, work);
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host = {params->host.fn, params->host.userData};
      return made_of<HostNode>(call, &host, work);
    }
    case cudaGraphNodeTypeGraph:
      return child_of(call, params->graph, work);
    case cudaGraphNodeTypeEmpty:
      work = EmptyNode{};
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      work = EventNode{params->eventWait.event, true};
      return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
      work = EventNode{params->eventRecord.event, false};
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
      return allocation_of(call, params->alloc, work);
    case cudaGraphNodeTypeMemFree:
      work = FreeNode{params->free.dptr};
      return cudaSuccess;
    default:
      call.find(say("unsupported.graph_node"));
      return cudaErrorNotSupported;
  }
}

cudaError_t add_conditional(ApiCall& call, cudaGraphNode_t* node, cudaGraph_t graph,
                            NodeDependencies after, cudaConditionalNodeParams& params) {
  if (!may_add(call, node, graph, after)) return cudaErrorInvalidValue;
  ConditionalNode work;
  const cudaError_t error = to_work(call, graph, params, work);
  return error == cudaSuccess ? add_to(call, node, graph, after, std::move(work)) : error;
}

/// Describes a node anew; its kind stays.
cudaError_t set_any(ApiCall& call, CUgraphNode_st& node, cudaGraphNodeParams* params) {
  if (type_of(node.work) == cudaGraphNodeTypeConditional) return cudaErrorNotSupported;
  Work work;
  const cudaError_t error = work_of_call(call, params, work);
  if (error != cudaSuccess) return error;
  if (type_of(work) != type_of(node.work) || !settle(*node.graph, work))
    return cudaErrorInvalidValue;
  node.work = std::move(work);
  return cudaSuccess;
}

/// A copy from or to a variable, as one from or to its address.
struct SymbolCopy {
  void* pointer = nullptr;  ///< The other side.
  const void* symbol = nullptr;
  size_t count = 0, offset = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  bool to_symbol = false;
};

cudaError_t params_of(ApiCall& call, const SymbolCopy& wanted, cudaMemcpy3DParms& params) {
  uint64_t address = 0;
  const cudaError_t error =
      symbol_address(call, wanted.symbol, wanted.count, wanted.offset, address);
  if (error != cudaSuccess) return error;
  void* const variable = reinterpret_cast<void*>(address);
  params = wanted.to_symbol ? linear_copy(variable, wanted.pointer, wanted.count, wanted.kind)
                            : linear_copy(wanted.pointer, variable, wanted.count, wanted.kind);
  return cudaSuccess;
}

cudaError_t add_copy(const char* name, cudaGraphNode_t* node, cudaGraph_t graph,
                     NodeDependencies after, const SymbolCopy& wanted) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    cudaMemcpy3DParms params = {};
    Work work;
    cudaError_t error = params_of(call, wanted, params);
    if (error == cudaSuccess) error = made_of<CopyNode>(call, &params, work);
    return error == cudaSuccess ? add_to(call, node, graph, after, std::move(work)) : error;
  });
}

cudaError_t set_copy(ApiCall& call, CUgraphNode_st* node, const SymbolCopy& wanted) {
  if (node == nullptr || type_of(node->work) != cudaGraphNodeTypeMemcpy)
    return cudaErrorInvalidValue;
  cudaMemcpy3DParms params = {};
  const cudaError_t error = params_of(call, wanted, params);
  return error == cudaSuccess ? made_of<CopyNode>(call, &params, node->work) : error;
}

cudaError_t set_copy(const char* name, cudaGraphNode_t node, const SymbolCopy& wanted) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return set_copy(call, call.machine().graphs.is_node(node) ? node : nullptr, wanted);
  });
}

cudaError_t exec_set_copy(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node,
                          const SymbolCopy& wanted) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return set_copy(call, call.machine().graphs.copy_in(exec, node), wanted);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* params) {
  return api_call("cudaGraphAddNode", EarlierFault::if_known, [&](ApiCall& call) {
    Work work;
    if (params != nullptr && params->type == cudaGraphNodeTypeConditional)
      return add_conditional(call, node, graph, {after, count}, params->conditional);
    const cudaError_t error = work_of_call(call, params, work);
    return error == cudaSuccess ? add_to(call, node, graph, {after, count}, std::move(work))
                                : error;
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return api_call("cudaGraphNodeSetParams", EarlierFault::if_known, [&](ApiCall& call) {
    return call.machine().graphs.is_node(node) ? set_any(call, *node, params)
                                               : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return api_call("cudaGraphExecNodeSetParams", EarlierFault::if_known, [&](ApiCall& call) {
    CUgraphNode_st* const copy = call.machine().graphs.copy_in(exec, node);
    return copy == nullptr ? cudaErrorInvalidValue : set_any(call, *copy, params);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                           size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = linear_copy(dst, src, bytes, kind);
  return cudaGraphMemcpyNodeSetParams(node, &params);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t edges,
                                           const void* symbol, const void* src, size_t count,
                                           size_t offset, cudaMemcpyKind kind) {
  return add_copy("cudaGraphAddMemcpyNodeToSymbol", node, graph, {after, edges},
                  {const_cast<void*>(src), symbol, count, offset, kind, true});
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t edges, void* dst,
                                             const void* symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return add_copy("cudaGraphAddMemcpyNodeFromSymbol", node, graph, {after, edges},
                  {dst, symbol, count, offset, kind, false});
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* src, size_t count, size_t offset,
                                                 cudaMemcpyKind kind) {
  return set_copy("cudaGraphMemcpyNodeSetParamsToSymbol", node,
                  {const_cast<void*>(src), symbol, count, offset, kind, true});
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                   const void* symbol, size_t count, size_t offset,
                                                   cudaMemcpyKind kind) {
  return set_copy("cudaGraphMemcpyNodeSetParamsFromSymbol", node,
                  {dst, symbol, count, offset, kind, false});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src,
                                                     size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return exec_set_copy("cudaGraphExecMemcpyNodeSetParamsToSymbol", exec, node,
                       {const_cast<void*>(src), symbol, count, offset, kind, true});
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* dst, const void* symbol, size_t count,
                                                       size_t offset, cudaMemcpyKind kind) {
  return exec_set_copy("cudaGraphExecMemcpyNodeSetParamsFromSymbol", exec, node,
                       {dst, symbol, count, offset, kind, false});
}

}  // extern "C"
}  // namespace warpgrade::emulator
