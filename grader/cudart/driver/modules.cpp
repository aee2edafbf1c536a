// SPDX-License-Identifier: MIT
// CUDA Driver API: modules, libraries, functions, launches and occupancy. A CUmodule is the runtime's library, and a
// CUfunction its kernel.
#include <cstring>
#include <vector>

#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

namespace {

cudaLibrary_t library_of(CUmodule module) { return reinterpret_cast<cudaLibrary_t>(module); }
const void* kernel_of(const void* function) { return function; }

CUresult load(CUmodule* module, const void* image) {
  if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] {
    return cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(module), image, nullptr, nullptr, 0,
                               nullptr, nullptr, 0);
  });
}

/// The arguments that a program packed into one buffer itself (`extra` of a launch).
struct Packed {
  std::byte* buffer = nullptr;
  size_t bytes = 0;
};

Packed packed_in(void** extra) {
  Packed packed;
  for (void** at = extra; at != nullptr && *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) packed.buffer = static_cast<std::byte*>(at[1]);
    if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) packed.bytes = *static_cast<size_t*>(at[1]);
  }
  return packed;
}

/// Pointers to a kernel's arguments in such a buffer; false where it is too short.
bool unpack(const void* kernel, const Packed& packed, std::vector<void*>& arguments) {
  size_t offset = 0, bytes = 0;
  for (size_t i = 0; cudaFuncGetParamInfo(kernel, i, &offset, &bytes) == cudaSuccess; ++i) {
    if (packed.buffer == nullptr || offset + bytes > packed.bytes) return false;
    arguments.push_back(packed.buffer + offset);
  }
  cudaGetLastError();
  arguments.push_back(nullptr);
  return true;
}

/// Calls `launch` with a kernel's arguments, in whichever way the program gave them.
template <class Launch>
CUresult with_arguments(const void* kernel, void** arguments, void** extra, Launch launch) {
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (arguments != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<void*> unpacked;
  if (extra != nullptr) {
    if (!unpack(kernel, packed_in(extra), unpacked)) return CUDA_ERROR_INVALID_VALUE;
    arguments = unpacked.data();
  }
  return in_context([&] { return launch(arguments); });
}

cudaLaunchConfig_t same_config(const CUlaunchConfig& config) {
  cudaLaunchConfig_t same = {};
  same.gridDim = dim3(config.gridDimX, config.gridDimY, config.gridDimZ);
  same.blockDim = dim3(config.blockDimX, config.blockDimY, config.blockDimZ);
  same.dynamicSmemBytes = config.sharedMemBytes;
  same.stream = config.hStream;
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  same.attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs);
  same.numAttrs = config.numAttrs;
  return same;
}

}  // namespace

namespace warpgrade::cudart::driver {

void clear_logs(unsigned count, const CUjit_option* options, void** values) {
  if (options == nullptr || values == nullptr) return;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_log =
        options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER;
    const bool is_size = options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
                         options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
    if (is_log && values[i] != nullptr) *static_cast<char*>(values[i]) = '\0';
    if (is_size || options[i] == CU_JIT_WALL_TIME) values[i] = nullptr;
  }
}

}  // namespace warpgrade::cudart::driver

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load(module, image); }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  clear_logs(count, options, values);
  return load(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* container) {
  return load(module, container);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return in_context([&] {
    return cudaLibraryLoadFromFile(reinterpret_cast<cudaLibrary_t*>(module), path, nullptr, nullptr,
                                   0, nullptr, nullptr, 0);
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return in_context([&] { return cudaLibraryUnload(library_of(module)); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return in_context([&] {
    return cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(function), library_of(module),
                                name);
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule module, const char* name) {
  return in_context([&] {
    return cudaLibraryGetGlobal(reinterpret_cast<void**>(pointer), bytes, library_of(module), name);
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  return load(reinterpret_cast<CUmodule*>(library), code);
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**,
                               unsigned, CUlibraryOption*, void**, unsigned) {
  return cuModuleLoad(reinterpret_cast<CUmodule*>(library), path);
}
CUresult cuLibraryUnload(CUlibrary library) {
  return cuModuleUnload(reinterpret_cast<CUmodule>(library));
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return cuModuleGetFunction(reinterpret_cast<CUfunction*>(kernel),
                             reinterpret_cast<CUmodule>(library), name);
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary library,
                            const char* name) {
  return cuModuleGetGlobal(pointer, bytes, reinterpret_cast<CUmodule>(library), name);
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaFuncAttributes all = {};
  const CUresult result =
      in_context([&] { return cudaFuncGetAttributes(&all, kernel_of(function)); });
  if (result != CUDA_SUCCESS) return result;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(all.sharedSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = static_cast<int>(all.constSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(all.localSizeBytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = all.numRegs;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = all.ptxVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = all.cacheModeCA;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = all.preferredShmemCarveout;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    return cudaFuncSetAttribute(kernel_of(function), static_cast<cudaFuncAttribute>(attribute),
                                value);
  });
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context([&] {
    return cudaFuncSetCacheConfig(kernel_of(function), static_cast<cudaFuncCache>(config));
  });
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return in_context([&] { return cudaFuncGetName(name, kernel_of(function)); });
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return in_context(
      [&] { return cudaFuncGetParamInfo(kernel_of(function), index, offset, bytes); });
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction) {
  if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  return with_arguments(kernel_of(function), arguments, extra, [&](void** all) {
    return cudaLaunchKernel(kernel_of(function), dim3(grid_x, grid_y, grid_z),
                            dim3(block_x, block_y, block_z), all, shared_bytes, stream);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void** arguments) {
  return with_arguments(kernel_of(function), arguments, nullptr, [&](void** all) {
    return cudaLaunchCooperativeKernel(kernel_of(function), dim3(grid_x, grid_y, grid_z),
                                       dim3(block_x, block_y, block_z), all, shared_bytes, stream);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = same_config(*config);
  return with_arguments(kernel_of(function), arguments, extra, [&](void** all) {
    return cudaLaunchKernelExC(&same, kernel_of(function), all);
  });
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return in_context([&] { return cudaLaunchHostFunc(stream, function, data); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared_bytes) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel_of(function), threads,
                                                         shared_bytes);
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t shared_bytes,
                                                              unsigned flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel_of(function),
                                                                  threads, shared_bytes, flags);
  });
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = same_config(*config);
  return in_context(
      [&] { return cudaOccupancyMaxActiveClusters(clusters, kernel_of(function), &same); });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function,
                                            const CUlaunchConfig* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = same_config(*config);
  return in_context(
      [&] { return cudaOccupancyMaxPotentialClusterSize(blocks, kernel_of(function), &same); });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return in_context([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, kernel_of(function), blocks, threads);
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_for, size_t shared,
                                                   int limit, unsigned flags) {
  if (grid == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int most = 0, sms = 0, best = 0, device = 0;
  CUresult result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
  if (result != CUDA_SUCCESS) return result;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  constexpr int kWarp = 32;
  const int start = limit > 0 && limit < most ? limit : most;
  for (int threads = start; threads > 0; threads = (threads - 1) / kWarp * kWarp) {
    const size_t bytes = shared_for != nullptr ? shared_for(threads) : shared;
    int blocks = 0;
    result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads, bytes,
                                                                  flags);
    if (result != CUDA_SUCCESS) return result;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * sms;
  }
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_for, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_for, shared, limit,
                                                   0);
}

}  // extern "C"
