// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": executable graphs.
#include "emulator/runtime/graph_nodes.h"

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

/// Takes over the work of a graph of the same shape.
bool update(CUgraphExec_st& exec, CUgraphExec_st& from) {
  if (exec.order.size() != from.order.size()) return false;
  for (size_t i = 0; i < exec.order.size(); ++i) {
    const bool same_edges = exec.order[i]->after.size() == from.order[i]->after.size();
    const bool same_type = type_of(exec.order[i]->work) == type_of(from.order[i]->work);
    if (!same_edges || !same_type) return false;
  }
  for (size_t i = 0; i < exec.order.size(); ++i) exec.order[i]->work = from.order[i]->work;
  exec.graph->conditions = from.graph->conditions;
  gather_conditions(*exec.graph, exec.conditions);
  return true;
}

cudaError_t instantiate_call(const char* name, cudaGraphExec_t* exec, cudaGraph_t graph,
                             unsigned long long flags) {
  return graph_call(name, graph, [&](ApiCall& call) {
    if (exec == nullptr) return cudaErrorInvalidValue;
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
WARPGRADE_ALSO_AS(cudaGraphInstantiateWithParams, _ptsz);

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
    return call.machine().graphs.destroy(exec) ? cudaSuccess : cudaErrorInvalidValue;
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
WARPGRADE_ALSO_AS(cudaGraphUpload, _ptsz);

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return api_call("cudaGraphLaunch", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_executable(exec)) return cudaErrorInvalidValue;
    return run(call, *exec, stream);
  });
}
WARPGRADE_ALSO_AS(cudaGraphLaunch, _ptsz);

}  // extern "C"
}  // namespace warpgrade::emulator
