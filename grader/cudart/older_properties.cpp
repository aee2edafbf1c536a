// SPDX-License-Identifier: MIT
// Structs of CUDA 11 and 12 that CUDA 13 laid out anew.
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

/// A field that CUDA 13 keeps as an attribute alone.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  warpgrade_stub_cudaDeviceGetAttribute(&value, which, device);
  return value;
}

template <class To, class From>
void copy_field(To& to, const From& from) {
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
}

template <class To, class From>
void copy_fields(To& to, const From& from) {
#define FIELD(field) copy_field(to.field, from.field);
#include "cudart/older_fields.inc"
#undef FIELD
}

cudaResourceDesc widened_resource(const void* resource) {
  cudaResourceDesc widened{};
  std::memcpy(&widened, resource, kResourceDescBytes);
  return widened;
}

}  // namespace

cudaError_t older_properties(OlderDeviceProperties& to, int device) {
  cudaDeviceProp now{};
  const cudaError_t error = warpgrade_stub_cudaGetDeviceProperties(&now, device);
  if (error != cudaSuccess) return error;
  to = {};
  copy_fields(to, now);
  to.clockRate = attribute(cudaDevAttrClockRate, device);
  to.deviceOverlap = attribute(cudaDevAttrGpuOverlap, device);
  to.kernelExecTimeoutEnabled = attribute(cudaDevAttrKernelExecTimeout, device);
  to.computeMode = attribute(cudaDevAttrComputeMode, device);
  to.maxTexture1DLinear = attribute(cudaDevAttrMaxTexture1DLinearWidth, device);
  to.memoryClockRate = attribute(cudaDevAttrMemoryClockRate, device);
  to.singleToDoublePrecisionPerfRatio =
      attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  return cudaSuccess;
}

cudaError_t create_texture(cudaTextureObject_t* to, const void* resource, const void* texture,
                           size_t texture_bytes, const void* view) {
  cudaTextureDesc how{};
  if (texture != nullptr) std::memcpy(&how, texture, texture_bytes);
  cudaResourceViewDesc seen{};
  if (view != nullptr) std::memcpy(&seen, view, kResourceViewDescBytes);
  const cudaResourceDesc of = resource == nullptr ? cudaResourceDesc{} : widened_resource(resource);
  return warpgrade_stub_cudaCreateTextureObject(to, resource == nullptr ? nullptr : &of,
                                                texture == nullptr ? nullptr : &how,
                                                view == nullptr ? nullptr : &seen);
}

cudaError_t describe_texture(void* to, size_t texture_bytes, cudaTextureObject_t texture) {
  return copy_beginning<cudaTextureDesc>(to, texture_bytes, [&](cudaTextureDesc* all) {
    return warpgrade_stub_cudaGetTextureObjectTextureDesc(all, texture);
  });
}

OLDER_CALL(cudaGetDeviceProperties, void* to, int device) {
  if (to == nullptr) return warpgrade_stub_cudaGetDeviceProperties(nullptr, device);
  OlderDeviceProperties all;
  const cudaError_t error = older_properties(all, device);
  if (error == cudaSuccess) std::memcpy(to, &all, kDevicePropertiesOf11Bytes);
  return error;
}

OLDER_CALL(cudaChooseDevice, int* device, const void* wanted) {
  if (wanted == nullptr) return warpgrade_stub_cudaChooseDevice(device, nullptr);
  OlderDeviceProperties older{};
  std::memcpy(&older, wanted, kDevicePropertiesOf11Bytes);
  cudaDeviceProp now{};
  copy_fields(now, older);
  return warpgrade_stub_cudaChooseDevice(device, &now);
}

OLDER_CALL(cudaPointerGetAttributes, void* to, const void* pointer) {
  return copy_beginning<cudaPointerAttributes>(
      to, kPointerAttributesBytes, [&](cudaPointerAttributes* all) {
        return warpgrade_stub_cudaPointerGetAttributes(all, pointer);
      });
}

OLDER_CALL(cudaCreateSurfaceObject, cudaSurfaceObject_t* to, const void* resource) {
  if (resource == nullptr) return warpgrade_stub_cudaCreateSurfaceObject(to, nullptr);
  const cudaResourceDesc of = widened_resource(resource);
  return warpgrade_stub_cudaCreateSurfaceObject(to, &of);
}

OLDER_CALL(cudaGetTextureObjectResourceDesc, void* to, cudaTextureObject_t texture) {
  return copy_beginning<cudaResourceDesc>(to, kResourceDescBytes, [&](cudaResourceDesc* all) {
    return warpgrade_stub_cudaGetTextureObjectResourceDesc(all, texture);
  });
}

OLDER_CALL(cudaGetSurfaceObjectResourceDesc, void* to, cudaSurfaceObject_t surface) {
  return copy_beginning<cudaResourceDesc>(to, kResourceDescBytes, [&](cudaResourceDesc* all) {
    return warpgrade_stub_cudaGetSurfaceObjectResourceDesc(all, surface);
  });
}

OLDER_CALL(cudaGetTextureObjectResourceViewDesc, void* to, cudaTextureObject_t texture) {
  return copy_beginning<cudaResourceViewDesc>(
      to, kResourceViewDescBytes, [&](cudaResourceViewDesc* all) {
        return warpgrade_stub_cudaGetTextureObjectResourceViewDesc(all, texture);
      });
}

}  // namespace warpgrade::cudart
