// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": pitched memory, 2D and 3D copies and fills.
#include <algorithm>

#include "emulator/runtime/memory/arrays.h"

namespace warpgrade::emulator {
namespace {

/// The first byte of a box within pitched memory.
CopySide side_of(const cudaPitchedPtr& memory, const cudaPos& position) {
  const size_t slice_pitch = memory.pitch * memory.ysize;
  const size_t offset = position.z * slice_pitch + position.y * memory.pitch + position.x;
  return {reinterpret_cast<uint64_t>(memory.ptr) + offset, memory.pitch, slice_pitch};
}

void note_copy_2d(ApiCall& call, const void* dst, size_t dpitch, const void* src, size_t spitch,
                  const CopyShape& shape) {
  call.note("dst", dst);
  call.note("dpitch", dpitch);
  call.note("src", src);
  call.note("spitch", spitch);
  call.note("width", shape.width);
  call.note("height", shape.height);
}

cudaError_t copy_2d(ApiCall& call, void* dst, size_t dpitch, const void* src, size_t spitch,
                    CopyShape shape, cudaMemcpyKind kind, cudaStream_t stream) {
  note_copy_2d(call, dst, dpitch, src, spitch, shape);
  if (shape.width > dpitch || shape.width > spitch) return cudaErrorInvalidPitchValue;
  const CopySide to = {reinterpret_cast<uint64_t>(dst), dpitch, 0};
  const CopySide from = {reinterpret_cast<uint64_t>(src), spitch, 0};
  return copy(call, to, from, shape, kind, stream);
}

/// What an element of a copy's extent and positions is: an array's, where there is one, or a byte.
size_t unit_of(ApiCall& call, cudaArray_const_t handle) {
  const cudaArray* array = call.machine().textures.find(handle);
  return array == nullptr ? 1 : array->element_bytes();
}

/// One side of a 3D copy: pitched memory, or an array.
cudaError_t side_of(ApiCall& call, cudaArray_const_t array, const cudaPitchedPtr& memory,
                    cudaPos position, const CopyShape& shape, CopySide& side) {
  if ((array != nullptr) == (memory.ptr != nullptr)) return cudaErrorInvalidValue;
  if (array != nullptr) {
    position.x *= unit_of(call, array);
    return array_side(call, array, position, shape, side);
  }
  if (position.x + shape.width > memory.pitch) return cudaErrorInvalidPitchValue;
  side = side_of(memory, position);
  return cudaSuccess;
}

cudaError_t copy_3d(ApiCall& call, const cudaMemcpy3DParms* p, cudaStream_t stream) {
  if (p == nullptr) return cudaErrorInvalidValue;
  CopySide to, from;
  CopyShape shape;
  const cudaError_t error = copy_sides(call, *p, to, from, shape);
  call.note("dst", to.address);
  call.note("dpitch", to.pitch);
  call.note("src", from.address);
  call.note("spitch", from.pitch);
  call.note("width", shape.width);
  call.note("height", shape.height);
  call.note("depth", shape.depth);
  return error == cudaSuccess ? copy(call, to, from, shape, p->kind, stream) : error;
}

cudaError_t fill_2d(ApiCall& call, void* pointer, size_t pitch, int value, size_t width,
                    size_t height, cudaStream_t stream) {
  call.note("ptr", pointer);
  call.note("pitch", pitch);
  call.note("value", value);
  call.note("width", width);
  call.note("height", height);
  if (width > pitch) return cudaErrorInvalidValue;
  return fill(call, {reinterpret_cast<uint64_t>(pointer), pitch, 0}, {width, height},
              static_cast<unsigned>(value), stream);
}

cudaError_t fill_3d(ApiCall& call, const cudaPitchedPtr& memory, int value, cudaExtent extent,
                    cudaStream_t stream) {
  call.note("ptr", memory.ptr);
  call.note("pitch", memory.pitch);
  call.note("value", value);
  call.note("width", extent.width);
  call.note("height", extent.height);
  call.note("depth", extent.depth);
  if (extent.width > memory.pitch) return cudaErrorInvalidValue;
  return fill(call, side_of(memory, {}), {extent.width, extent.height, extent.depth},
              static_cast<unsigned>(value), stream);
}

/// Empty requests succeed with a null pointer and no pitch, as on a device.
cudaError_t allocate_pitched(ApiCall& call, CopyShape shape, void*& pointer, size_t& pitch) {
  pointer = nullptr;
  pitch = 0;
  if (!shape.empty()) {
    const auto allocation = call.machine().memory.allocate_pitched(
        call.device_index(), shape.width, shape.height, shape.depth, call.name());
    if (!allocation) return cudaErrorMemoryAllocation;
    call.machine().stream_races.order().order_devices({call.device_index()});
    pointer = reinterpret_cast<void*>(allocation->begin);
    pitch = allocation->pitch;
  }
  call.note("ptr", pointer);
  call.note("pitch", pitch);
  call.note("width", shape.width);
  call.note("height", shape.height);
  return cudaSuccess;
}

/// Addresses say which device they belong to.
cudaError_t copy_3d_peer(ApiCall& call, const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (p == nullptr) return cudaErrorInvalidValue;
  cudaMemcpy3DParms parameters = {};
  parameters.srcArray = p->srcArray;
  parameters.srcPos = p->srcPos;
  parameters.srcPtr = p->srcPtr;
  parameters.dstArray = p->dstArray;
  parameters.dstPos = p->dstPos;
  parameters.dstPtr = p->dstPtr;
  parameters.extent = p->extent;
  parameters.kind = cudaMemcpyDeviceToDevice;
  return copy_3d(call, &parameters, stream);
}

}  // namespace

cudaError_t copy_sides(ApiCall& call, const cudaMemcpy3DParms& p, CopySide& to, CopySide& from,
                       CopyShape& shape) {
  const size_t unit = std::max(unit_of(call, p.srcArray), unit_of(call, p.dstArray));
  shape = {p.extent.width * unit, p.extent.height, p.extent.depth};
  const cudaError_t error = side_of(call, p.dstArray, p.dstPtr, p.dstPos, shape, to);
  return error == cudaSuccess ? side_of(call, p.srcArray, p.srcPtr, p.srcPos, shape, from) : error;
}

extern "C" {

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api_call("cudaMallocPitch", EarlierFault::if_known, [&](ApiCall& call) {
    if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
    return allocate_pitched(call, {width, height}, *pointer, *pitch);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
  return api_call("cudaMalloc3D", EarlierFault::if_known, [&](ApiCall& call) {
    if (memory == nullptr) return cudaErrorInvalidValue;
    memory->xsize = extent.width;
    memory->ysize = extent.height;
    const CopyShape shape = {extent.width, extent.height, extent.depth};
    const cudaError_t result = allocate_pitched(call, shape, memory->ptr, memory->pitch);
    call.note("depth", extent.depth);
    return result;
  });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2D", EarlierFault::found, [&](ApiCall& call) {
    return copy_2d(call, dst, dpitch, src, spitch, {width, height}, kind, nullptr);
  });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api_call("cudaMemcpy2DAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return copy_2d(call, dst, dpitch, src, spitch, {width, height}, kind, stream);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return api_call("cudaMemcpy3D", EarlierFault::found,
                  [&](ApiCall& call) { return copy_3d(call, parameters, nullptr); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return api_call("cudaMemcpy3DAsync", EarlierFault::if_known,
                  [&](ApiCall& call) { return copy_3d(call, parameters, stream); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  return api_call("cudaMemcpy3DPeer", EarlierFault::found,
                  [&](ApiCall& call) { return copy_3d_peer(call, parameters, nullptr); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
  return api_call("cudaMemcpy3DPeerAsync", EarlierFault::if_known,
                  [&](ApiCall& call) { return copy_3d_peer(call, parameters, stream); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return api_call("cudaMemset2D", EarlierFault::if_known, [&](ApiCall& call) {
    return fill_2d(call, pointer, pitch, value, width, height, nullptr);
  });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return api_call("cudaMemset2DAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return fill_2d(call, pointer, pitch, value, width, height, stream);
  });
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return api_call("cudaMemset3D", EarlierFault::if_known,
                  [&](ApiCall& call) { return fill_3d(call, memory, value, extent, nullptr); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return api_call("cudaMemset3DAsync", EarlierFault::if_known,
                  [&](ApiCall& call) { return fill_3d(call, memory, value, extent, stream); });
}

}  // extern "C"
}  // namespace warpgrade::emulator
