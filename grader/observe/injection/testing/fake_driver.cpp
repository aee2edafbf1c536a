// SPDX-License-Identifier: MIT
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "observe/injection/testing/fake_state.h"

namespace warpgrade::fake {
namespace {

constexpr int kL2Bytes = 1 << 20;
constexpr size_t kLittleMemoryBytes = size_t{1} << 20;

void load_injection() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return;
  reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))();
}

void tell_of(CUpti_CallbackIdResource what, const CUpti_ResourceData* data) {
  if (state().callback != nullptr && state().domains.count(CUPTI_CB_DOMAIN_RESOURCE) != 0)
    state().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, what, data);
}

void tell_of_context(CUpti_CallbackIdResource what) {
  CUpti_ResourceData data = {};
  data.context = the_context();
  tell_of(what, &data);
}

CUresult need_context() { return state().has_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }

template <class Element>
CUresult fill(uint64_t address, Element value, size_t count, CUstream stream) {
  if (!is_device_memory(address)) return CUDA_ERROR_INVALID_VALUE;
  CUpti_ActivityMemset4 record = {};
  record.value = value;
  record.bytes = count * sizeof value;
  run_recorded(CUPTI_ACTIVITY_KIND_MEMSET, record, stream,
               [&] { std::fill_n(reinterpret_cast<Element*>(address), count, value); });
  return CUDA_SUCCESS;
}

CUresult run_kernel(const Kernel& kernel, const cuLaunchKernel_params& p, uint32_t correlation,
                    uint64_t graph_node) {
  CUpti_ActivityKernel10 record = {};
  record.name = kernel.mangled.c_str();
  record.gridX = static_cast<int>(p.gridDimX);
  record.gridY = static_cast<int>(p.gridDimY);
  record.gridZ = static_cast<int>(p.gridDimZ);
  record.blockX = static_cast<int>(p.blockDimX);
  record.blockY = static_cast<int>(p.blockDimY);
  record.blockZ = static_cast<int>(p.blockDimZ);
  record.correlationId = correlation;
  record.graphNodeId = graph_node;
  run_recorded(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, record, p.hStream,
               [&] { kernel.body(p.kernelParams); });
  return CUDA_SUCCESS;
}

}  // namespace

State& state() {
  static State& only = *new State;
  return only;
}

CUcontext the_context() { return reinterpret_cast<CUcontext>(uint64_t{0xC0}); }

uint64_t new_handle() { return state().next_handle += 16; }

uint64_t now_ns() {
  constexpr uint64_t kRealTimeNs = 1'790'000'000'000'000'000;
  if (std::getenv("FAKE_CUPTI_KEEPS_ITS_CLOCK") != nullptr) return kRealTimeNs;
  return state().clock == nullptr ? 0 : state().clock();
}

uint64_t converted_ns() {
  const uint64_t now = now_ns();
  static const uint64_t first = now;
  if (std::getenv("FAKE_CUPTI_DRIFTS") != nullptr) return now + (now - first) / 10;
  if (std::getenv("FAKE_CUPTI_HAS_A_SLOW_CLOCK") != nullptr) return first + (now - first) / 3;
  return now;
}

void make_context() {
  if (!std::exchange(state().has_context, true))
    tell_of_context(CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
}

void destroy_context() {
  tell_of_context(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  state().has_context = false;
  state().event_ns.clear();
}

bool is_device_memory(uint64_t address) {
  const std::lock_guard lock(state().mutex);
  const auto after = state().memory.upper_bound(address);
  if (after == state().memory.begin()) return false;
  const auto [start, bytes] = *std::prev(after);
  return address - start < bytes;
}

void add_kernel(const void* host_function, Kernel kernel) {
  state().kernels[host_function] = std::move(kernel);
}

void set_graph(const std::vector<const void*>& host_functions) { state().graph = host_functions; }

}  // namespace warpgrade::fake

using namespace warpgrade::fake;

extern "C" {

CUresult cuInit(unsigned) {
  if (std::exchange(state().initialized, true)) return CUDA_SUCCESS;
  state().process = ::getpid();
  std::atexit([] { state().shut_down = true; });
  load_injection();
  tell_of(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  if (state().shut_down) return CUDA_ERROR_DEINITIALIZED;
  return state().initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUresult cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE              ? kL2Bytes
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                       : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  make_context();
  *context = the_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = state().has_context ? the_context() : nullptr;
  return state().initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return need_context();
}
CUresult cuCtxSynchronize() {
  return driver_call("cuCtxSynchronize", 0, [](uint32_t) { return need_context(); });
}
CUresult cuCtxSetLimit(CUlimit, size_t) { return CUDA_ERROR_UNSUPPORTED_LIMIT; }
CUresult cuCtxResetPersistingL2Cache() { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const char* const error = std::getenv("FAKE_DRIVER_REFUSES_STREAMS"))
    return static_cast<CUresult>(std::atoi(error));
  *stream = reinterpret_cast<CUstream>(new_handle());
  return need_context();
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = state().capturing.count(reinterpret_cast<uint64_t>(stream)) != 0
                ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new_handle());
  state().event_ns[reinterpret_cast<uint64_t>(*event)] = 0;
  return need_context();
}
CUresult cuEventRecord(CUevent event, CUstream) {
  const auto found = state().event_ns.find(reinterpret_cast<uint64_t>(event));
  if (found == state().event_ns.end()) return CUDA_ERROR_INVALID_HANDLE;
  found->second = now_ns();
  return need_context();
}
CUresult cuEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  const auto from = state().event_ns.find(reinterpret_cast<uint64_t>(start));
  const auto to = state().event_ns.find(reinterpret_cast<uint64_t>(end));
  if (from == state().event_ns.end() || to == state().event_ns.end())
    return CUDA_ERROR_INVALID_HANDLE;
  *ms = static_cast<float>(to->second - from->second) / 1e6f;
  return need_context();
}
CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  if (bytes > kLittleMemoryBytes && std::getenv("FAKE_DRIVER_HAS_LITTLE_MEMORY") != nullptr)
    return CUDA_ERROR_OUT_OF_MEMORY;
  const cuMemAlloc_v2_params params{pointer, bytes};
  return driver_call("cuMemAlloc_v2", params, [&](uint32_t) {
    const std::lock_guard lock(state().mutex);
    *pointer = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
    state().memory[*pointer] = bytes;
    return need_context();
  });
}
CUresult cuMemsetD8_v2(CUdeviceptr pointer, unsigned char value, size_t bytes) {
  const cuMemsetD8_v2_params params{pointer, value, bytes};
  return driver_call("cuMemsetD8_v2", params,
                     [&](uint32_t) { return fill(pointer, value, bytes, nullptr); });
}
CUresult cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t bytes, CUstream stream) {
  const cuMemsetD8Async_params params{pointer, value, bytes, stream};
  return driver_call("cuMemsetD8Async", params,
                     [&](uint32_t) { return fill(pointer, value, bytes, stream); });
}
CUresult cuMemsetD32Async(CUdeviceptr pointer, unsigned value, size_t count, CUstream stream) {
  const cuMemsetD32Async_params params{pointer, value, count, stream};
  return driver_call("cuMemsetD32Async", params,
                     [&](uint32_t) { return fill(pointer, value, count, stream); });
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  const cuMemcpyDtoH_v2_params params{to, from, bytes};
  return driver_call("cuMemcpyDtoH_v2", params, [&](uint32_t) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  if (!is_device_memory(pointer)) return CUDA_ERROR_INVALID_VALUE;
  *static_cast<unsigned*>(value) =
      attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ? CU_MEMORYTYPE_DEVICE : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t*, size_t*) {
  return CUDA_ERROR_INVALID_HANDLE;  // As for a kernel of a library.
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  const auto& sizes = reinterpret_cast<const Kernel*>(kernel)->parameter_bytes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset =
      std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(index), size_t{0});
  *bytes = sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute, CUkernel kernel, CUdevice) {
  *value = reinterpret_cast<const Kernel*>(kernel)->static_shared_bytes;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char**, CUfunction) { return CUDA_ERROR_INVALID_HANDLE; }
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  *name = reinterpret_cast<const Kernel*>(kernel)->mangled.c_str();
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  const auto& kernel = *reinterpret_cast<const Kernel*>(function);
  const cuLaunchKernel_params params{function, grid_x,       grid_y, grid_z,    block_x, block_y,
                                     block_z,  shared_bytes, stream, arguments, extra};
  Call call(CUPTI_CB_DOMAIN_DRIVER_API, "cuLaunchKernel", &params);
  CUresult result = CUDA_SUCCESS;
  if (state().capturing.count(reinterpret_cast<uint64_t>(stream)) == 0)
    result = run_kernel(kernel, params, call.correlation(), 0);
  return static_cast<CUresult>(call.end_with(result));
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  const cuGraphLaunch_params params{graph, stream};
  return driver_call("cuGraphLaunch", params, [&](uint32_t correlation) {
    for (const void* function : state().graph) {
      cuLaunchKernel_params launch = {};
      launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
      launch.blockDimX = 32;
      launch.blockDimY = launch.blockDimZ = 1;
      run_kernel(state().kernels.at(function), launch, correlation, 1);
    }
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
