// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": nodes that allocate and free memory.
#include "emulator/runtime/graph/graph_memory.h"

#include <algorithm>
#include <set>

#include "emulator/runtime/graph/graph_nodes.h"
#include "emulator/runtime/memory/copies.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

int device_of(const AllocNode& node) { return node.params.poolProps.location.id; }

/// The frame of the calls about what graphs have allocated on a device.
template <class Body>
cudaError_t device_call(const char* name, int device, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return call.has_device(device) ? body(call.machine().pools.graphs_of(device))
                                   : cudaErrorInvalidDevice;
  });
}

/// The frame of the calls that hand out what a node was made with.
template <class Node, class Body>
cudaError_t params_call(const char* name, cudaGraphNode_t node, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.machine().graphs.is_node(node)) return cudaErrorInvalidValue;
    const auto* work = std::get_if<Node>(&node->work);
    return work == nullptr ? cudaErrorInvalidValue : body(*work);
  });
}

}  // namespace

void GraphMemory::map_for(uint64_t graph, size_t bytes) {
  if (bytes == 0) return;
  needs_[graph] = round_up(bytes, kUnitBytes);
  mapped_ = std::max(mapped_, held(graph) + needs_[graph]);
  used_high_ = std::max(used_high_, mapped_);
  reserved_high_ = std::max(reserved_high_, mapped_);
}

size_t GraphMemory::held(uint64_t graph) const {
  std::set<uint64_t> holders;
  for (const auto& [address, owner] : owners_) {
    if (owner != graph) holders.insert(owner);
  }
  size_t bytes = 0;
  for (const uint64_t holder : holders) bytes += needs_.at(holder);
  return bytes;
}

cudaError_t reserve(ApiCall& call, AllocNode& node) {
  const cudaMemPoolProps& props = node.params.poolProps;
  const bool plain = props.allocType == cudaMemAllocationTypePinned &&
                     props.handleTypes == cudaMemHandleTypeNone &&
                     props.location.type == cudaMemLocationTypeDevice;
  if (!plain || node.params.bytesize == 0) return cudaErrorInvalidValue;
  if (!call.has_device(props.location.id)) return cudaErrorInvalidDevice;
  const auto begin = call.machine().memory.reserve(props.location.id, node.params.bytesize);
  if (!begin) return cudaErrorMemoryAllocation;
  node.params.dptr = reinterpret_cast<void*>(*begin);
  node.origin = call.name();
  return cudaSuccess;
}

void map_memory(ApiCall& call, const CUgraphExec_st& graph) {
  for (int device = 0; call.has_device(device); ++device)
    call.machine().pools.graphs_of(device).map_for(graph.id, footprint(graph.order, device));
}

bool has_left_memory(ApiCall& call, const CUgraphExec_st& graph) {
  return std::any_of(graph.order.begin(), graph.order.end(), [&](const CUgraphNode_st* node) {
    const auto* const work = std::get_if<AllocNode>(&node->work);
    return work != nullptr && call.machine().memory.find(address_of(work->params.dptr)) != nullptr;
  });
}

cudaError_t run(ApiCall& call, const CUgraphExec_st& graph, const AllocNode& node) {
  const uint64_t begin = address_of(node.params.dptr);
  DeviceMemory& memory = call.machine().memory;
  if (memory.find(begin) != nullptr) return cudaErrorInvalidValue;
  const auto made = memory.allocate_at(begin, device_of(node), node.params.bytesize, node.origin);
  if (!made) return cudaErrorMemoryAllocation;
  call.machine().pools.graphs_of(device_of(node)).took(graph.id, begin);
  return cudaSuccess;
}

cudaError_t run(ApiCall& call, const FreeNode& node, const CUstream_st& stream) {
  const uint64_t begin = address_of(node.pointer);
  if (const Allocation* const freed = call.machine().memory.find(begin))
    note_existence(call, node.origin.c_str(), *freed, stream);
  const Status freed = call.machine().memory.free(begin);
  if (!freed.ok()) {
    call.find(say("memory.graph_frees",
                  {{"call", call.name()}, {"where", call.machine().memory.describe(begin)}}));
    return cudaErrorInvalidValue;
  }
  call.machine().pools.gave_back(begin);
  return cudaSuccess;
}

void free_left_over(ApiCall& call, const CUgraphExec_st& graph) {
  for (const CUgraphNode_st* node : graph.order) {
    const auto* work = std::get_if<AllocNode>(&node->work);
    if (work == nullptr) continue;
    const uint64_t begin = address_of(work->params.dptr);
    if (call.machine().memory.free(begin).ok()) call.machine().pools.gave_back(begin);
  }
}

extern "C" {

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return params_call<AllocNode>("cudaGraphMemAllocNodeGetParams", node, [&](const AllocNode& work) {
    if (params == nullptr) return cudaErrorInvalidValue;
    *params = work.params;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return params_call<FreeNode>("cudaGraphMemFreeNodeGetParams", node, [&](const FreeNode& work) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = work.pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return device_call("cudaDeviceGraphMemTrim", device, [](GraphMemory& memory) {
    memory.trim();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return device_call("cudaDeviceGetGraphMemAttribute", device, [&](const GraphMemory& memory) {
    if (value == nullptr) return cudaErrorInvalidValue;
    uint64_t& bytes = *static_cast<uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
      case cudaGraphMemAttrReservedMemCurrent:
        bytes = memory.mapped();
        return cudaSuccess;
      case cudaGraphMemAttrUsedMemHigh:
        bytes = memory.used_high();
        return cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        bytes = memory.reserved_high();
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  return device_call("cudaDeviceSetGraphMemAttribute", device, [&](GraphMemory& memory) {
    if (value == nullptr || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    if (attribute == cudaGraphMemAttrUsedMemHigh) {
      memory.reset_used_high();
      return cudaSuccess;
    }
    if (attribute != cudaGraphMemAttrReservedMemHigh) return cudaErrorInvalidValue;
    memory.reset_reserved_high();
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
