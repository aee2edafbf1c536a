// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/graph/graphs.h"

namespace warpgrade::emulator {

// What the toolkit's descriptions of nodes ask for; an error where they ask for nothing possible.
cudaError_t to_work(ApiCall& call, const cudaKernelNodeParams* params, KernelNode& work);
cudaError_t to_work(ApiCall& call, const cudaMemcpy3DParms* params, CopyNode& work);
cudaError_t to_work(ApiCall& call, const cudaMemsetParams* params, FillNode& work);
cudaError_t to_work(ApiCall& call, const cudaHostNodeParams* params, HostNode& work);
/// Makes the bodies of a conditional node of `graph` and hands them out.
cudaError_t to_work(ApiCall& call, cudaGraph_t graph, cudaConditionalNodeParams& params,
                    ConditionalNode& work);

/// What a caller says a new node waits for.
struct NodeDependencies {
  const cudaGraphNode_t* nodes;
  size_t count;
};
/// Whether the graph, and what the node is to wait for, are some, and there is a place for the node.
bool may_add(ApiCall& call, const cudaGraphNode_t* node, cudaGraph_t graph, NodeDependencies after);
/// Adds a node; an error where the graph, or what it is to wait for, is none.
cudaError_t add_to(ApiCall& call, cudaGraphNode_t* node, cudaGraph_t graph, NodeDependencies after,
                   Work work);

/// Hands out a list the way the API does: what fits, or only its length.
cudaError_t give_nodes(const std::vector<cudaGraphNode_t>& list, cudaGraphNode_t* to, size_t* count,
                       bool only_length);

/// A copy of `count` bytes in a row.
cudaMemcpy3DParms linear_copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind);

cudaGraphNodeType type_of(const Work& work);

/// The frame of the calls that ask something about a graph.
template <class Body>
cudaError_t graph_call(const char* name, cudaGraph_t graph, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return call.machine().graphs.is_graph(graph) ? body(call) : cudaErrorInvalidValue;
  });
}

}  // namespace warpgrade::emulator
