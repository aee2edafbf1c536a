// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": arrays and copies to and from them.
#include "emulator/runtime/memory/arrays.h"

#include <algorithm>
#include <bit>

#include "emulator/runtime/device_properties.h"

namespace warpgrade::emulator {
namespace {

bool is_format(const cudaChannelFormatDesc& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  int channels = 0;
  for (int i = 0; i < 4; ++i) {
    if (bits[i] == 0) continue;
    const bool follows = i == channels && bits[i] == bits[0];
    if (!follows || (bits[i] != 8 && bits[i] != 16 && bits[i] != 32)) return false;
    ++channels;
  }
  const bool floats = format.f == cudaChannelFormatKindFloat;
  const bool kind = floats || format.f == cudaChannelFormatKindSigned ||
                    format.f == cudaChannelFormatKindUnsigned;
  return kind && (channels == 1 || channels == 2 || channels == 4) && !(floats && bits[0] == 8);
}

bool is_shape(const cudaExtent& extent, unsigned flags) {
  const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
  if (extent.width == 0) return false;
  if (cube) {
    const bool faces = layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6;
    return extent.width == extent.height && faces;
  }
  return layered ? extent.depth != 0 : extent.depth == 0 || extent.height != 0;
}

/// The array that was asked for, without memory.
cudaError_t describe(ApiCall& call, const cudaChannelFormatDesc* format, cudaExtent extent,
                     unsigned flags, cudaArray& array) {
  constexpr unsigned kKnown =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if (format == nullptr || (flags & ~kKnown)) return cudaErrorInvalidValue;
  if (!is_format(*format) || !is_shape(extent, flags)) return cudaErrorInvalidValue;
  array.device = call.device_index();
  array.extent = extent;
  array.format = *format;
  array.flags = flags;
  constexpr size_t kMost = size_t{1} << 32;
  if (std::max({extent.width, extent.height, extent.depth}) > kMost) return cudaErrorInvalidValue;
  return array.slices() > kMost / array.rows() ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t allocate(ApiCall& call, cudaArray_t* handle, const cudaChannelFormatDesc* format,
                     cudaExtent extent, unsigned flags) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  cudaArray array;
  const cudaError_t error = describe(call, format, extent, flags, array);
  if (error != cudaSuccess) return error;
  const auto placed = call.machine().memory.allocate(array.device, array.bytes(), call.name());
  if (!placed) return cudaErrorMemoryAllocation;
  array.address = placed->begin;
  // Surfaces write arrays unseen by the init checker.
  *handle = call.machine().textures.add(array);
  call.note("ptr", static_cast<const void*>(*handle));
  call.note("width", extent.width);
  call.note("height", extent.height);
  call.note("depth", extent.depth);
  return cudaSuccess;
}

/// Level 0 is the array itself; each further one is half as large along each dimension but that of layers and faces.
cudaExtent extent_of_level(const cudaArray& array, unsigned level) {
  const auto halved = [&](size_t size) {
    return size == 0 ? 0 : std::max<size_t>(size >> level, 1);
  };
  const bool has_layers = (array.flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const cudaExtent& whole = array.extent;
  return {halved(whole.width), halved(whole.height),
          has_layers ? whole.depth : halved(whole.depth)};
}

/// CUDA Runtime API, cudaMallocMipmappedArray: no more levels than halve the longest side to one element.
unsigned most_levels(const cudaArray& array) {
  const cudaExtent& whole = array.extent;
  const bool has_layers = (array.flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
  const size_t longest =
      std::max({whole.width, whole.height, has_layers ? size_t{1} : whole.depth});
  return static_cast<unsigned>(std::bit_width(longest));
}

cudaError_t allocate_levels(ApiCall& call, cudaMipmappedArray_t* handle,
                            const cudaChannelFormatDesc* format, cudaExtent extent, unsigned count,
                            unsigned flags) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  cudaArray whole;
  const cudaError_t error = describe(call, format, extent, flags, whole);
  if (error != cudaSuccess) return error;
  std::vector<cudaArray> levels(std::clamp(count, 1u, most_levels(whole)), whole);
  std::vector<size_t> offsets;
  size_t bytes = 0;
  for (unsigned level = 0; level < levels.size(); ++level) {
    levels[level].extent = extent_of_level(whole, level);
    levels[level].is_level = true;
    offsets.push_back(bytes);
    bytes += round_up(levels[level].bytes(), kTextureAlignment);
  }
  const auto placed = call.machine().memory.allocate(whole.device, bytes, call.name());
  if (!placed) return cudaErrorMemoryAllocation;
  cudaMipmappedArray made = {placed->begin, {}};
  for (size_t level = 0; level < levels.size(); ++level) {
    levels[level].address = placed->begin + offsets[level];
    made.levels.push_back(call.machine().textures.add(levels[level]));
  }
  *handle = call.machine().textures.add(made);
  call.note("ptr", static_cast<const void*>(*handle));
  call.note("levels", levels.size());
  return cudaSuccess;
}

struct Rows {
  size_t width = 0, height = 1;  ///< Bytes and rows.
};

cudaError_t copy_to(ApiCall& call, cudaArray_t handle, size_t x, size_t y, const void* src,
                    size_t pitch, Rows rows, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  call.note("src", src);
  CopySide side;
  const CopyShape shape = {rows.width, rows.height};
  const cudaError_t error = array_side(call, handle, {x, y, 0}, shape, side);
  if (error != cudaSuccess) return error;
  if (rows.height > 1 && rows.width > pitch) return cudaErrorInvalidPitchValue;
  return copy(call, side, {reinterpret_cast<uint64_t>(src), pitch, 0}, shape, kind, stream);
}

cudaError_t copy_from(ApiCall& call, void* dst, size_t pitch, cudaArray_const_t handle, size_t x,
                      size_t y, Rows rows, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  call.note("dst", dst);
  CopySide side;
  const CopyShape shape = {rows.width, rows.height};
  const cudaError_t error = array_side(call, handle, {x, y, 0}, shape, side);
  if (error != cudaSuccess) return error;
  if (rows.height > 1 && rows.width > pitch) return cudaErrorInvalidPitchValue;
  return copy(call, {reinterpret_cast<uint64_t>(dst), pitch, 0}, side, shape, kind, stream);
}

}  // namespace

cudaError_t array_side(ApiCall& call, cudaArray_const_t handle, cudaPos position, CopyShape shape,
                       CopySide& side) {
  const cudaArray* array = call.machine().textures.find(handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const bool fits = position.x + shape.width <= array->pitch() &&
                    position.y + shape.height <= array->rows() &&
                    position.z + shape.depth <= array->slices();
  if (!fits) return cudaErrorInvalidValue;
  side.pitch = array->pitch();
  side.slice_pitch = array->slice_pitch();
  side.address =
      array->address + position.z * side.slice_pitch + position.y * side.pitch + position.x;
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
  return api_call("cudaMallocArray", EarlierFault::if_known, [&](ApiCall& call) {
    return allocate(call, array, format, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return api_call("cudaMalloc3DArray", EarlierFault::if_known,
                  [&](ApiCall& call) { return allocate(call, array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return api_call("cudaFreeArray", EarlierFault::found, [&](ApiCall& call) {
    call.note("ptr", static_cast<const void*>(array));
    if (array == nullptr) return cudaSuccess;
    const cudaArray* found = call.machine().textures.find(array);
    if (found == nullptr || found->is_level) return cudaErrorInvalidResourceHandle;
    call.machine().waiting_kernels.finish_all(call);
    const Status freed = call.machine().memory.free(found->address);
    call.machine().textures.remove(array);
    return freed.ok() ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                     const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned levels, unsigned flags) {
  return api_call("cudaMallocMipmappedArray", EarlierFault::if_known, [&](ApiCall& call) {
    return allocate_levels(call, array, format, extent, levels, flags);
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array,
                                       unsigned number) {
  return api_call("cudaGetMipmappedArrayLevel", EarlierFault::if_known, [&](ApiCall& call) {
    const cudaMipmappedArray* const found = call.machine().textures.find(array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (level == nullptr || number >= found->levels.size()) return cudaErrorInvalidValue;
    *level = found->levels[number];
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return api_call("cudaFreeMipmappedArray", EarlierFault::found, [&](ApiCall& call) {
    call.note("ptr", static_cast<const void*>(array));
    if (array == nullptr) return cudaSuccess;
    const cudaMipmappedArray* const found = call.machine().textures.find(array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    call.machine().waiting_kernels.finish_all(call);
    const Status freed = call.machine().memory.free(found->address);
    call.machine().textures.remove(array);
    return freed.ok() ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return api_call("cudaArrayGetInfo", EarlierFault::if_known, [&](ApiCall& call) {
    const cudaArray* found = call.machine().textures.find(array);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = found->format;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return api_call("cudaGetChannelDesc", EarlierFault::if_known, [&](ApiCall& call) {
    const cudaArray* found = call.machine().textures.find(array);
    if (format == nullptr) return cudaErrorInvalidValue;
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *format = found->format;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void* src,
                                size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DToArray", EarlierFault::found, [&](ApiCall& call) {
    return copy_to(call, array, x, y, src, pitch, {width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* src,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return api_call("cudaMemcpy2DToArrayAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return copy_to(call, array, x, y, src, pitch, {width, height}, kind, stream);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t pitch, cudaArray_const_t array, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DFromArray", EarlierFault::found, [&](ApiCall& call) {
    return copy_from(call, dst, pitch, array, x, y, {width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t pitch, cudaArray_const_t array, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return api_call("cudaMemcpy2DFromArrayAsync", EarlierFault::if_known, [&](ApiCall& call) {
    return copy_from(call, dst, pitch, array, x, y, {width, height}, kind, stream);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t to_x, size_t to_y,
                                     cudaArray_const_t src, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  return api_call("cudaMemcpy2DArrayToArray", EarlierFault::found, [&](ApiCall& call) {
    CopySide to, from;
    const CopyShape shape = {width, height};
    cudaError_t error = array_side(call, dst, {to_x, to_y, 0}, shape, to);
    if (error == cudaSuccess) error = array_side(call, src, {from_x, from_y, 0}, shape, from);
    return error == cudaSuccess ? copy(call, to, from, shape, kind) : error;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
