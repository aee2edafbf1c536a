// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": linear memory and "Unified Addressing".
#include <fmt/format.h>

#include <cstring>

#include "emulator/runtime/api.h"
#include "emulator/runtime/graph/graphs.h"
#include "emulator/runtime/memory/copies.h"
#include "emulator/runtime/memory/managed.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

template <class T>
T* to_pointer(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

cudaError_t allocate(ApiCall& call, void** pointer, size_t size) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  call.note("ptr", *pointer);
  call.note("size", size);
  if (size == 0) return cudaSuccess;
  const auto allocation = call.machine().memory.allocate(call.device_index(), size, call.name());
  if (!allocation) return cudaErrorMemoryAllocation;
  call.machine().stream_races.order().order_devices({call.device_index()});
  *pointer = to_pointer<void>(allocation->begin);
  call.note("ptr", *pointer);
  return cudaSuccess;
}

cudaError_t allocate_host(ApiCall& call, void** pointer, size_t size,
                          HostMemory kind = HostMemory::page_locked, unsigned flags = 0) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  call.note("size", size);
  if (size == 0) return cudaSuccess;
  const auto allocation = call.machine().memory.allocate_host(size, call.name(), kind, flags);
  if (!allocation) return cudaErrorMemoryAllocation;
  *pointer = to_pointer<void>(allocation->begin);
  call.note("ptr", *pointer);
  return cudaSuccess;
}

bool is_variable(const Allocation& allocation) {
  return allocation.origin.rfind("the variable ", 0) == 0;
}

bool is_registered(const Allocation& allocation) { return allocation.origin == "cudaHostRegister"; }

/// Whether cudaFree takes it, as opposed to cudaFreeHost or cudaHostUnregister.
bool is_freed_by_free(const Allocation& allocation) {
  return allocation.device != kHostDevice ? allocation.kind != AllocationKind::symbol
                                          : allocation.origin == "cudaMallocManaged";
}

std::string when_freed(ApiCall& call) {
  const uint64_t launches = call.machine().launches;
  return launches == 0 ? fmt::format("{} before the first launch", call.name())
                       : fmt::format("{} after launch {}", call.name(), launches);
}

cudaError_t release(ApiCall& call, const void* pointer, bool wanted(const Allocation&)) {
  call.note("ptr", pointer);
  if (pointer == nullptr) return cudaSuccess;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  DeviceMemory& memory = call.machine().memory;
  const Allocation* allocation = memory.find(address);
  if (allocation != nullptr && !wanted(*allocation)) {
    call.find(say("memory.other_origin", {{"call", call.name()}, {"origin", allocation->origin}}));
    return cudaErrorInvalidValue;
  }
  const Status freed = memory.free(address, when_freed(call));
  if (freed.ok()) {
    call.machine().pools.gave_back(address);
    call.machine().hints.erase(address);
    return cudaSuccess;
  }
  call.find(
      say("memory.bad_pointer", {{"call", call.name()}, {"where", memory.describe(address)}}));
  return cudaErrorInvalidValue;
}

/// cudaFree and the like wait for all work that may use the memory.
cudaError_t release_at_once(ApiCall& call, const void* pointer, bool wanted(const Allocation&)) {
  if (pointer != nullptr) {
    call.machine().waiting_kernels.finish_all(call);
    call.machine().stream_races.host_waits_for_all();
  }
  return release(call, pointer, wanted);
}

/// To other streams, memory that begins or ends to exist is as good as written.
void note_release(ApiCall& call, const void* pointer, const CUstream_st& stream) {
  const Allocation* const freed = call.machine().memory.find(reinterpret_cast<uint64_t>(pointer));
  if (freed != nullptr) note_existence(call, call.name(), *freed, stream);
}

}  // namespace

bool is_managed(const Allocation& allocation) {
  // __managed__ variables are the only variables that lie in host memory.
  return allocation.origin == "cudaMallocManaged" ||
         (allocation.device == kHostDevice && is_variable(allocation));
}

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return api_call("cudaMalloc", EarlierFault::if_known,
                  [&](ApiCall& call) { return allocate(call, pointer, size); });
}

cudaError_t cudaFree(void* pointer) {
  return api_call("cudaFree", EarlierFault::found,
                  [&](ApiCall& call) { return release_at_once(call, pointer, is_freed_by_free); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api_call("cudaFreeAsync", EarlierFault::if_known, [&](ApiCall& call) {
    CUstream_st* queue = call.stream(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (pointer != nullptr) {
      if (const auto kept = captured(*queue, FreeNode{pointer, call.name()})) return *kept;
    }
    note_release(call, pointer, *queue);
    return release(call, pointer, is_freed_by_free);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return api_call("cudaMallocHost", EarlierFault::if_known,
                  [&](ApiCall& call) { return allocate_host(call, pointer, size); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
  return api_call("cudaHostAlloc", EarlierFault::if_known, [&](ApiCall& call) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~kKnown) return cudaErrorInvalidValue;
    return allocate_host(call, pointer, size, HostMemory::page_locked, flags);
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned flags) {
  return api_call("cudaMallocManaged", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate_host(call, pointer, size, HostMemory::managed);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api_call("cudaFreeHost", EarlierFault::found, [&](ApiCall& call) {
    return release_at_once(call, pointer, [](const Allocation& allocation) {
      return allocation.device == kHostDevice && !is_managed(allocation) &&
             !is_registered(allocation);
    });
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned flags) {
  return api_call("cudaHostRegister", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("ptr", pointer);
    call.note("size", size);
    constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
    if (pointer == nullptr || size == 0 || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    switch (call.machine().memory.register_host(reinterpret_cast<uint64_t>(pointer), size,
                                                call.name(), flags)) {
      case Registering::done:
        return cudaSuccess;
      case Registering::known:
        return cudaErrorHostMemoryAlreadyRegistered;
      case Registering::no_access:
        return cudaErrorInvalidValue;
      case Registering::no_room:
        return cudaErrorMemoryAllocation;
    }
    return cudaErrorUnknown;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api_call("cudaHostUnregister", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("ptr", pointer);
    if (pointer == nullptr) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const Allocation* allocation = call.machine().memory.find(address);
    const bool registered =
        allocation != nullptr && allocation->begin == address && is_registered(*allocation);
    if (!registered) return cudaErrorHostMemoryNotRegistered;
    call.machine().waiting_kernels.finish_all(call);
    call.machine().stream_races.host_waits_for_all();
    return call.machine().memory.free(address).ok() ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return api_call("cudaHostGetDevicePointer", EarlierFault::if_known, [&](ApiCall& call) {
    if (device == nullptr) return cudaErrorInvalidValue;
    const Allocation* allocation = call.machine().memory.find(reinterpret_cast<uint64_t>(host));
    if (allocation == nullptr || allocation->device != kHostDevice) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api_call("cudaHostGetFlags", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const Allocation* allocation = call.machine().memory.find(reinterpret_cast<uint64_t>(host));
    if (allocation == nullptr || allocation->device != kHostDevice) return cudaErrorInvalidValue;
    // Under unified addressing all of it is mapped and portable, of which an H100 with driver 580 tells the one alone.
    *flags = (allocation->host_flags & ~unsigned{cudaHostAllocPortable}) | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api_call("cudaMemGetInfo", EarlierFault::if_known, [&](ApiCall& call) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = call.machine().memory.free_bytes(call.device_index());
    *total = call.machine().memory.total_bytes(call.device_index());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api_call("cudaPointerGetAttributes", EarlierFault::if_known, [&](ApiCall& call) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    void* address = const_cast<void*>(pointer);
    std::memset(attributes, 0, sizeof *attributes);
    const Allocation* allocation = call.machine().memory.find(reinterpret_cast<uint64_t>(pointer));
    if (allocation == nullptr) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = address;
      return cudaSuccess;
    }
    const bool on_device = allocation->device != kHostDevice;
    attributes->type = on_device                 ? cudaMemoryTypeDevice
                       : is_managed(*allocation) ? cudaMemoryTypeManaged
                                                 : cudaMemoryTypeHost;
    attributes->device = on_device ? allocation->device : call.device_index();
    attributes->devicePointer = address;
    attributes->hostPointer = on_device ? nullptr : address;
    return cudaSuccess;
  });
}

cudaError_t __cudaMemGetRange(void** start, size_t* bytes, unsigned long long* id,
                              const void* address) {
  if (start == nullptr || bytes == nullptr || id == nullptr) return cudaErrorInvalidValue;
  const std::lock_guard lock(machine().mutex);
  const Allocation* found = machine().memory.find(reinterpret_cast<uint64_t>(address));
  if (found == nullptr) return cudaErrorInvalidValue;
  *start = reinterpret_cast<void*>(found->begin);
  *bytes = found->size;
  *id = found->id;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy", EarlierFault::found, [&](ApiCall& call) {
    call.note("dst", dst);
    call.note("src", src);
    call.note("count", count);
    return copy(call, linear(dst), linear(src), {count}, kind);
  });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api_call("cudaMemcpyAsync", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("dst", dst);
    call.note("src", src);
    call.note("count", count);
    return copy(call, linear(dst), linear(src), {count}, kind, stream);
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int to, const void* src, int from, size_t count) {
  return api_call("cudaMemcpyPeer", EarlierFault::found, [&](ApiCall& call) {
    call.note("dst", dst);
    call.note("src", src);
    call.note("count", count);
    if (!call.has_device(to) || !call.has_device(from)) return cudaErrorInvalidDevice;
    return copy(call, linear(dst), linear(src), {count}, cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int to, const void* src, int from, size_t count,
                                cudaStream_t stream) {
  return api_call("cudaMemcpyPeerAsync", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("dst", dst);
    call.note("src", src);
    call.note("count", count);
    if (!call.has_device(to) || !call.has_device(from)) return cudaErrorInvalidDevice;
    return copy(call, linear(dst), linear(src), {count}, cudaMemcpyDeviceToDevice, stream);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return api_call("cudaMemset", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("ptr", pointer);
    call.note("value", value);
    call.note("count", count);
    return fill(call, linear(pointer), {count}, static_cast<unsigned>(value));
  });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return api_call("cudaMemsetAsync", EarlierFault::if_known, [&](ApiCall& call) {
    call.note("ptr", pointer);
    call.note("value", value);
    call.note("count", count);
    return fill(call, linear(pointer), {count}, static_cast<unsigned>(value), stream);
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
