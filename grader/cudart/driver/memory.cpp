// SPDX-License-Identifier: MIT
// CUDA Driver API: memory, and copies between addresses.
#include <cstdint>
#include <cstring>

#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

namespace {

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return in_context([&] { return cudaMemcpy(to, from, bytes, kind); });
}

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  return in_context([&] { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

// A memset of 2- or 4-byte elements; the runtime's own calls set bytes.
cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
                 size_t height, CUstream stream) {
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaGraphCreate(&graph, 0);
  if (error != cudaSuccess) return error;
  cudaMemsetParams params = {};
  params.dst = pointer(to);
  params.pitch = pitch;
  params.value = value;
  params.elementSize = element_bytes;
  params.width = width;
  params.height = height;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t ready = nullptr;
  error = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &params);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&ready, graph, 0);
  if (error == cudaSuccess) error = cudaGraphLaunch(ready, stream);
  if (ready != nullptr) cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  return error;
}

bool is_one_byte_repeated(unsigned value, unsigned bytes) {
  const unsigned low = value & 0xFF;
  for (unsigned i = 1; i < bytes; ++i) {
    if ((value >> (8 * i) & 0xFF) != low) return false;
  }
  return true;
}

CUresult set(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
             size_t height, CUstream stream, bool waits) {
  return in_context([&] {
    const bool simple = is_one_byte_repeated(value, element_bytes);
    const auto byte = static_cast<int>(value & 0xFF);
    const size_t row = width * element_bytes;
    if (simple && waits)
      return height == 1 ? cudaMemset(pointer(to), byte, row)
                         : cudaMemset2D(pointer(to), pitch, byte, row, height);
    if (simple)
      return height == 1 ? cudaMemsetAsync(pointer(to), byte, row, stream)
                         : cudaMemset2DAsync(pointer(to), pitch, byte, row, height, stream);
    return fill(to, pitch, value, element_bytes, width, height, stream);
  });
}

/// The driver's numbers of cudaMemoryType.
CUmemorytype type_of(cudaMemoryType type) {
  return type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

template <class T>
CUresult tell(void* data, T value) {
  *static_cast<T*>(data) = value;
  return CUDA_SUCCESS;
}

/// An allocation.
struct Range {
  void* start = nullptr;
  size_t bytes = 0;
  unsigned long long id = 0;
};

cudaError_t range_of(Range& range, CUdeviceptr address) {
  return __cudaMemGetRange(&range.start, &range.bytes, &range.id, pointer(address));
}

/// What the device knows of a pointer.
struct Pointer {
  cudaPointerAttributes attributes = {};
  Range range;
};

/// CUDA_ERROR_INVALID_VALUE for a pointer that the device does not know.
CUresult know(Pointer& known, CUdeviceptr address) {
  return in_context([&] {
    const cudaError_t error = cudaPointerGetAttributes(&known.attributes, pointer(address));
    return error == cudaSuccess ? range_of(known.range, address) : error;
  });
}

size_t bytes_of(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return sizeof(uint64_t);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return sizeof(bool);
    default:
      return sizeof(unsigned);
  }
}

CUresult tell_attribute(void* data, CUpointer_attribute attribute, const Pointer& known) {
  const cudaPointerAttributes& all = known.attributes;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return tell(data, primary_of(all.device));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return tell(data, type_of(all.type));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return tell(data, all.devicePointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return all.hostPointer == nullptr ? CUDA_ERROR_INVALID_VALUE : tell(data, all.hostPointer);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return tell(data, false);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return tell(data, known.range.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return tell(data, unsigned{all.type == cudaMemoryTypeManaged});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return tell(data, all.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return tell(data, known.range.start);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return tell(data, known.range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return tell(data, true);
    default:
      return refuse("cuPointerGetAttribute of this attribute");
  }
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free, total); });
}
CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] { return cudaMalloc(reinterpret_cast<void**>(address), bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                         unsigned) {
  return in_context(
      [&] { return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return in_context(
      [&] { return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags); });
}
CUresult cuMemFree(CUdeviceptr address) {
  return in_context([&] { return cudaFree(pointer(address)); });
}
CUresult cuMemAllocHost(void** memory, size_t bytes) {
  return in_context([&] { return cudaMallocHost(memory, bytes); });
}
CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostAlloc(memory, bytes, flags); });
}
CUresult cuMemFreeHost(void* memory) {
  return in_context([&] { return cudaFreeHost(memory); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned flags) {
  return in_context(
      [&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), memory, flags); });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* memory) {
  return in_context([&] { return cudaHostGetFlags(flags, memory); });
}
CUresult cuMemHostRegister(void* memory, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(memory, bytes, flags); });
}
CUresult cuMemHostUnregister(void* memory) {
  return in_context([&] { return cudaHostUnregister(memory); });
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return in_context([&] {
    return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream);
  });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return in_context([&] { return cudaFreeAsync(pointer(address), stream); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
  return in_context([&] {
    return cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties));
  });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return in_context([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return in_context([&] { return cudaMemPoolTrimTo(pool, bytes); });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return in_context([&] {
    return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return in_context([&] {
    return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
  static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
  return in_context([&] {
    return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count);
  });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return in_context([&] {
    return cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                reinterpret_cast<cudaMemLocation*>(location));
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  if (to_context == nullptr || from_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return in_context([&] {
    return cudaMemcpyPeer(pointer(to), to_context->device, pointer(from), from_context->device,
                          bytes);
  });
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  if (to_context == nullptr || from_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return in_context([&] {
    return cudaMemcpyPeerAsync(pointer(to), to_context->device, pointer(from), from_context->device,
                               bytes, stream);
  });
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return set(to, 0, value, 1, count, 1, nullptr, true);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return set(to, 0, value, 2, count, 1, nullptr, true);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return set(to, 0, value, 4, count, 1, nullptr, true);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return set(to, pitch, value, 1, width, height, nullptr, true);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return set(to, pitch, value, 4, width, height, nullptr, true);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return set(to, pitch, value, 2, width, height, nullptr, true);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return set(to, pitch, value, 1, width, height, stream, false);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return set(to, pitch, value, 2, width, height, stream, false);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return set(to, pitch, value, 4, width, height, stream, false);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return set(to, 0, value, 1, count, 1, stream, false);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return set(to, 0, value, 2, count, 1, stream, false);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return set(to, 0, value, 4, count, 1, stream, false);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned flags, CUstream stream) {
  return in_context([&] {
    const cudaMemLocation same = {static_cast<cudaMemLocationType>(location.type), location.id};
    return cudaMemPrefetchAsync(pointer(address), bytes, same, flags, stream);
  });
}
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return in_context([&] {
    const cudaMemLocation same = {static_cast<cudaMemLocationType>(location.type), location.id};
    return cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice), same);
  });
}

CUresult cuMemRangeGetAttribute(void* data, size_t bytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t count) {
  return in_context([&] {
    return cudaMemRangeGetAttribute(data, bytes, static_cast<cudaMemRangeAttribute>(attribute),
                                    pointer(address), count);
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
  Range range;
  const CUresult result = in_context([&] { return range_of(range, address); });
  if (result == CUDA_ERROR_INVALID_VALUE) return CUDA_ERROR_NOT_FOUND;
  if (result != CUDA_SUCCESS) return result;
  if (start != nullptr) *start = reinterpret_cast<CUdeviceptr>(range.start);
  if (bytes != nullptr) *bytes = range.bytes;
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Pointer known;
  const CUresult result = know(known, address);
  return result == CUDA_SUCCESS ? tell_attribute(data, attribute, known) : result;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  if (attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Pointer known;
  const CUresult result = know(known, address);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE) return result;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_told = data[i] != nullptr && result == CUDA_SUCCESS &&
                         tell_attribute(data[i], attributes[i], known) == CUDA_SUCCESS;
    // What is not known of a pointer is null, in as many bytes as the attribute has.
    if (!is_told && data[i] != nullptr) std::memset(data[i], 0, bytes_of(attributes[i]));
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
