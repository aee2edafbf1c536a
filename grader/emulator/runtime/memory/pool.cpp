// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Stream Ordered Memory Allocator".
#include "emulator/runtime/graph/graphs.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// The address is known at once, the memory is there when the graph runs.
cudaError_t allocate_captured(ApiCall& call, void** pointer, size_t size,
                              const CUmemPoolHandle_st& pool, CUstream_st& stream) {
  AllocNode node;
  node.params.poolProps.allocType = cudaMemAllocationTypePinned;
  node.params.poolProps.location = {cudaMemLocationTypeDevice, {pool.device}};
  node.params.bytesize = size;
  const cudaError_t error = reserve(call, node);
  if (error != cudaSuccess) return error;
  *pointer = node.params.dptr;
  call.note("ptr", *pointer);
  return captured(stream, node).value_or(cudaSuccess);
}

cudaError_t allocate(ApiCall& call, void** pointer, size_t size, cudaMemPool_t handle,
                     cudaStream_t stream) {
  CUstream_st* queue = call.stream(stream);
  if (queue == nullptr) return cudaErrorInvalidResourceHandle;
  CUmemPoolHandle_st* pool = call.machine().pools.find(handle);
  if (pointer == nullptr || pool == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  call.note("ptr", *pointer);
  call.note("size", size);
  if (size == 0) return cudaSuccess;
  if (queue->capture != nullptr) return allocate_captured(call, pointer, size, *pool, *queue);
  const auto allocation = call.machine().memory.allocate(pool->device, size, call.name());
  if (!allocation) return cudaErrorMemoryAllocation;
  *pointer = reinterpret_cast<void*>(allocation->begin);
  call.machine().memory.share(allocation->begin, pool->readers);
  call.machine().pools.took(*pool, allocation->begin, size);
  note_existence(call, call.name(), *allocation, *queue);
  call.note("ptr", *pointer);
  return cudaSuccess;
}

/// The frame of the calls that work on one pool.
template <class Body>
cudaError_t pool_call(const char* name, cudaMemPool_t handle, Body body) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    CUmemPoolHandle_st* pool = call.machine().pools.find(handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(call, *pool);
  });
}

bool is_reuse_setting(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

bool is_attribute(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolAttrUsedMemHigh;
}

uint64_t attribute_of(const CUmemPoolHandle_st& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
      return pool.reserved;
    case cudaMemPoolAttrUsedMemCurrent:
      return pool.used;
    case cudaMemPoolAttrReservedMemHigh:
      return pool.reserved_high;
    case cudaMemPoolAttrUsedMemHigh:
      return pool.used_high;
    default: {
      const auto set = pool.settings.find(attribute);
      return set != pool.settings.end() ? set->second : uint64_t{is_reuse_setting(attribute)};
    }
  }
}

/// The flags of reuse are ints, the rest 64 bits wide.
void store(cudaMemPoolAttr attribute, uint64_t value, void* to) {
  if (is_reuse_setting(attribute)) {
    *static_cast<int*>(to) = static_cast<int>(value);
  } else {
    *static_cast<uint64_t*>(to) = value;
  }
}

/// As an H200 answers (driver 580).
cudaError_t check_access(ApiCall& call, const CUmemPoolHandle_st& pool,
                         const cudaMemAccessDesc& wanted) {
  if (wanted.location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (!call.has_device(wanted.location.id)) return cudaErrorInvalidDevice;
  if (wanted.flags == cudaMemAccessFlagsProtRead) return cudaErrorNotSupported;
  if (wanted.flags == cudaMemAccessFlagsProtReadWrite) return cudaSuccess;
  if (wanted.flags != cudaMemAccessFlagsProtNone) return cudaErrorInvalidValue;
  // The pool's own device keeps its access.
  return wanted.location.id == pool.device ? cudaErrorInvalidDevice : cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return api_call("cudaMallocAsync", EarlierFault::if_known, [&](ApiCall& call) {
    const cudaMemPool_t pool = call.machine().pools.current_of(call.device_index());
    return allocate(call, pointer, size, pool, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return api_call("cudaMallocFromPoolAsync", EarlierFault::if_known,
                  [&](ApiCall& call) { return allocate(call, pointer, size, pool, stream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api_call("cudaDeviceGetDefaultMemPool", EarlierFault::if_known, [&](ApiCall& call) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    *pool = call.machine().pools.default_of(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api_call("cudaDeviceGetMemPool", EarlierFault::if_known, [&](ApiCall& call) {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    *pool = call.machine().pools.current_of(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return pool_call("cudaDeviceSetMemPool", pool, [&](ApiCall& call, CUmemPoolHandle_st& found) {
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    if (found.device != device) return cudaErrorInvalidValue;
    call.machine().pools.make_current(device, pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api_call("cudaMemPoolCreate", EarlierFault::if_known, [&](ApiCall& call) {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    const bool plain = properties->allocType == cudaMemAllocationTypePinned &&
                       properties->handleTypes == cudaMemHandleTypeNone &&
                       properties->location.type == cudaMemLocationTypeDevice;
    if (!plain) {
      call.find(say("unsupported.pool"));
      return cudaErrorNotSupported;
    }
    if (!call.has_device(properties->location.id)) return cudaErrorInvalidDevice;
    *pool = call.machine().pools.create(properties->location.id);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api_call("cudaMemPoolDestroy", EarlierFault::if_known, [&](ApiCall& call) {
    return call.machine().pools.destroy(pool) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept) {
  return pool_call("cudaMemPoolTrimTo", pool, [&](ApiCall&, CUmemPoolHandle_st& found) {
    found.trim(kept);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return pool_call("cudaMemPoolSetAttribute", pool, [&](ApiCall&, CUmemPoolHandle_st& found) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const bool used = attribute == cudaMemPoolAttrUsedMemHigh;
    if (used || attribute == cudaMemPoolAttrReservedMemHigh) {
      if (*static_cast<const uint64_t*>(value) != 0) return cudaErrorInvalidValue;
      (used ? found.used_high : found.reserved_high) = used ? found.used : found.reserved;
    } else if (is_reuse_setting(attribute)) {
      found.settings[attribute] = static_cast<uint64_t>(*static_cast<const int*>(value));
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      found.settings[attribute] = *static_cast<const uint64_t*>(value);
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return pool_call("cudaMemPoolGetAttribute", pool, [&](ApiCall&, CUmemPoolHandle_st& found) {
    if (value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
    store(attribute, attribute_of(found, attribute), value);
    return cudaSuccess;
  });
}

// Peer access between the devices (cudaDeviceEnablePeerAccess) changes nothing about pools.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* wanted,
                                 size_t count) {
  return pool_call("cudaMemPoolSetAccess", pool, [&](ApiCall& call, CUmemPoolHandle_st& found) {
    if (wanted == nullptr && count != 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaError_t error = check_access(call, found, wanted[i]);
      if (error != cudaSuccess) return error;
    }
    for (size_t i = 0; i < count; ++i) {
      const int device = wanted[i].location.id;
      if (wanted[i].flags == cudaMemAccessFlagsProtNone) {
        found.readers->erase(device);
      } else if (device != found.device) {
        found.readers->insert(device);
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return pool_call("cudaMemPoolGetAccess", pool, [&](ApiCall& call, CUmemPoolHandle_st& found) {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    const bool on_device = location->type == cudaMemLocationTypeDevice;
    if (on_device && !call.has_device(location->id)) return cudaErrorInvalidValue;
    const bool may =
        on_device && (location->id == found.device || found.readers->count(location->id) != 0);
    *flags = may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
