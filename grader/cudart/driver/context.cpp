// SPDX-License-Identifier: MIT
// CUDA Driver API: initialisation, errors, versions and contexts.
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "cudart/driver/driver.h"

namespace warpgrade::cudart::driver {
namespace {

constexpr int kMostDevices = 64;

struct Contexts {
  std::atomic<bool> initialised{false};
  std::mutex mutex;
  std::array<CUctx_st, kMostDevices> primary;
};

Contexts& contexts() {
  static auto& only = *new Contexts;
  return only;
}

std::vector<CUcontext>& stack() {
  thread_local std::vector<CUcontext> of_thread;
  return of_thread;
}

bool is_primary(CUcontext context) {
  const auto& all = contexts().primary;
  return context >= all.data() && context < all.data() + all.size();
}

bool is_device(int device) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && device >= 0 && device < count;
}

CUresult enter(CUcontext context) {
  return context == nullptr ? CUDA_SUCCESS : result_of(cudaSetDevice(context->device));
}

CUresult leave() {
  stack().pop_back();
  return stack().empty() ? CUDA_SUCCESS : enter(stack().back());
}

CUresult create(CUcontext* context, unsigned flags, CUdevice device) {
  if (const CUresult why_not = not_ready(); why_not != CUDA_SUCCESS) return why_not;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = new CUctx_st{device, flags, 0};
  stack().push_back(*context);
  return enter(*context);
}

}  // namespace

CUresult result_of(cudaError_t error) {
  if (error == cudaSuccess) return CUDA_SUCCESS;
  if (error != cudaErrorNotReady) cudaGetLastError();
  switch (error) {
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidHostPointer:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidTextureBinding:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    default:
      return static_cast<CUresult>(error);
  }
}

CUcontext primary_of(int device) {
  if (device < 0 || device >= kMostDevices) return nullptr;
  CUctx_st& context = contexts().primary[static_cast<size_t>(device)];
  context.device = device;
  return &context;
}

CUcontext current_context() {
  if (!stack().empty()) return stack().back();
  int device = 0;
  // The runtime makes the primary context current to each thread that calls it.
  const bool by_runtime = contexts().initialised && cudaGetDevice(&device) == cudaSuccess;
  CUcontext primary = by_runtime ? primary_of(device) : nullptr;
  return primary != nullptr && primary->retained > 0 ? primary : nullptr;
}

CUresult not_ready() {
  return contexts().initialised || __cudaHasStarted() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace warpgrade::cudart::driver

using namespace warpgrade::cudart::driver;

extern "C" {

CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) {
    int count = 0;
    if (const auto why_not = cudaGetDeviceCount(&count); why_not != cudaSuccess)
      return result_of(why_not);
  }
  contexts().initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  return version == nullptr ? CUDA_ERROR_INVALID_VALUE : result_of(cudaDriverGetVersion(version));
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned flags,
                        CUdevice device) {
  return create(context, flags, device);
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context) {
  if (context == nullptr || is_primary(context)) return CUDA_ERROR_INVALID_CONTEXT;
  const bool was_current = !stack().empty() && stack().back() == context;
  const CUresult result = was_current ? leave() : CUDA_SUCCESS;
  std::erase(stack(), context);
  delete context;
  return result;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  stack().push_back(context);
  return enter(context);
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack().back();
  return leave();
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (!stack().empty()) stack().pop_back();
  if (context != nullptr) stack().push_back(context);
  return stack().empty() ? CUDA_SUCCESS : enter(stack().back());
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = current_context();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return in_context([&] { return cudaGetDevice(device); });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  const CUcontext context = current_context();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = context->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION / 1000 * 1000 + 20;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  return in_context([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return in_context(
      [&] { return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxResetPersistingL2Cache() {
  return in_context([] { return cudaCtxResetPersistingL2Cache(); });
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (peer == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return in_context([&] { return cudaDeviceEnablePeerAccess(peer->device, flags); });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  if (peer == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return in_context([&] { return cudaDeviceDisablePeerAccess(peer->device); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!contexts().initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = primary_of(device);
  const std::lock_guard lock(contexts().mutex);
  ++(*context)->retained;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(contexts().mutex);
  CUctx_st& context = *primary_of(device);
  if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --context.retained;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  primary_of(device)->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = primary_of(device)->flags;
  *active = primary_of(device)->retained > 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  int current = 0;
  cudaGetDevice(&current);
  cudaSetDevice(device);
  const CUresult result = result_of(cudaDeviceReset());
  cudaSetDevice(current);
  return result;
}

CUresult cuProfilerStart() {
  return in_context([] { return cudaProfilerStart(); });
}
CUresult cuProfilerStop() {
  return in_context([] { return cudaProfilerStop(); });
}

}  // extern "C"
