// SPDX-License-Identifier: MIT
// CUDA Driver API: arrays, copies to and from them, texture and surface objects.
#include <algorithm>
#include <iterator>

#include "cudart/driver/driver.h"

using namespace warpgrade::cudart::driver;

namespace {

struct Format {
  CUarray_format format;
  int bits;
  cudaChannelFormatKind kind;
};

constexpr Format kFormats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

/// One side of a copy of rows: an array with a place in it, or the address of the first byte.
struct Side {
  cudaArray_t array = nullptr;
  std::byte* address = nullptr;
  size_t pitch = 0;
};

Side side_of(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, size_t pitch) {
  if (type == CU_MEMORYTYPE_ARRAY) return {array_of(array), nullptr, 0};
  const bool is_host = type == CU_MEMORYTYPE_HOST;
  auto* const address =
      static_cast<std::byte*>(is_host ? const_cast<void*>(host) : pointer(device));
  return {nullptr, address, pitch};
}

cudaError_t bytes_of_element(cudaArray_t array, size_t& bytes) {
  cudaChannelFormatDesc desc = {};
  const cudaError_t error = cudaGetChannelDesc(&desc, array);
  bytes = static_cast<size_t>(desc.x + desc.y + desc.z + desc.w) / 8;
  return error;
}

/// What the runtime calls a copy between two places of a box.
cudaError_t to_runtimes(const CUDA_MEMCPY3D& from, cudaMemcpy3DParms& to) {
  const Side source =
      side_of(from.srcMemoryType, from.srcHost, from.srcDevice, from.srcArray, from.srcPitch);
  const Side target =
      side_of(from.dstMemoryType, from.dstHost, from.dstDevice, from.dstArray, from.dstPitch);
  size_t element = 1;
  for (const cudaArray_t array : {source.array, target.array}) {
    const cudaError_t error = array == nullptr ? cudaSuccess : bytes_of_element(array, element);
    if (error != cudaSuccess) return error;
  }
  if (element == 0) return cudaErrorInvalidValue;
  const size_t source_unit = source.array != nullptr ? element : 1;
  const size_t target_unit = target.array != nullptr ? element : 1;
  to = {};
  to.srcArray = source.array;
  to.srcPos = {from.srcXInBytes / source_unit, from.srcY, from.srcZ};
  const size_t row = from.WidthInBytes;
  to.srcPtr = {source.address, source.pitch != 0 ? source.pitch : row, row,
               from.srcHeight != 0 ? from.srcHeight : from.Height};
  to.dstArray = target.array;
  to.dstPos = {from.dstXInBytes / target_unit, from.dstY, from.dstZ};
  to.dstPtr = {target.address, target.pitch != 0 ? target.pitch : row, row,
               from.dstHeight != 0 ? from.dstHeight : from.Height};
  to.extent = {row / element, from.Height, from.Depth};
  to.kind = cudaMemcpyDefault;
  return cudaSuccess;
}

CUDA_MEMCPY3D as_box(const CUDA_MEMCPY2D& from) {
  CUDA_MEMCPY3D to = {};
  to.srcXInBytes = from.srcXInBytes;
  to.srcY = from.srcY;
  to.srcMemoryType = from.srcMemoryType;
  to.srcHost = from.srcHost;
  to.srcDevice = from.srcDevice;
  to.srcArray = from.srcArray;
  to.srcPitch = from.srcPitch;
  to.dstXInBytes = from.dstXInBytes;
  to.dstY = from.dstY;
  to.dstMemoryType = from.dstMemoryType;
  to.dstHost = from.dstHost;
  to.dstDevice = from.dstDevice;
  to.dstArray = from.dstArray;
  to.dstPitch = from.dstPitch;
  to.WidthInBytes = from.WidthInBytes;
  to.Height = from.Height;
  to.Depth = 1;
  return to;
}

CUresult copy(const CUDA_MEMCPY3D& box, CUstream stream, bool waits) {
  return in_context([&] {
    cudaMemcpy3DParms same = {};
    const cudaError_t error = to_runtimes(box, same);
    if (error != cudaSuccess) return error;
    return waits ? cudaMemcpy3D(&same) : cudaMemcpy3DAsync(&same, stream);
  });
}

bool to_resource(const CUDA_RESOURCE_DESC& from, cudaResourceDesc& to) {
  to = {};
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.resType = cudaResourceTypeArray;
      to.res.array.array = array_of(from.res.array.hArray);
      return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.resType = cudaResourceTypeMipmappedArray;
      to.res.mipmap.mipmap =
          reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      to.resType = cudaResourceTypeLinear;
      to.res.linear.devPtr = pointer(from.res.linear.devPtr);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      return to_channels(from.res.linear.format, from.res.linear.numChannels, to.res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      to.resType = cudaResourceTypePitch2D;
      to.res.pitch2D.devPtr = pointer(from.res.pitch2D.devPtr);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      return to_channels(from.res.pitch2D.format, from.res.pitch2D.numChannels,
                         to.res.pitch2D.desc);
    default:
      return false;
  }
}

/// The driver normalises what it reads unless it is told to read integers.
cudaTextureDesc to_texture(const CUDA_TEXTURE_DESC& from, const cudaChannelFormatDesc& channels) {
  cudaTextureDesc to = {};
  for (int i = 0; i < 3; ++i)
    to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  const bool is_small_integer = channels.f != cudaChannelFormatKindFloat && channels.x <= 16;
  const bool as_integer = (from.flags & CU_TRSF_READ_AS_INTEGER) != 0 || !is_small_integer;
  to.readMode = as_integer ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  std::copy_n(from.borderColor, 4, to.borderColor);
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = static_cast<cudaTextureFilterMode>(from.mipmapFilterMode);
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

cudaChannelFormatDesc channels_of(const cudaResourceDesc& resource) {
  cudaChannelFormatDesc desc = {};
  if (resource.resType == cudaResourceTypeLinear) return resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) return resource.res.pitch2D.desc;
  if (resource.resType == cudaResourceTypeArray)
    cudaGetChannelDesc(&desc, resource.res.array.array);
  return desc;
}

}  // namespace

namespace warpgrade::cudart::driver {

bool to_channels(CUarray_format format, unsigned channels, cudaChannelFormatDesc& desc) {
  const auto* const found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                         [&](const Format& each) { return each.format == format; });
  if (found == std::end(kFormats)) return false;
  if (channels != 1 && channels != 2 && channels != 4) return false;
  desc = {found->bits, channels > 1 ? found->bits : 0, channels > 2 ? found->bits : 0,
          channels > 2 ? found->bits : 0, found->kind};
  return true;
}

CUarray_format format_of(const cudaChannelFormatDesc& desc, unsigned& channels) {
  channels = desc.y == 0 ? 1 : desc.z == 0 ? 2 : 4;
  for (const Format& each : kFormats) {
    if (each.bits == desc.x && each.kind == desc.f) return each.format;
  }
  return CUarray_format{};
}

}  // namespace warpgrade::cudart::driver

extern "C" {

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
  if (array == nullptr || wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaChannelFormatDesc desc = {};
  if (!to_channels(wanted->Format, wanted->NumChannels, desc)) return CUDA_ERROR_INVALID_VALUE;
  const cudaExtent extent = {wanted->Width, wanted->Height, wanted->Depth};
  return in_context([&] {
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &desc, extent, wanted->Flags);
  });
}

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR same = {wanted->Width,  wanted->Height,      0,
                                        wanted->Format, wanted->NumChannels, 0};
  return cuArray3DCreate(array, &same);
}

CUresult cuArrayDestroy(CUarray array) {
  return in_context([&] { return cudaFreeArray(array_of(array)); });
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* told, CUarray array) {
  if (told == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaChannelFormatDesc desc = {};
  cudaExtent extent = {};
  const CUresult result =
      in_context([&] { return cudaArrayGetInfo(&desc, &extent, &told->Flags, array_of(array)); });
  if (result != CUDA_SUCCESS) return result;
  told->Width = extent.width;
  told->Height = extent.height;
  told->Depth = extent.depth;
  told->Format = format_of(desc, told->NumChannels);
  return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* told, CUarray array) {
  if (told == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR all = {};
  const CUresult result = cuArray3DGetDescriptor(&all, array);
  *told = {all.Width, all.Height, all.Format, all.NumChannels};
  return result;
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* wanted) {
  return wanted == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(as_box(*wanted), nullptr, true);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* wanted) { return cuMemcpy2D(wanted); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* wanted, CUstream stream) {
  return wanted == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(as_box(*wanted), stream, false);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* wanted) {
  return wanted == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(*wanted, nullptr, true);
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* wanted, CUstream stream) {
  return wanted == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(*wanted, stream, false);
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes) {
  return in_context([&] {
    return cudaMemcpyToArray(array_of(to), offset, 0, from, bytes, cudaMemcpyHostToDevice);
  });
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes) {
  return in_context([&] {
    return cudaMemcpyFromArray(to, array_of(from), offset, 0, bytes, cudaMemcpyDeviceToHost);
  });
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc same = {};
  if (!to_resource(*resource, same)) return CUDA_ERROR_INVALID_VALUE;
  if (view != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return in_context([&] {
    const cudaTextureDesc desc = to_texture(*texture, channels_of(same));
    return cudaCreateTextureObject(object, &same, &desc, nullptr);
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return in_context([&] { return cudaDestroyTextureObject(object); });
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  if (object == nullptr || resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc same = {};
  if (!to_resource(*resource, same)) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] { return cudaCreateSurfaceObject(object, &same); });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return in_context([&] { return cudaDestroySurfaceObject(object); });
}

}  // extern "C"
