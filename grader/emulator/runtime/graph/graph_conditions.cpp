// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": conditional nodes and their handles. What the calls
// answer is what an H200 answers (driver 580).
#include <algorithm>

#include "emulator/runtime/graph/graph_nodes.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

bool is_size(cudaGraphConditionalNodeType type, unsigned size) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return size == 1 || size == 2;
    case cudaGraphCondTypeWhile:
      return size == 1;
    case cudaGraphCondTypeSwitch:
      return size > 0;
  }
  return false;
}

/// The handle of `graph`, or of a graph that it lies in; null where there is none.
Condition* find_condition(CUgraph_st* graph, cudaGraphConditionalHandle handle) {
  for (; graph != nullptr; graph = graph->outer) {
    const auto found = graph->conditions.find(handle);
    if (found != graph->conditions.end()) return &found->second;
  }
  return nullptr;
}

bool may_be_in_a_body(const CUgraph_st& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    switch (type_of(node->work)) {
      case cudaGraphNodeTypeKernel:
      case cudaGraphNodeTypeMemcpy:
      case cudaGraphNodeTypeMemset:
      case cudaGraphNodeTypeEmpty:
      case cudaGraphNodeTypeConditional:
        return true;
      case cudaGraphNodeTypeGraph:
        return may_be_in_a_body(*std::get<ChildNode>(node->work).graph);
      default:
        return false;
    }
  });
}

/// Calls visit(graph) for a graph and all bodies inside of it.
template <class Visit>
void for_each_graph(const CUgraph_st& graph, const Visit& visit) {
  visit(graph);
  for (const auto& node : graph.nodes) {
    const auto* const work = std::get_if<ConditionalNode>(&node->work);
    if (work == nullptr) continue;
    for (const auto& body : work->bodies) for_each_graph(*body, visit);
  }
}

/// The body that a value chooses; null for none.
const CUgraph_st* chosen(const ConditionalNode& node, uint32_t value) {
  size_t index = value;
  if (node.type == cudaGraphCondTypeIf) index = value != 0 ? 0 : 1;
  if (node.type == cudaGraphCondTypeWhile) index = value != 0 ? 0 : node.bodies.size();
  return index < node.bodies.size() ? node.bodies[index].get() : nullptr;
}

/// Whether the program's time is over; the device then fails as for a kernel without end.
bool is_over_time(ApiCall& call) {
  const auto& deadline = call.machine().deadline;
  if (!deadline || std::chrono::steady_clock::now() < *deadline) return false;
  call.find(say("limit.graph"));
  call.device().fault = cudaErrorLaunchTimeout;
  return true;
}

}  // namespace

bool has_conditional_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return type_of(node->work) == cudaGraphNodeTypeConditional;
  });
}

bool has_right_conditions(const CUgraph_st& graph) {
  bool right = true;
  for_each_graph(graph, [&](const CUgraph_st& each) {
    for (const auto& [handle, condition] : each.conditions) right = right && condition.has_node;
    if (&each != &graph) right = right && may_be_in_a_body(each);
  });
  return right;
}

void leave_condition(const CUgraphNode_st& node) {
  const auto* const work = std::get_if<ConditionalNode>(&node.work);
  Condition* const condition = work != nullptr ? find_condition(node.graph, work->handle) : nullptr;
  if (condition != nullptr) condition->has_node = false;
}

void gather_conditions(const CUgraph_st& graph, Conditions& conditions) {
  for_each_graph(graph, [&](const CUgraph_st& each) {
    for (const auto& [handle, condition] : each.conditions) conditions.try_emplace(handle, 0);
  });
}

void apply_defaults(const CUgraph_st& graph, Conditions& conditions) {
  for_each_graph(graph, [&](const CUgraph_st& each) {
    for (const auto& [handle, condition] : each.conditions) {
      if (condition.has_default) conditions[handle] = condition.default_value;
    }
  });
}

cudaError_t to_work(ApiCall& call, cudaGraph_t graph, cudaConditionalNodeParams& params,
                    ConditionalNode& work) {
  if (!call.machine().graphs.is_graph(graph)) return cudaErrorInvalidValue;
  Condition* const condition = find_condition(graph, params.handle);
  const bool is_too_deep = graph->level + 1 >= kMostGraphLevels;
  if (condition == nullptr || condition->has_node || !is_size(params.type, params.size) ||
      is_too_deep)
    return cudaErrorInvalidValue;
  condition->has_node = true;
  work.handle = params.handle;
  work.type = params.type;
  for (unsigned i = 0; i < params.size; ++i) {
    work.bodies.push_back(std::make_shared<CUgraph_st>());
    work.bodies.back()->outer = graph;
    work.handles.push_back(work.bodies.back().get());
  }
  params.phGraph_out = work.handles.data();  // which moves with the node
  return cudaSuccess;
}

cudaError_t run(ApiCall& call, CUgraphExec_st& graph, const ConditionalNode& node,
                cudaStream_t stream) {
  const std::atomic<uint32_t>& value = graph.conditions[node.handle];
  const CUgraph_st* body = chosen(node, value);
  // Kernels chose it, and what the body does the host may see. Turns of a loop that are all alike tell their number.
  call.machine().shows(sizeof value);
  std::vector<CUgraphNode_st*> order;
  if (body != nullptr && !put_in_order(*body, order)) return cudaErrorInvalidValue;
  while (body != nullptr) {
    const cudaError_t error = run_nodes(call, graph, order, stream);
    if (error != cudaSuccess || call.device().fault != cudaSuccess) return error;
    if (node.type != cudaGraphCondTypeWhile || is_over_time(call)) break;
    body = chosen(node, value);
  }
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned default_value, unsigned flags) {
  return graph_call("cudaGraphConditionalHandleCreate", graph, [&](ApiCall& call) {
    if (handle == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}))
      return cudaErrorInvalidValue;
    *handle = call.machine().graphs.next_condition();
    graph->conditions[*handle] = {default_value, flags != 0, false};
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
