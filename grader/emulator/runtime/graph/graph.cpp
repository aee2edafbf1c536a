// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": graphs, their nodes and edges.
#include <algorithm>

#include "emulator/runtime/graph/graph_nodes.h"

namespace warpgrade::emulator {
namespace {

/// The frame of the calls that add a node described by `params`.
template <class Node, class Params>
cudaError_t add_call(const char* name, cudaGraphNode_t* node, cudaGraph_t graph,
                     NodeDependencies after, const Params* params) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    Node work;
    const cudaError_t error = to_work(call, params, work);
    return error == cudaSuccess ? add_to(call, node, graph, after, std::move(work)) : error;
  });
}

/// The frame of the calls that describe a node anew.
template <class Node, class Params>
cudaError_t set_call(const char* name, cudaGraphNode_t node, const Params* params) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_node(node)) return cudaErrorInvalidValue;
    if (!std::holds_alternative<Node>(node->work)) return cudaErrorInvalidValue;
    return to_work(call, params, std::get<Node>(node->work));
  });
}

cudaError_t give(const std::vector<cudaGraphNode_t>& list, cudaGraphNode_t* to, size_t* count) {
  return give_nodes(list, to, count, to == nullptr);
}

template <class Body>
cudaError_t node_call(const char* name, cudaGraphNode_t node, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return call.machine().graphs.is_node(node) ? body(call) : cudaErrorInvalidValue;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api_call("cudaGraphCreate", EarlierFault::if_known, [&](ApiCall& call) {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = call.machine().graphs.adopt(std::make_unique<CUgraph_st>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return graph_call("cudaGraphDestroy", graph, [&](ApiCall& call) {
    const auto captures = call.machine().graphs.open_captures();
    const bool is_captured = std::any_of(captures.begin(), captures.end(),
                                         [&](const auto& each) { return each->graph == graph; });
    if (is_captured) return cudaErrorIllegalState;
    call.machine().graphs.destroy(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return graph_call("cudaGraphClone", graph, [&](ApiCall& call) {
    if (copy == nullptr) return cudaErrorInvalidValue;
    if (has_conditional_nodes(*graph)) return cudaErrorNotSupported;
    std::map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;
    *copy = call.machine().graphs.adopt(clone(*graph, copy_of));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return api_call("cudaGraphAddEmptyNode", EarlierFault::if_known, [&](ApiCall& call) {
    return add_to(call, node, graph, {after, count}, EmptyNode{});
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* params) {
  return add_call<KernelNode>("cudaGraphAddKernelNode", node, graph, {after, count}, params);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add_call<CopyNode>("cudaGraphAddMemcpyNode", node, graph, {after, count}, params);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* dst,
                                     const void* src, size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = linear_copy(dst, src, bytes, kind);
  return add_call<CopyNode>("cudaGraphAddMemcpyNode1D", node, graph, {after, count}, &params);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* params) {
  return add_call<FillNode>("cudaGraphAddMemsetNode", node, graph, {after, count}, params);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* params) {
  return api_call("cudaGraphAddMemAllocNode", EarlierFault::if_known, [&](ApiCall& call) {
    if (params == nullptr) return cudaErrorInvalidValue;
    AllocNode work{*params};
    const cudaError_t error = reserve(call, work);
    if (error != cudaSuccess) return error;
    params->dptr = work.params.dptr;
    call.note("ptr", params->dptr);
    return add_to(call, node, graph, {after, count}, work);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
  return api_call("cudaGraphAddMemFreeNode", EarlierFault::if_known, [&](ApiCall& call) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    call.note("ptr", pointer);
    return add_to(call, node, graph, {after, count}, FreeNode{pointer});
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* params) {
  return add_call<HostNode>("cudaGraphAddHostNode", node, graph, {after, count}, params);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t count,
                                        cudaEvent_t event) {
  return api_call("cudaGraphAddEventRecordNode", EarlierFault::if_known, [&](ApiCall& call) {
    return add_to(call, node, graph, {after, count}, EventNode{event, false});
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, size_t count,
                                      cudaEvent_t event) {
  return api_call("cudaGraphAddEventWaitNode", EarlierFault::if_known, [&](ApiCall& call) {
    return add_to(call, node, graph, {after, count}, EventNode{event, true});
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
  return graph_call("cudaGraphAddChildGraphNode", child, [&](ApiCall& call) {
    if (has_conditional_nodes(*child)) return cudaErrorNotSupported;
    std::map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;
    return add_to(call, node, graph, {after, count}, ChildNode{clone(*child, copy_of)});
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return graph_call("cudaGraphAddDependencies", graph, [&](ApiCall& call) {
    if (count != 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
    const Graphs& graphs = call.machine().graphs;
    for (size_t i = 0; i < count; ++i) {
      if (!graphs.is_node(from[i]) || !graphs.is_node(to[i])) return cudaErrorInvalidValue;
      auto& after = to[i]->after;
      const bool is_known = std::find(after.begin(), after.end(), from[i]) != after.end();
      if (is_known || from[i] == to[i]) return cudaErrorInvalidValue;
      after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return node_call("cudaGraphDestroyNode", node, [&](ApiCall&) {
    leave_condition(*node);
    auto& nodes = node->graph->nodes;
    for (const auto& each : nodes) {
      auto& after = each->after;
      after.erase(std::remove(after.begin(), after.end(), node), after.end());
    }
    const auto is_it = [&](const auto& each) { return each.get() == node; };
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_it), nodes.end());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return graph_call("cudaGraphGetNodes", graph, [&](ApiCall&) {
    std::vector<cudaGraphNode_t> list;
    for (const auto& node : graph->nodes) list.push_back(node.get());
    return give(list, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return graph_call("cudaGraphGetRootNodes", graph, [&](ApiCall&) {
    std::vector<cudaGraphNode_t> list;
    for (const auto& node : graph->nodes) {
      if (node->after.empty()) list.push_back(node.get());
    }
    return give(list, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData*, size_t* count) {
  return node_call("cudaGraphNodeGetDependencies", node,
                   [&](ApiCall&) { return give(node->after, nodes, count); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return node_call("cudaGraphNodeGetType", node, [&](ApiCall&) {
    if (type == nullptr) return cudaErrorInvalidValue;
    *type = type_of(node->work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return node_call("cudaGraphKernelNodeGetParams", node, [&](ApiCall& call) {
    auto* work = std::get_if<KernelNode>(&node->work);
    if (params == nullptr || work == nullptr) return cudaErrorInvalidValue;
    node->argument_pointers.clear();
    for (auto& argument : work->arguments) node->argument_pointers.push_back(argument.data());
    *params = {};
    // A launch that was captured names the kernel by its handle; programs compare with their function.
    const Kernel* const kernel = call.machine().program.find_kernel(work->launch.function);
    params->func = const_cast<void*>(kernel == nullptr ? work->launch.function : kernel->host);
    params->gridDim = work->launch.grid;
    params->blockDim = work->launch.block;
    params->sharedMemBytes = static_cast<unsigned>(work->launch.shared_bytes);
    params->kernelParams = node->argument_pointers.data();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set_call<KernelNode>("cudaGraphKernelNodeSetParams", node, params);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set_call<CopyNode>("cudaGraphMemcpyNodeSetParams", node, params);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set_call<FillNode>("cudaGraphMemsetNodeSetParams", node, params);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set_call<HostNode>("cudaGraphHostNodeSetParams", node, params);
}

}  // extern "C"
}  // namespace warpgrade::emulator
