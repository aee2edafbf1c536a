// SPDX-License-Identifier: MIT
// CUDA Driver API: devices, errors in words, and the addresses of the driver's own functions.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

namespace {

struct DriverError {
  CUresult code;
  const char* name;
  const char* text;
};

// What the driver calls otherwise than the runtime, whose codes are the same numbers.
constexpr DriverError kErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", nullptr},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", nullptr},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", nullptr},
    {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED", nullptr},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", nullptr},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", nullptr},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", nullptr},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", nullptr},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", nullptr},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", nullptr},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", nullptr},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", nullptr},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", nullptr},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", nullptr},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", nullptr},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", nullptr},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", nullptr},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", nullptr},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT", nullptr},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", nullptr},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", nullptr},
    {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", nullptr},
    {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED", nullptr},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", nullptr},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", nullptr},
};

const DriverError* find(CUresult code) {
  const auto* const found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                         [&](const DriverError& row) { return row.code == code; });
  return found == std::end(kErrors) ? nullptr : found;
}

/// A function of this library; programs ask for names as they were before their versions.
void* function_named(const std::string& name, bool owns_default_stream) {
  Dl_info info = {};
  ::dladdr(reinterpret_cast<const void*>(&find), &info);
  void* const self = ::dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_NOW);
  void* found = nullptr;
  for (const char* const version : {"_v4", "_v3", "_v2", ""}) {
    for (const char* const suffix : {"_ptsz", "_ptds", ""}) {
      const bool is_wanted = owns_default_stream || *suffix == '\0';
      if (found == nullptr && self != nullptr && is_wanted)
        found = ::dlsym(self, (name + version + suffix).c_str());
    }
  }
  if (self != nullptr) ::dlclose(self);
  return found;
}

CUresult properties_of(CUdevice device, cudaDeviceProp& properties) {
  const CUresult why_not = not_ready();
  return why_not != CUDA_SUCCESS ? why_not
                                 : result_of(cudaGetDeviceProperties(&properties, device));
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const DriverError* const row = find(error);
  // The runtime hears that the program looks at what went wrong.
  const char* const runtimes = cudaGetErrorName(static_cast<cudaError_t>(error));
  *name = row != nullptr ? row->name : runtimes;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const DriverError* const row = find(error);
  const char* const runtimes = cudaGetErrorString(static_cast<cudaError_t>(error));
  *text = row != nullptr && row->text != nullptr ? row->text : runtimes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  const CUresult why_not = not_ready();
  return why_not != CUDA_SUCCESS ? why_not : result_of(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  int count = 0;
  const CUresult counted = cuDeviceGetCount(&count);
  if (counted != CUDA_SUCCESS) return counted;
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  cudaDeviceProp properties;
  const CUresult result = properties_of(device, properties);
  if (result != CUDA_SUCCESS) return result;
  if (name == nullptr || bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
  const size_t length = std::min(std::strlen(properties.name), static_cast<size_t>(bytes) - 1);
  std::memcpy(name, properties.name, length);
  name[length] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  cudaDeviceProp properties;
  const CUresult result = properties_of(device, properties);
  if (result == CUDA_SUCCESS && bytes != nullptr) *bytes = properties.totalGlobalMem;
  return result;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  cudaDeviceProp properties;
  const CUresult result = properties_of(device, properties);
  if (result == CUDA_SUCCESS && uuid != nullptr) *uuid = properties.uuid;
  return result;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult why_not = not_ready();
  if (why_not != CUDA_SUCCESS) return why_not;
  return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult result =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

CUresult cuDeviceGetPCIBusId(char* id, int bytes, CUdevice device) {
  return result_of(cudaDeviceGetPCIBusId(id, bytes, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return result_of(cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return result_of(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  return result_of(
      cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return result_of(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return result_of(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return result_of(cudaDeviceSetMemPool(device, pool));
}

// Libraries ask for tables that no documentation has, and do without them.
CUresult cuGetExportTable(const void**, const CUuuid*) { return CUDA_ERROR_NOT_SUPPORTED; }

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = function_named(symbol, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0);
  const bool found = *function != nullptr;
  if (status != nullptr)
    *status = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"
