// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapters "Device Management", "Version Management", "Peer Device Memory
// Access" and "Profiler Control".
#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <cstring>

#include "emulator/runtime/api.h"
#include "emulator/runtime/device_properties.h"

namespace warpgrade::emulator {
namespace {

constexpr unsigned kDeviceFlagsMask = cudaDeviceMask;

/// How many of the properties asked for a device meets.
int count_matches(const cudaDeviceProp& wanted, const cudaDeviceProp& had) {
  int matches = 0;
  matches += wanted.major != 0 &&
             (had.major > wanted.major || (had.major == wanted.major && had.minor >= wanted.minor));
  matches += wanted.totalGlobalMem != 0 && had.totalGlobalMem >= wanted.totalGlobalMem;
  matches +=
      wanted.multiProcessorCount != 0 && had.multiProcessorCount >= wanted.multiProcessorCount;
  matches += wanted.name[0] != '\0' && std::strcmp(wanted.name, had.name) == 0;
  return matches;
}

bool is_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

/// "cudaDeviceSetLimit": devices of compute capability 9.0 and higher have no such limit.
bool is_of_earlier_devices(ApiCall& call, cudaLimit limit) {
  constexpr int kFirstWithout = 90;
  return limit == cudaLimitDevRuntimeSyncDepth && call.device().model.sm() >= kFirstWithout;
}

/// "cudaDeviceSetLimit": these are to be set before a kernel uses malloc() or printf().
bool is_fixed_by_use(ApiCall& call, cudaLimit limit) {
  // The answer tells what kernels did.
  if (limit == cudaLimitMallocHeapSize || limit == cudaLimitPrintfFifoSize)
    call.machine().shows(sizeof(cudaError_t));
  if (limit == cudaLimitMallocHeapSize) {
    const DeviceHeap* const heap = call.device().heap.get();
    return heap != nullptr && heap->is_in_use();
  }
  const std::lock_guard lock(call.machine().print_mutex);
  return limit == cudaLimitPrintfFifoSize && call.device().has_printed;
}

/// The next kernel that may call malloc finds one of the size asked for.
cudaError_t drop_heap(ApiCall& call) {
  if (call.device().heap == nullptr) return cudaSuccess;
  call.machine().waiting_kernels.finish_all(call);
  const uint64_t begin = call.device().heap->begin();
  call.device().heap.reset();
  return call.machine().memory.free(begin) ? cudaSuccess : cudaErrorUnknown;
}

std::string bus_id(ApiCall& call, int device) {
  const int number = call.machine().devices[static_cast<size_t>(device)].number;
  return fmt::format("0000:{:02X}:00.0", number + 1);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api_call("cudaGetDeviceCount", EarlierFault::ignored, [&](ApiCall& call) {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<int>(call.machine().devices.size());
    call.note("count", *count);
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api_call("cudaGetDevice", EarlierFault::ignored, [&](ApiCall& call) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = call.device_index();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api_call("cudaSetDevice", EarlierFault::ignored, [&](ApiCall& call) {
    call.note("device", device);
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    call.thread().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return api_call("cudaInitDevice", EarlierFault::ignored, [&](ApiCall& call) {
    return call.has_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api_call("cudaSetValidDevices", EarlierFault::ignored, [&](ApiCall& call) {
    if (count < 0 || (count > 0 && devices == nullptr)) return cudaErrorInvalidValue;
    for (int i = 0; i < count; ++i) {
      if (!call.has_device(devices[i])) return cudaErrorInvalidDevice;
    }
    if (count > 0) call.thread().device = devices[0];
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api_call("cudaGetDeviceProperties", EarlierFault::ignored, [&](ApiCall& call) {
    call.note("device", device);
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    const Device& asked = call.machine().devices[static_cast<size_t>(device)];
    *properties = device_properties(asked.model, asked.number);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api_call("cudaDeviceGetAttribute", EarlierFault::ignored, [&](ApiCall& call) {
    call.note("device", device);
    call.note("attribute", static_cast<int>(attribute));
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    const Device& asked = call.machine().devices[static_cast<size_t>(device)];
    const std::optional<int> found = device_attribute(asked.model, asked.number, attribute);
    if (!found) return cudaErrorInvalidValue;
    *value = *found;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api_call("cudaChooseDevice", EarlierFault::ignored, [&](ApiCall& call) {
    if (device == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    int most = -1;
    for (int i = 0; call.has_device(i); ++i) {
      const DeviceModel& model = call.machine().devices[static_cast<size_t>(i)].model;
      const int matches = count_matches(*wanted, device_properties(model, i));
      if (matches > most) {
        most = matches;
        *device = i;
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api_call("cudaDeviceSynchronize", EarlierFault::found, [](ApiCall& call) {
    call.machine().waiting_kernels.finish_on(call, call.device_index());
    call.machine().stream_races.host_waits_for_device(call.device_index());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  return api_call("cudaDeviceReset", EarlierFault::ignored, [](ApiCall& call) {
    call.machine().waiting_kernels.finish_all(call);
    call.machine().print();
    call.machine().reset(call.device_index());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api_call("cudaDeviceGetLimit", EarlierFault::if_known, [&](ApiCall& call) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!is_limit(limit) || is_of_earlier_devices(call, limit)) return cudaErrorUnsupportedLimit;
    *value = call.device().limit(limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api_call("cudaDeviceSetLimit", EarlierFault::if_known, [&](ApiCall& call) {
    if (!is_limit(limit) || is_of_earlier_devices(call, limit)) return cudaErrorUnsupportedLimit;
    if (is_fixed_by_use(call, limit)) return cudaErrorInvalidValue;
    call.device().limits[limit] = value;
    return limit == cudaLimitMallocHeapSize ? drop_heap(call) : cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api_call("cudaGetDeviceFlags", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = call.device().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api_call("cudaSetDeviceFlags", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags & ~kDeviceFlagsMask) return cudaErrorInvalidValue;
    call.device().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api_call("cudaDeviceGetCacheConfig", EarlierFault::if_known, [&](ApiCall& call) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = call.device().cache_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api_call("cudaDeviceSetCacheConfig", EarlierFault::if_known, [&](ApiCall& call) {
    call.device().cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api_call("cudaDeviceGetSharedMemConfig", EarlierFault::if_known, [&](ApiCall&) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api_call("cudaDeviceSetSharedMemConfig", EarlierFault::if_known,
                  [](ApiCall&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api_call("cudaDeviceGetStreamPriorityRange", EarlierFault::if_known, [&](ApiCall&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return api_call("cudaDeviceGetPCIBusId", EarlierFault::ignored, [&](ApiCall& call) {
    if (id == nullptr || length <= 0) return cudaErrorInvalidValue;
    if (!call.has_device(device)) return cudaErrorInvalidDevice;
    const std::string text = bus_id(call, device);
    if (text.size() >= static_cast<size_t>(length)) return cudaErrorInvalidValue;
    std::strcpy(id, text.c_str());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api_call("cudaDeviceCanAccessPeer", EarlierFault::ignored, [&](ApiCall& call) {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(device) || !call.has_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api_call("cudaDeviceEnablePeerAccess", EarlierFault::if_known, [&](ApiCall& call) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!call.has_device(peer)) return cudaErrorInvalidDevice;
    if (peer == call.device_index()) return cudaErrorPeerAccessUnsupported;
    const bool enabled = call.device().peers.insert(peer).second;
    return enabled ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api_call("cudaDeviceDisablePeerAccess", EarlierFault::if_known, [&](ApiCall& call) {
    if (!call.has_device(peer)) return cudaErrorInvalidDevice;
    return call.device().peers.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return api_call("cudaDeviceGetByPCIBusId", EarlierFault::ignored, [&](ApiCall& call) {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    const std::string_view text(id);
    for (int index = 0; call.has_device(index); ++index) {
      const std::string own = bus_id(call, index);
      // The domain may be left out.
      if (text != own && text != own.substr(own.find(':') + 1)) continue;
      *device = index;
      return cudaSuccess;
    }
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  return api_call("cudaDeviceGetP2PAttribute", EarlierFault::ignored, [&](ApiCall& call) {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!call.has_device(from) || !call.has_device(to) || from == to) return cudaErrorInvalidDevice;
    *value = attribute == cudaDevP2PAttrAccessSupported ||
             attribute == cudaDevP2PAttrNativeAtomicSupported ||
             attribute == cudaDevP2PAttrCudaArrayAccessSupported;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* format,
                                                 int device) {
  return api_call("cudaDeviceGetTexture1DLinearMaxWidth", EarlierFault::ignored,
                  [&](ApiCall& call) {
                    if (width == nullptr || format == nullptr) return cudaErrorInvalidValue;
                    if (!call.has_device(device)) return cudaErrorInvalidDevice;
                    *width = size_t{1} << 28;
                    return cudaSuccess;
                  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api_call("cudaDriverGetVersion", EarlierFault::ignored, [&](ApiCall&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = toolkit::kDriverVersion;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api_call("cudaRuntimeGetVersion", EarlierFault::ignored, [&](ApiCall&) {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = toolkit::kRuntimeVersion;
    return cudaSuccess;
  });
}

cudaError_t cudaProfilerStart() {
  return api_call("cudaProfilerStart", EarlierFault::if_known,
                  [](ApiCall&) { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return api_call("cudaProfilerStop", EarlierFault::if_known, [](ApiCall&) { return cudaSuccess; });
}

}  // extern "C"
}  // namespace warpgrade::emulator
