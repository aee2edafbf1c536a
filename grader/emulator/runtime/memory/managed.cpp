// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": hints about managed memory, and what was hinted.
// Host and device share the emulated managed memory, so hints change nothing.
#include "emulator/runtime/memory/managed.h"

#include <algorithm>

#include "emulator/runtime/api.h"

namespace warpgrade::emulator {
namespace {

constexpr int kNowhere = cudaInvalidDeviceId;

int id_of(const cudaMemLocation& location) {
  if (location.type == cudaMemLocationTypeDevice) return location.id;
  return location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : kNowhere;
}

/// The hints about the managed allocation that holds the bytes, or null: as an H100 does, the calls take no other memory.
MemoryHints* hints_of(ApiCall& call, const void* pointer, size_t count) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const Allocation* const held = call.machine().memory.find(address);
  const bool fits = held != nullptr && is_managed(*held) && held->contains(address, count);
  return fits && count > 0 ? &call.machine().hints[held->begin] : nullptr;
}

bool is_present(ApiCall& call, const cudaMemLocation& location) {
  return location.type != cudaMemLocationTypeDevice ||
         (location.id >= 0 && location.id < static_cast<int>(call.machine().devices.size()));
}

cudaError_t advise(ApiCall& call, const void* pointer, size_t count, cudaMemoryAdvise advice,
                   cudaMemLocation location) {
  MemoryHints* const hints = hints_of(call, pointer, count);
  if (hints == nullptr) return cudaErrorInvalidValue;
  if (!is_present(call, location)) return cudaErrorInvalidDevice;
  const int id = id_of(location);
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      hints->read_mostly = advice == cudaMemAdviseSetReadMostly;
      return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
      hints->preferred = id;
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      hints->preferred = kNowhere;
      return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
      hints->accessed_by.insert(id);
      return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy:
      hints->accessed_by.erase(id);
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t prefetch(ApiCall& call, const void* pointer, size_t count, cudaMemLocation location) {
  MemoryHints* const hints = hints_of(call, pointer, count);
  if (hints == nullptr) return cudaErrorInvalidValue;
  if (!is_present(call, location)) return cudaErrorInvalidDevice;
  hints->prefetched = id_of(location);
  return cudaSuccess;
}

cudaError_t attribute(ApiCall& call, void* data, size_t bytes, cudaMemRangeAttribute which,
                      const void* pointer) {
  const MemoryHints* const hints = hints_of(call, pointer, 1);
  if (hints == nullptr || data == nullptr || bytes < sizeof(int)) return cudaErrorInvalidValue;
  auto* const values = static_cast<int*>(data);
  switch (which) {
    case cudaMemRangeAttributeReadMostly:
      *values = hints->read_mostly;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
      *values = hints->preferred;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
      *values = hints->prefetched;
      return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy:
      std::fill_n(values, bytes / sizeof(int), kNowhere);
      std::copy_n(hints->accessed_by.begin(),
                  std::min(hints->accessed_by.size(), bytes / sizeof(int)), values);
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return api_call("cudaMemAdvise", EarlierFault::if_known,
                  [&](ApiCall& call) { return advise(call, pointer, count, advice, location); });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, cudaMemLocation location,
                                 unsigned, cudaStream_t stream) {
  return api_call("cudaMemPrefetchAsync", EarlierFault::if_known, [&](ApiCall& call) {
    if (call.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    return prefetch(call, pointer, count, location);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                      cudaMemLocation* locations, size_t* indices,
                                      size_t locations_given, unsigned long long,
                                      cudaStream_t stream) {
  return api_call("cudaMemPrefetchBatchAsync", EarlierFault::if_known, [&](ApiCall& call) {
    if (call.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    if (pointers == nullptr || sizes == nullptr || locations_given == 0)
      return cudaErrorInvalidValue;
    size_t location = 0;
    for (size_t i = 0; i < count; ++i) {
      while (location + 1 < locations_given && indices[location + 1] <= i) ++location;
      const cudaError_t error = prefetch(call, pointers[i], sizes[i], locations[location]);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t bytes, cudaMemRangeAttribute which,
                                     const void* pointer, size_t) {
  return api_call("cudaMemRangeGetAttribute", EarlierFault::if_known,
                  [&](ApiCall& call) { return attribute(call, data, bytes, which, pointer); });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* bytes, cudaMemRangeAttribute* which,
                                      size_t attributes, const void* pointer, size_t) {
  return api_call("cudaMemRangeGetAttributes", EarlierFault::if_known, [&](ApiCall& call) {
    if (data == nullptr || bytes == nullptr || which == nullptr) return cudaErrorInvalidValue;
    for (size_t i = 0; i < attributes; ++i) {
      const cudaError_t error = attribute(call, data[i], bytes[i], which[i], pointer);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
