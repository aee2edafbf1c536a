// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapters "Texture Object Management" and "Surface Object Management".
#include "emulator/runtime/api.h"
#include "emulator/runtime/device_properties.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

using Format = TextureObject::Format;
using Addressing = TextureObject::Addressing;

constexpr size_t kPitchAlignment = 32;

Addressing to_addressing(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return Addressing::wrap;
    case cudaAddressModeMirror:
      return Addressing::mirror;
    case cudaAddressModeBorder:
      return Addressing::border;
    default:
      return Addressing::clamp;
  }
}

void set_format(TextureObject& object, const cudaChannelFormatDesc& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  object.channels = 0;
  for (const int channel : bits) object.channels += channel != 0;
  object.channel_bytes = static_cast<uint8_t>(format.x / 8);
  object.format = format.f == cudaChannelFormatKindFloat    ? Format::floating
                  : format.f == cudaChannelFormatKindSigned ? Format::signed_integer
                                                            : Format::unsigned_integer;
}

cudaError_t place_array(ApiCall& call, cudaArray_t handle, TextureObject& object) {
  const cudaArray* array = call.machine().textures.find(handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  set_format(object, array->format);
  object.address = array->address;
  object.pitch = array->pitch();
  object.slice_pitch = array->slice_pitch();
  object.extent = {static_cast<uint32_t>(array->extent.width), static_cast<uint32_t>(array->rows()),
                   static_cast<uint32_t>(array->slices())};
  return cudaSuccess;
}

cudaError_t place_levels(ApiCall& call, const cudaMipmappedArray& array, TextureObject& object) {
  const cudaError_t error = place_array(call, array.levels.front(), object);
  for (const cudaArray_t handle : array.levels) {
    TextureObject level;
    place_array(call, handle, level);
    object.levels.push_back({level.address, level.pitch, level.slice_pitch, level.extent});
  }
  return error;
}

cudaError_t place_memory(ApiCall& call, const void* pointer, const cudaChannelFormatDesc& format,
                         size_t width, size_t height, size_t pitch, TextureObject& object) {
  set_format(object, format);
  if (object.element_bytes() == 0) return cudaErrorInvalidChannelDescriptor;
  object.address = reinterpret_cast<uint64_t>(pointer);
  object.pitch = pitch;
  object.extent = {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1};
  if (width == 0 || height == 0) return cudaErrorInvalidValue;
  const bool inside = call.machine().memory.host_address(object.address, object.span()) != nullptr;
  return inside ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_aligned(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer) % kTextureAlignment == 0;
}

cudaError_t place(ApiCall& call, const cudaResourceDesc& resource, TextureObject& object) {
  if (resource.resType == cudaResourceTypeArray) {
    return place_array(call, resource.res.array.array, object);
  }
  if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    if (!is_aligned(linear.devPtr)) return cudaErrorInvalidValue;
    const cudaChannelFormatDesc& f = linear.desc;
    const auto bytes = static_cast<size_t>(f.x + f.y + f.z + f.w) / 8;
    const size_t count = bytes == 0 ? 0 : linear.sizeInBytes / bytes;
    return place_memory(call, linear.devPtr, f, count, 1, 0, object);
  }
  if (resource.resType == cudaResourceTypePitch2D) {
    const auto& pitched = resource.res.pitch2D;
    if (pitched.pitchInBytes % kPitchAlignment != 0 || !is_aligned(pitched.devPtr))
      return cudaErrorInvalidValue;
    return place_memory(call, pitched.devPtr, pitched.desc, pitched.width, pitched.height,
                        pitched.pitchInBytes, object);
  }
  const cudaMipmappedArray* const array = call.machine().textures.find(resource.res.mipmap.mipmap);
  return array == nullptr ? cudaErrorInvalidResourceHandle : place_levels(call, *array, object);
}

/// A view may take the elements for ones of another type and of as many bytes.
cudaError_t set_view_format(ApiCall& call, cudaResourceViewFormat format, TextureObject& object) {
  struct Kind {
    uint8_t bytes;
    Format format;
  };
  // In the order of cudaResourceViewFormat, where each has a form of one, two and four channels.
  constexpr Kind kKinds[] = {{1, Format::unsigned_integer}, {1, Format::signed_integer},
                             {2, Format::unsigned_integer}, {2, Format::signed_integer},
                             {4, Format::unsigned_integer}, {4, Format::signed_integer},
                             {2, Format::floating},         {4, Format::floating}};
  constexpr uint8_t kChannels[] = {1, 2, 4};
  if (format == cudaResViewFormatNone) return cudaSuccess;
  if (format > cudaResViewFormatFloat4) {
    call.find(say("unsupported.call", {{"call", "a texture of compressed blocks"}}));
    return cudaErrorNotSupported;
  }
  const unsigned place = format - cudaResViewFormatUnsignedChar1;
  const Kind kind = kKinds[place / 3];
  const uint8_t channels = kChannels[place % 3];
  if (object.element_bytes() != size_t{channels} * kind.bytes) return cudaErrorInvalidValue;
  object.channels = channels;
  object.channel_bytes = kind.bytes;
  object.format = kind.format;
  return cudaSuccess;
}

/// A view may begin at a later level of a mipmapped array and end at an earlier one.
void choose_levels(const cudaResourceViewDesc& view, TextureObject& object) {
  auto& levels = object.levels;
  if (levels.empty() || view.firstMipmapLevel > view.lastMipmapLevel ||
      view.lastMipmapLevel >= levels.size())
    return;
  levels.resize(view.lastMipmapLevel + 1);
  levels.erase(levels.begin(), levels.begin() + view.firstMipmapLevel);
  object.address = levels.front().address;
  object.pitch = levels.front().pitch;
  object.slice_pitch = levels.front().slice_pitch;
  object.extent = levels.front().extent;
}

cudaError_t set_sampling(const cudaTextureDesc& wanted, TextureObject& object) {
  object.normalised_coordinates = wanted.normalizedCoords != 0;
  object.linear_filter = wanted.filterMode == cudaFilterModeLinear;
  object.normalised_values =
      wanted.readMode == cudaReadModeNormalizedFloat && object.format != Format::floating;
  for (size_t d = 0; d < 3; ++d) {
    object.addressing[d] = to_addressing(wanted.addressMode[d]);
  }
  for (size_t c = 0; c < 4; ++c) object.border[c] = wanted.borderColor[c];
  // "sRGB": 8-bit integers that are read as floats.
  object.srgb = wanted.sRGB != 0 && object.normalised_values && object.channel_bytes == 1 &&
                object.format == Format::unsigned_integer;
  object.linear_between_levels = wanted.mipmapFilterMode == cudaFilterModeLinear;
  object.level_bias = wanted.mipmapLevelBias;
  object.least_level = wanted.minMipmapLevelClamp;
  object.most_level = wanted.maxMipmapLevelClamp;
  if (object.normalised_values && object.channel_bytes == 4) return cudaErrorInvalidNormSetting;
  const bool floats = object.format == Format::floating || object.normalised_values;
  return object.linear_filter && !floats ? cudaErrorInvalidFilterSetting : cudaSuccess;
}

cudaError_t create_texture(ApiCall& call, cudaTextureObject_t* handle,
                           const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                           const cudaResourceViewDesc* view) {
  if (handle == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  TextureObject object;
  cudaError_t error = place(call, *resource, object);
  if (error == cudaSuccess && view != nullptr) error = set_view_format(call, view->format, object);
  if (error == cudaSuccess) error = set_sampling(*texture, object);
  if (error != cudaSuccess) return error;
  ObjectDescription description = {*resource, *texture, std::nullopt};
  if (view != nullptr) {
    description.view = *view;
    choose_levels(*view, object);
  }
  *handle = call.machine().textures.add(object, description);
  call.note("texture", *handle);
  return cudaSuccess;
}

// cudaArraySurfaceLoadStore is documented to be needed, and an H100 does without it.
cudaError_t create_surface(ApiCall& call, cudaSurfaceObject_t* handle,
                           const cudaResourceDesc* resource) {
  if (handle == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const cudaArray* array = call.machine().textures.find(resource->res.array.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  TextureObject object;
  place_array(call, resource->res.array.array, object);
  *handle = call.machine().textures.add(object, {*resource, {}, std::nullopt, true, false});
  call.note("surface", *handle);
  return cudaSuccess;
}

/// The frame of the calls that ask for a part of an object's description.
template <class Part, class Take>
cudaError_t describe(const char* name, Part* to, uint64_t handle, bool is_surface, Take take) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    const ObjectDescription* found = call.machine().textures.find(handle, is_surface);
    if (to == nullptr || found == nullptr) return cudaErrorInvalidValue;
    return take(*found);
  });
}

cudaError_t destroy(const char* name, uint64_t handle, bool is_surface) {
  return api_call(name, EarlierFault::if_known, [&](ApiCall& call) {
    if (handle == 0) return cudaSuccess;
    const bool removed = call.machine().textures.remove(handle, is_surface);
    return removed ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  return api_call("cudaCreateTextureObject", EarlierFault::if_known, [&](ApiCall& call) {
    return create_texture(call, handle, resource, texture, view);
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
  return api_call("cudaCreateSurfaceObject", EarlierFault::if_known,
                  [&](ApiCall& call) { return create_surface(call, handle, resource); });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return destroy("cudaDestroyTextureObject", handle, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return destroy("cudaDestroySurfaceObject", handle, true);
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* to, cudaTextureObject_t handle) {
  return describe("cudaGetTextureObjectResourceDesc", to, handle, false,
                  [&](const ObjectDescription& found) {
                    *to = found.resource;
                    return cudaSuccess;
                  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* to, cudaTextureObject_t handle) {
  return describe("cudaGetTextureObjectTextureDesc", to, handle, false,
                  [&](const ObjectDescription& found) {
                    *to = found.texture;
                    return cudaSuccess;
                  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* to,
                                                 cudaTextureObject_t handle) {
  return describe("cudaGetTextureObjectResourceViewDesc", to, handle, false,
                  [&](const ObjectDescription& found) {
                    if (!found.view) return cudaErrorInvalidValue;
                    *to = *found.view;
                    return cudaSuccess;
                  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* to, cudaSurfaceObject_t handle) {
  return describe("cudaGetSurfaceObjectResourceDesc", to, handle, true,
                  [&](const ObjectDescription& found) {
                    *to = found.resource;
                    return cudaSuccess;
                  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
