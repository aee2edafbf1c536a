// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": what nodes are, how they hang together, and single
// settings of them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "emulator/runtime/graph/graph_nodes.h"

namespace warpgrade::emulator {
namespace {

/// The frame of the calls about a node whose work is a `Node`: body(work).
template <class Node, class Body>
cudaError_t work_call(const char* name, cudaGraphNode_t node, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_node(node)) return cudaErrorInvalidValue;
    auto* const work = std::get_if<Node>(&node->work);
    return work == nullptr ? cudaErrorInvalidValue : body(*work);
  });
}

/// The same for the copy of the node in an executable graph: body(copy).
template <class Body>
cudaError_t copied_call(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    CUgraphNode_st* const copy = call.machine().graphs.copy_in(exec, node);
    return copy == nullptr ? cudaErrorInvalidValue : body(call, *copy);
  });
}

template <class Value>
cudaError_t give_value(Value* to, const Value& value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

cudaError_t set_event(CUgraphNode_st& node, cudaEvent_t event, bool waits) {
  auto* const work = std::get_if<EventNode>(&node.work);
  if (work == nullptr || work->waits != waits || event == nullptr) return cudaErrorInvalidValue;
  work->event = event;
  return cudaSuccess;
}

cudaError_t get_event(const char* name, cudaGraphNode_t node, cudaEvent_t* event, bool waits) {
  return work_call<EventNode>(name, node, [&](EventNode& work) {
    return work.waits == waits ? give_value(event, work.event) : cudaErrorInvalidValue;
  });
}

cudaError_t set_event(const char* name, cudaGraphNode_t node, cudaEvent_t event, bool waits) {
  return work_call<EventNode>(name, node,
                              [&](EventNode&) { return set_event(*node, event, waits); });
}

cudaError_t exec_set_event(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node,
                           cudaEvent_t event, bool waits) {
  return copied_call(name, exec, node,
                     [&](ApiCall&, CUgraphNode_st& copy) { return set_event(copy, event, waits); });
}

const char* title_of(const Work& work) {
  switch (type_of(work)) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeMemAlloc:
      return "alloc";
    case cudaGraphNodeTypeMemFree:
      return "free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "empty";
  }
}

size_t position_of(const CUgraph_st& graph, const CUgraphNode_st* node) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const auto& each) { return each.get() == node; });
  return static_cast<size_t>(found - graph.nodes.begin());
}

std::string dot_of(ApiCall& call, const CUgraph_st& graph) {
  std::string text = "digraph dot {\n";
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    const CUgraphNode_st& node = *graph.nodes[index];
    std::string label = title_of(node.work);
    if (const auto* kernel = std::get_if<KernelNode>(&node.work)) {
      const Kernel* const known = call.machine().program.find_kernel(kernel->launch.function);
      if (known != nullptr) label += "\\n" + known->mangled;
    }
    text += fmt::format("  node_{} [shape=\"box\", label=\"{}\"];\n", index, label);
    for (const CUgraphNode_st* before : node.after)
      text += fmt::format("  node_{} -> node_{};\n", position_of(graph, before), index);
  }
  return text + "}\n";
}

cudaMemcpy3DParms described(const CopyNode& work) {
  if (work.params) return *work.params;
  const auto side = [&](const CopySide& from) {
    const size_t pitch = from.pitch == 0 ? work.shape.width : from.pitch;
    return cudaPitchedPtr{reinterpret_cast<void*>(from.address), pitch, work.shape.width,
                          work.shape.height};
  };
  cudaMemcpy3DParms params = {};
  params.dstPtr = side(work.to);
  params.srcPtr = side(work.from);
  params.extent = {work.shape.width, work.shape.height, work.shape.depth};
  params.kind = work.kind;
  return params;
}

cudaMemsetParams described(const FillNode& work) {
  cudaMemsetParams params = {};
  params.dst = reinterpret_cast<void*>(work.to.address);
  params.pitch = work.to.pitch;
  params.value = work.value;
  params.elementSize = work.element_bytes;
  params.width = work.shape.width / work.element_bytes;
  params.height = work.shape.height;
  return params;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return work_call<CopyNode>("cudaGraphMemcpyNodeGetParams", node,
                             [&](CopyNode& work) { return give_value(params, described(work)); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return work_call<FillNode>("cudaGraphMemsetNodeGetParams", node,
                             [&](FillNode& work) { return give_value(params, described(work)); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return work_call<HostNode>("cudaGraphHostNodeGetParams", node,
                             [&](HostNode& work) { return give_value(params, work.function); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return work_call<ChildNode>("cudaGraphChildGraphNodeGetGraph", node,
                              [&](ChildNode& work) { return give_value(graph, work.graph.get()); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event("cudaGraphEventRecordNodeGetEvent", node, event, false);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event("cudaGraphEventWaitNodeGetEvent", node, event, true);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_event("cudaGraphEventRecordNodeSetEvent", node, event, false);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_event("cudaGraphEventWaitNodeSetEvent", node, event, true);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return exec_set_event("cudaGraphExecEventRecordNodeSetEvent", exec, node, event, false);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return exec_set_event("cudaGraphExecEventWaitNodeSetEvent", exec, node, event, true);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return copied_call("cudaGraphExecChildGraphNodeSetParams", exec, node,
                     [&](ApiCall& call, CUgraphNode_st& copy) {
                       auto* const work = std::get_if<ChildNode>(&copy.work);
                       if (work == nullptr || !call.machine().graphs.is_graph(child))
                         return cudaErrorInvalidValue;
                       if (has_conditional_nodes(*child)) return cudaErrorNotSupported;
                       std::map<const CUgraphNode_st*, CUgraphNode_st*> copy_of;
                       const ChildNode made{clone(*child, copy_of)};
                       if (!settle(*copy.graph, made)) return cudaErrorInvalidValue;
                       *work = made;
                       return cudaSuccess;
                     });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return copied_call("cudaGraphNodeSetEnabled", exec, node, [&](ApiCall&, CUgraphNode_st& copy) {
    const cudaGraphNodeType type = type_of(copy.work);
    if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemcpy &&
        type != cudaGraphNodeTypeMemset)
      return cudaErrorInvalidValue;
    copy.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return copied_call("cudaGraphNodeGetEnabled", exec, node, [&](ApiCall&, CUgraphNode_st& copy) {
    return give_value(enabled, unsigned{copy.enabled});
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t cloned) {
  return graph_call("cudaGraphNodeFindInClone", cloned, [&](ApiCall&) {
    for (const auto& node : cloned->nodes) {
      if (node->original == original) return give_value(found, node.get());
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData*, size_t* count) {
  return graph_call("cudaGraphGetEdges", graph, [&](ApiCall&) {
    if (count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> before, after;
    for (const auto& node : graph->nodes) {
      for (CUgraphNode_st* each : node->after) {
        before.push_back(each);
        after.push_back(node.get());
      }
    }
    const cudaError_t error = give_nodes(before, from, count, from == nullptr);
    return error == cudaSuccess ? give_nodes(after, to, count, to == nullptr) : error;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData*, size_t* count) {
  return api_call("cudaGraphNodeGetDependentNodes", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_node(node) || count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> list;
    for (const auto& each : node->graph->nodes) {
      if (std::find(each->after.begin(), each->after.end(), node) != each->after.end())
        list.push_back(each.get());
    }
    return give_nodes(list, nodes, count, nodes == nullptr);
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
  return graph_call("cudaGraphRemoveDependencies", graph, [&](ApiCall& call) {
    if (count != 0 && (from == nullptr || to == nullptr)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (!call.machine().graphs.is_node(to[i])) return cudaErrorInvalidValue;
      auto& after = to[i]->after;
      const auto found = std::find(after.begin(), after.end(), from[i]);
      if (found == after.end()) return cudaErrorInvalidValue;
      after.erase(found);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return graph_call("cudaGraphDebugDotPrint", graph, [&](ApiCall& call) {
    if (path == nullptr) return cudaErrorInvalidValue;
    return host().write_file(path, dot_of(call, *graph)) ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            const cudaKernelNodeAttrValue* value) {
  return work_call<KernelNode>("cudaGraphKernelNodeSetAttribute", node, [&](KernelNode& work) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (which == cudaLaunchAttributeCooperative) work.launch.cooperative = value->cooperative != 0;
    work.attributes[which] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            cudaKernelNodeAttrValue* value) {
  return work_call<KernelNode>("cudaGraphKernelNodeGetAttribute", node, [&](KernelNode& work) {
    const auto set = work.attributes.find(which);
    return give_value(value,
                      set == work.attributes.end() ? cudaKernelNodeAttrValue{} : set->second);
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst, cudaGraphNode_t src) {
  return work_call<KernelNode>("cudaGraphKernelNodeCopyAttributes", dst, [&](KernelNode& to) {
    const bool is_node = machine().graphs.is_node(src);
    const auto* const from = is_node ? std::get_if<KernelNode>(&src->work) : nullptr;
    if (from == nullptr) return cudaErrorInvalidValue;
    to.attributes = from->attributes;
    to.launch.cooperative = from->launch.cooperative;
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
