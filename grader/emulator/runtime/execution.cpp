// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Execution Control", and what nvcc's launch stubs call.
#include <algorithm>

#include "emulator/runtime/graph/graphs.h"

namespace warpgrade::emulator {
namespace {

cudaError_t set_attribute(ApiCall& call, const LoadedKernel& kernel, cudaFuncAttribute attribute,
                          int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    const int most = call.device().model.shared_per_block_optin_bytes -
                     static_cast<int>(kernel.info->static_shared_bytes);
    if (value < 0 || value > most) return cudaErrorInvalidValue;
    kernel.kernel->dynamic_shared_limit[call.device_index()] = value;
    return cudaSuccess;
  }
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
  }
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    if (value < 0 || value > 1) return cudaErrorInvalidValue;
    kernel.kernel->takes_large_clusters = value != 0;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

bool is_cooperative(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative) return true;
  }
  return false;
}

/// CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization".
bool is_programmatic(const cudaLaunchConfig_t& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs,
                     [](const cudaLaunchAttribute& attribute) {
                       return attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                              attribute.val.programmaticStreamSerializationAllowed != 0;
                     });
}

}  // namespace

dim3 cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const auto& shape = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension) return {shape.x, shape.y, shape.z};
  }
  return {};
}

extern "C" {

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  if (kernel == nullptr) return cudaErrorInvalidValue;
  const std::lock_guard lock(machine().mutex);
  *kernel = reinterpret_cast<cudaKernel_t>(machine().program.find_kernel(host));
  return *kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  return api_call("cudaGetKernel", EarlierFault::if_known, [&](ApiCall& call) {
    if (kernel == nullptr) return cudaErrorInvalidValue;
    *kernel = reinterpret_cast<cudaKernel_t>(call.machine().program.find_kernel(host));
    return *kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host) {
  return api_call("cudaGetFuncBySymbol", EarlierFault::if_known, [&](ApiCall& call) {
    if (function == nullptr) return cudaErrorInvalidValue;
    *function = reinterpret_cast<cudaFunction_t>(call.machine().program.find_kernel(host));
    return *function != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return api_call("cudaLaunchKernel", EarlierFault::if_known, [&](ApiCall& call) {
    return launch_kernel(call, {function, grid, block, shared_bytes}, arguments, stream);
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  return api_call("cudaLaunchKernelExC", EarlierFault::if_known, [&](ApiCall& call) {
    if (config == nullptr) return cudaErrorInvalidValue;
    const KernelLaunch wanted = {function,
                                 config->gridDim,
                                 config->blockDim,
                                 config->dynamicSmemBytes,
                                 is_cooperative(*config),
                                 is_programmatic(*config),
                                 cluster_of(*config)};
    return launch_kernel(call, wanted, arguments, config->stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  return api_call("cudaLaunchCooperativeKernel", EarlierFault::if_known, [&](ApiCall& call) {
    return launch_kernel(call, {function, grid, block, shared_bytes, true}, arguments, stream);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api_call("cudaFuncGetAttributes", EarlierFault::if_known, [&](ApiCall& call) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const LoadedKernel kernel = load_kernel(call, function);
    if (kernel.error == cudaSuccess) describe_kernel(call, kernel, *attributes);
    return kernel.error;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api_call("cudaFuncSetAttribute", EarlierFault::if_known, [&](ApiCall& call) {
    const LoadedKernel kernel = load_kernel(call, function);
    if (kernel.error != cudaSuccess) return kernel.error;
    return set_attribute(call, kernel, attribute, value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return api_call("cudaFuncSetCacheConfig", EarlierFault::if_known,
                  [&](ApiCall& call) { return load_kernel(call, function).error; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return api_call("cudaFuncSetSharedMemConfig", EarlierFault::if_known,
                  [&](ApiCall& call) { return load_kernel(call, function).error; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api_call("cudaFuncGetName", EarlierFault::if_known, [&](ApiCall& call) {
    const Kernel* kernel = call.machine().program.find_kernel(function);
    if (name == nullptr || kernel == nullptr) return cudaErrorInvalidValue;
    *name = kernel->mangled.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return api_call("cudaFuncGetParamInfo", EarlierFault::if_known, [&](ApiCall& call) {
    const LoadedKernel kernel = load_kernel(call, function);
    if (kernel.error != cudaSuccess) return kernel.error;
    if (offset == nullptr || index >= kernel.info->parameters.size()) return cudaErrorInvalidValue;
    *offset = kernel.info->parameters[index].offset;
    if (size != nullptr) *size = kernel.info->parameters[index].size;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api_call("cudaLaunchHostFunc", EarlierFault::if_known, [&](ApiCall& call) {
    if (function == nullptr) return cudaErrorInvalidValue;
    CUstream_st* queue = call.stream(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (const auto why = refuse_legacy_work(call, *queue); why != cudaSuccess) return why;
    if (const auto kept = captured(*queue, HostNode{{function, data}})) return *kept;
    call.call_back([&] { host().call(function, data); });
    call_back_ended(call, *queue);
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
