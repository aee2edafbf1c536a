// SPDX-License-Identifier: MIT
#include "emulator/runtime/device_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpgrade::emulator {
namespace {

constexpr int kTexturePitchAlignment = 32;
constexpr int kTexture1DLinear = 268435456;
constexpr int kConstantBytes = 64 * 1024;
constexpr int kMaxPitchBytes = 2147483647;

template <size_t N>
void set(int (&to)[N], const int (&from)[N]) {
  std::copy(from, from + N, to);
}

// Equal on every device of the table (Programming Guide, technical specifications).
void set_texture_limits(cudaDeviceProp& p) {
  p.maxTexture1D = 131072;
  p.maxTexture1DMipmap = 32768;
  set(p.maxTexture2D, {131072, 65536});
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  p.maxTextureCubemap = 32768;
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  set(p.maxTextureCubemapLayered, {32768, 2046});
  p.maxSurface1D = 32768;
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  p.maxSurfaceCubemap = 32768;
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
  p.textureAlignment = kTextureAlignment;
  p.texturePitchAlignment = kTexturePitchAlignment;
  p.surfaceAlignment = kTextureAlignment;
}

void set_execution_limits(cudaDeviceProp& p, const DeviceModel& model) {
  p.regsPerBlock = kRegistersPerSm;
  p.regsPerMultiprocessor = kRegistersPerSm;
  p.warpSize = kWarpSize;
  p.maxThreadsPerBlock = kMaxThreadsPerBlock;
  set(p.maxThreadsDim, {kMaxBlockX, kMaxBlockY, kMaxBlockZ});
  set(p.maxGridSize, {int{kMaxGridX}, int{kMaxGridY}, int{kMaxGridZ}});
  p.multiProcessorCount = model.sm_count;
  p.maxThreadsPerMultiProcessor = model.threads_per_sm;
  p.maxBlocksPerMultiProcessor = model.blocks_per_sm;
  p.clusterLaunch = model.sm() >= 90 ? 1 : 0;
  p.sharedMemPerBlock = kSharedPerBlockBytes;
  p.sharedMemPerMultiprocessor = static_cast<size_t>(model.shared_per_sm_bytes);
  p.sharedMemPerBlockOptin = static_cast<size_t>(model.shared_per_block_optin_bytes);
  p.reservedSharedMemPerBlock = static_cast<size_t>(model.shared_reserved_bytes);
}

void set_memory(cudaDeviceProp& p, const DeviceModel& model) {
  p.totalGlobalMem = model.memory_bytes;
  p.totalConstMem = kConstantBytes;
  p.memPitch = kMaxPitchBytes;
  p.memoryBusWidth = model.memory_bus_bits;
  p.l2CacheSize = model.l2_bytes;
  p.persistingL2CacheMaxSize = model.major >= 8 ? model.l2_bytes / 8 * 5 : 0;
  p.accessPolicyMaxWindowSize = model.major >= 8 ? 128 << 20 : 0;
  p.ECCEnabled = model.has_ecc;
}

void set_features(cudaDeviceProp& p) {
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.hostRegisterSupported = 1;
  p.deviceNumaId = -1;
}

}  // namespace

std::string uuid_of_device(int index) {
  return fmt::format("GPU-{:02x}000000-0000-0000-0000-000000000000", index + 1);
}

cudaDeviceProp device_properties(const DeviceModel& model, int index) {
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  model.product_name.copy(p.name, sizeof p.name - 1);
  p.uuid.bytes[0] = static_cast<char>(index + 1);
  p.major = model.major;
  p.minor = model.minor;
  p.pciBusID = index + 1;
  set_execution_limits(p, model);
  set_memory(p, model);
  set_texture_limits(p);
  set_features(p);
  return p;
}

// NOLINTNEXTLINE(readability-function-size): a dispatcher, one line an attribute
std::optional<int> device_attribute(const DeviceModel& model, int index, cudaDeviceAttr attribute) {
  const cudaDeviceProp p = device_properties(model, index);
  // clang-format off
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
    case cudaDevAttrWarpSize: return p.warpSize;
    case cudaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
    case cudaDevAttrClockRate: return model.clock_khz;
    case cudaDevAttrTextureAlignment: return static_cast<int>(p.textureAlignment);
    case cudaDevAttrGpuOverlap: return 1;
    case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
    case cudaDevAttrKernelExecTimeout: return 0;
    case cudaDevAttrIntegrated: return p.integrated;
    case cudaDevAttrCanMapHostMemory: return p.canMapHostMemory;
    case cudaDevAttrComputeMode: return cudaComputeModeDefault;
    case cudaDevAttrMaxTexture1DWidth: return p.maxTexture1D;
    case cudaDevAttrMaxTexture2DWidth: return p.maxTexture2D[0];
    case cudaDevAttrMaxTexture2DHeight: return p.maxTexture2D[1];
    case cudaDevAttrMaxTexture3DWidth: return p.maxTexture3D[0];
    case cudaDevAttrMaxTexture3DHeight: return p.maxTexture3D[1];
    case cudaDevAttrMaxTexture3DDepth: return p.maxTexture3D[2];
    case cudaDevAttrSurfaceAlignment: return static_cast<int>(p.surfaceAlignment);
    case cudaDevAttrConcurrentKernels: return p.concurrentKernels;
    case cudaDevAttrEccEnabled: return p.ECCEnabled;
    case cudaDevAttrPciBusId: return p.pciBusID;
    case cudaDevAttrPciDeviceId: return p.pciDeviceID;
    case cudaDevAttrPciDomainId: return p.pciDomainID;
    case cudaDevAttrTccDriver: return p.tccDriver;
    case cudaDevAttrMemoryClockRate: return model.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
    case cudaDevAttrL2CacheSize: return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount: return p.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing: return p.unifiedAddressing;
    case cudaDevAttrTexturePitchAlignment: return static_cast<int>(p.texturePitchAlignment);
    case cudaDevAttrComputeCapabilityMajor: return p.major;
    case cudaDevAttrComputeCapabilityMinor: return p.minor;
    case cudaDevAttrStreamPrioritiesSupported: return p.streamPrioritiesSupported;
    case cudaDevAttrGlobalL1CacheSupported: return p.globalL1CacheSupported;
    case cudaDevAttrLocalL1CacheSupported: return p.localL1CacheSupported;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
    case cudaDevAttrManagedMemory: return p.managedMemory;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return model.sm() == 70 || model.sm() == 80 || model.sm() == 90 ? 2 : model.sm() == 75 ? 32 : 64;
    case cudaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
    case cudaDevAttrComputePreemptionSupported: return p.computePreemptionSupported;
    case cudaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
    case cudaDevAttrClusterLaunch: return p.clusterLaunch;
    case cudaDevAttrMemoryPoolsSupported: return p.memoryPoolsSupported;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrHostRegisterSupported: return p.hostRegisterSupported;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrMaxPersistingL2CacheSize: return p.persistingL2CacheMaxSize;
    case cudaDevAttrMaxAccessPolicyWindowSize: return p.accessPolicyMaxWindowSize;
    case cudaDevAttrReservedSharedMemoryPerBlock: return static_cast<int>(p.reservedSharedMemPerBlock);
    case cudaDevAttrNumaId: return p.deviceNumaId;
    case cudaDevAttrMaxTexture2DLayeredWidth: return p.maxTexture2DLayered[0];
    case cudaDevAttrMaxTexture2DLayeredHeight: return p.maxTexture2DLayered[1];
    case cudaDevAttrMaxTexture2DLayeredLayers: return p.maxTexture2DLayered[2];
    case cudaDevAttrMaxTexture1DLayeredWidth: return p.maxTexture1DLayered[0];
    case cudaDevAttrMaxTexture1DLayeredLayers: return p.maxTexture1DLayered[1];
    case cudaDevAttrMaxTexture2DGatherWidth: return p.maxTexture2DGather[0];
    case cudaDevAttrMaxTexture2DGatherHeight: return p.maxTexture2DGather[1];
    case cudaDevAttrMaxTexture3DWidthAlt: return p.maxTexture3DAlt[0];
    case cudaDevAttrMaxTexture3DHeightAlt: return p.maxTexture3DAlt[1];
    case cudaDevAttrMaxTexture3DDepthAlt: return p.maxTexture3DAlt[2];
    case cudaDevAttrMaxTextureCubemapWidth: return p.maxTextureCubemap;
    case cudaDevAttrMaxTextureCubemapLayeredWidth: return p.maxTextureCubemapLayered[0];
    case cudaDevAttrMaxTextureCubemapLayeredLayers: return p.maxTextureCubemapLayered[1];
    case cudaDevAttrMaxSurface1DWidth: return p.maxSurface1D;
    case cudaDevAttrMaxSurface2DWidth: return p.maxSurface2D[0];
    case cudaDevAttrMaxSurface2DHeight: return p.maxSurface2D[1];
    case cudaDevAttrMaxSurface3DWidth: return p.maxSurface3D[0];
    case cudaDevAttrMaxSurface3DHeight: return p.maxSurface3D[1];
    case cudaDevAttrMaxSurface3DDepth: return p.maxSurface3D[2];
    case cudaDevAttrMaxSurface1DLayeredWidth: return p.maxSurface1DLayered[0];
    case cudaDevAttrMaxSurface1DLayeredLayers: return p.maxSurface1DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredWidth: return p.maxSurface2DLayered[0];
    case cudaDevAttrMaxSurface2DLayeredHeight: return p.maxSurface2DLayered[1];
    case cudaDevAttrMaxSurface2DLayeredLayers: return p.maxSurface2DLayered[2];
    case cudaDevAttrMaxSurfaceCubemapWidth: return p.maxSurfaceCubemap;
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth: return p.maxSurfaceCubemapLayered[0];
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers: return p.maxSurfaceCubemapLayered[1];
    case cudaDevAttrMaxTexture2DLinearWidth: return p.maxTexture2DLinear[0];
    case cudaDevAttrMaxTexture2DLinearHeight: return p.maxTexture2DLinear[1];
    case cudaDevAttrMaxTexture2DLinearPitch: return p.maxTexture2DLinear[2];
    case cudaDevAttrMaxTexture2DMipmappedWidth: return p.maxTexture2DMipmap[0];
    case cudaDevAttrMaxTexture2DMipmappedHeight: return p.maxTexture2DMipmap[1];
    case cudaDevAttrMaxTexture1DMipmappedWidth: return p.maxTexture1DMipmap;
    case cudaDevAttrMaxTexture1DLinearWidth: return kTexture1DLinear;
    default: break;
  }
  // clang-format on
  // What is left are features that the emulated device does not have.
  const bool known = attribute > 0 && attribute < cudaDevAttrMax;
  return known ? std::optional<int>(0) : std::nullopt;
}

}  // namespace warpgrade::emulator
