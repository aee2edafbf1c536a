// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Graph Management": user objects.
#include <algorithm>

#include "emulator/runtime/graph/graph_nodes.h"

namespace warpgrade::emulator {
namespace {

template <class Body>
cudaError_t object_call(const char* name, cudaUserObject_t object, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    return call.machine().graphs.is_object(object) ? body(call) : cudaErrorInvalidValue;
  });
}

/// The program's last reference takes its handle with it; graphs may hold the object still.
cudaError_t drop(ApiCall& call, CUuserObject_st& object, unsigned count) {
  if (count == 0 || count > object.references) return cudaErrorInvalidValue;
  object.references -= count;
  if (object.references == 0) call.machine().graphs.destroy(&object);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* handle, void* object, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return api_call("cudaUserObjectCreate", EarlierFault::if_known, [&](ApiCall& call) {
    if (handle == nullptr || destroy == nullptr || references == 0) return cudaErrorInvalidValue;
    if (flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUuserObject_st>();
    made->object = std::make_shared<UserObject>(destroy, object);
    made->references = references;
    *handle = call.machine().graphs.adopt(std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return object_call("cudaUserObjectRetain", object, [&](ApiCall&) {
    if (count == 0) return cudaErrorInvalidValue;
    object->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return object_call("cudaUserObjectRelease", object,
                     [&](ApiCall& call) { return drop(call, *object, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return object_call("cudaGraphRetainUserObject", object, [&](ApiCall& call) {
    if (!call.machine().graphs.is_graph(graph) || count == 0) return cudaErrorInvalidValue;
    graph->objects.insert(graph->objects.end(), count, object->object);
    return flags == cudaGraphUserObjectMove ? drop(call, *object, count) : cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return object_call("cudaGraphReleaseUserObject", object, [&](ApiCall& call) {
    if (!call.machine().graphs.is_graph(graph)) return cudaErrorInvalidValue;
    auto& held = graph->objects;
    if (std::count(held.begin(), held.end(), object->object) < static_cast<long>(count))
      return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; ++i)
      held.erase(std::find(held.begin(), held.end(), object->object));
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
