// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": executable graphs.
#include "emulator/runtime/graph/graph_nodes.h"

namespace warpgrade::emulator {
namespace {

/// The same for the copy of a node that an executable graph has.
template <class Node, class Params>
cudaError_t exec_set_call(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node,
                          const Params* params) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    CUgraphNode_st* const copy = call.machine().graphs.copy_in(exec, node);
    if (copy == nullptr || !std::holds_alternative<Node>(copy->work)) return cudaErrorInvalidValue;
    return to_work(call, params, std::get<Node>(copy->work));
  });
}

using Order = std::vector<CUgraphNode_st*>;

/// Calls visit(order in a, order in b) for the bodies of two conditional nodes, while it is true.
template <class Visit>
bool for_bodies(const Work& a, const Work& b, const Visit& visit) {
  const auto *to = std::get_if<ConditionalNode>(&a), *from = std::get_if<ConditionalNode>(&b);
  if (to == nullptr || from == nullptr) return true;
  if (to->type != from->type || to->bodies.size() != from->bodies.size()) return false;
  for (size_t i = 0; i < to->bodies.size(); ++i) {
    Order to_order, from_order;
    if (!put_in_order(*to->bodies[i], to_order) || !put_in_order(*from->bodies[i], from_order) ||
        !visit(to_order, from_order))
      return false;
  }
  return true;
}

bool have_same_shape(const Order& a, const Order& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same_edges = a[i]->after.size() == b[i]->after.size();
    const bool same_type = type_of(a[i]->work) == type_of(b[i]->work);
    if (!same_edges || !same_type || !for_bodies(a[i]->work, b[i]->work, have_same_shape))
      return false;
  }
  return true;
}

/// Bodies of conditional nodes stay, since the program may name their nodes; their work changes.
bool take_over(const Order& to, const Order& from) {
  for (size_t i = 0; i < to.size(); ++i) {
    auto* const conditional = std::get_if<ConditionalNode>(&to[i]->work);
    if (conditional == nullptr) {
      to[i]->work = from[i]->work;
      continue;
    }
    conditional->handle = std::get<ConditionalNode>(from[i]->work).handle;
    for_bodies(to[i]->work, from[i]->work, take_over);
  }
  return true;
}

/// Takes over the work of a graph of the same shape.
bool update(CUgraphExec_st& exec, const CUgraphExec_st& from) {
  if (!have_same_shape(exec.order, from.order)) return false;
  take_over(exec.order, from.order);
  exec.graph->conditions = from.graph->conditions;
  for (const auto& [handle, value] : from.conditions) exec.conditions.try_emplace(handle, 0);
  return true;
}

cudaError_t instantiate_call(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph,
                             unsigned long long flags) {
  return graph_call(name, graph, [&](ApiCall& call) {
    constexpr unsigned long long kKnown =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    if (exec == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    // The values of its conditions exist once.
    if (has_conditional_nodes(*graph) && call.machine().graphs.instance_of(*graph) != nullptr)
      return cudaErrorNotSupported;
    std::unique_ptr<CUgraphExec_st> made = instantiate(*graph);
    if (made == nullptr) return cudaErrorInvalidValue;
    made->frees_first = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    made->flags = flags;
    *exec = call.machine().graphs.adopt(std::move(made));
    if (flags & cudaGraphInstantiateFlagUpload) map_memory(call, **exec);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return instantiate_call("cudaGraphInstantiate", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate_call("cudaGraphInstantiateWithFlags", exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error =
      instantiate_call("cudaGraphInstantiateWithParams", exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return api_call("cudaGraphExecGetFlags", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags == nullptr || !call.machine().graphs.is_executable(exec))
      return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api_call("cudaGraphExecDestroy", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_executable(exec)) return cudaErrorInvalidValue;
    call.machine().stream_races.order().forget_event(end_event(*exec));
    call.machine().graphs.destroy(exec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return exec_set_call<KernelNode>("cudaGraphExecKernelNodeSetParams", exec, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return exec_set_call<CopyNode>("cudaGraphExecMemcpyNodeSetParams", exec, node, params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void* dst, const void* src, size_t bytes,
                                               cudaMemcpyKind kind) {
  const cudaMemcpy3DParms params = linear_copy(dst, src, bytes, kind);
  return exec_set_call<CopyNode>("cudaGraphExecMemcpyNodeSetParams1D", exec, node, &params);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return exec_set_call<FillNode>("cudaGraphExecMemsetNodeSetParams", exec, node, params);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return exec_set_call<HostNode>("cudaGraphExecHostNodeSetParams", exec, node, params);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return graph_call("cudaGraphExecUpdate", graph, [&](ApiCall& call) {
    if (!call.machine().graphs.is_executable(exec)) return cudaErrorInvalidValue;
    const std::unique_ptr<CUgraphExec_st> from = instantiate(*graph);
    const bool done = from != nullptr && update(*exec, *from);
    if (info != nullptr) {
      *info = {};
      info->result = done ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    return done ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return api_call("cudaGraphUpload", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_executable(exec)) return cudaErrorInvalidValue;
    map_memory(call, *exec);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return api_call("cudaGraphLaunch", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_executable(exec)) return cudaErrorInvalidValue;
    return run(call, *exec, stream);
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
