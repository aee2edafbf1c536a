// SPDX-License-Identifier: MIT
// Texture references: variables of the program that a call binds to memory. Device code reads such a variable as the
// handle of a texture object; binding makes that object and puts its handle there.
#include <limits>
#include <map>
#include <mutex>

#include "cudart/client.h"
#include "cudart/host_guard.h"
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

struct Binding {
  bool normalised_values =
      false;  ///< what kernels read, as the program's type of the variable says
  cudaTextureObject_t texture = 0;
};

std::map<const TextureReference*, Binding>& bindings() {
  static auto& all = *new std::map<const TextureReference*, Binding>;
  return all;
}

std::mutex& bindings_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

cudaTextureDesc description_of(const TextureReference& reference, const Binding& binding) {
  cudaTextureDesc described{};
  for (int i = 0; i < 3; ++i)
    described.addressMode[i] = static_cast<cudaTextureAddressMode>(reference.addressMode[i]);
  described.filterMode = static_cast<cudaTextureFilterMode>(reference.filterMode);
  described.readMode =
      binding.normalised_values ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  described.sRGB = reference.sRGB;
  described.normalizedCoords = reference.normalized;
  return described;
}

/// Null: the variable is bound to nothing.
void put_handle(const TextureReference* reference, cudaTextureObject_t texture) {
  Client* const client = Client::connected();
  if (client == nullptr) return;
  HostGuard::lift();
  Writer body;
  body.put(Registration::texture);
  body.put(uint64_t{texture});
  body.put(reinterpret_cast<uint64_t>(reference));
  client->exchange(Message::registration, body);
}

/// What programs say for all of the memory: the default of the template in CUDA 11's headers.
constexpr size_t kAllBytes = std::numeric_limits<unsigned>::max();

size_t bytes_from(const void* memory) {
  Client* const client = Client::connected();
  if (client == nullptr) return 0;
  HostGuard::lift();
  Writer body;
  body.put(Registration::extent);
  body.put(reinterpret_cast<uint64_t>(memory));
  return client->exchange(Message::registration, body).take<uint64_t>();
}

cudaError_t unbind(const TextureReference* reference, Binding& binding) {
  if (binding.texture == 0) return cudaSuccess;
  const cudaError_t error = warpgrade_stub_cudaDestroyTextureObject(binding.texture);
  binding.texture = 0;
  put_handle(reference, 0);
  return error;
}

cudaError_t bind(const TextureReference* reference, const cudaResourceDesc& resource) {
  const std::lock_guard lock(bindings_mutex());
  const auto found = bindings().find(reference);
  if (found == bindings().end()) return cudaErrorInvalidTexture;
  unbind(reference, found->second);
  const cudaTextureDesc described = description_of(*reference, found->second);
  const cudaError_t error = warpgrade_stub_cudaCreateTextureObject(&found->second.texture,
                                                                   &resource, &described, nullptr);
  if (error == cudaSuccess) put_handle(reference, found->second.texture);
  return error;
}

}  // namespace

extern "C" {

void __cudaRegisterTexture(void** handle, const TextureReference* reference, const void**,
                           const char* name, int /*dimensions*/, int normalised_values, int) {
  const std::lock_guard lock(bindings_mutex());
  bindings()[reference].normalised_values = normalised_values != 0;
  __cudaRegisterVar(handle, reinterpret_cast<char*>(const_cast<TextureReference*>(reference)),
                    nullptr, name, 0, sizeof(cudaTextureObject_t), 0, 0);
}

}  // extern "C"

OLDER_CALL(cudaBindTexture, size_t* offset, const TextureReference* reference, const void* memory,
           const cudaChannelFormatDesc* format, size_t bytes) {
  if (reference == nullptr || format == nullptr) return cudaErrorInvalidValue;
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = *format;
  resource.res.linear.sizeInBytes = bytes == kAllBytes ? bytes_from(memory) : bytes;
  return bind(reference, resource);
}

OLDER_CALL(cudaBindTexture2D, size_t* offset, const TextureReference* reference, const void* memory,
           const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch) {
  if (reference == nullptr || format == nullptr) return cudaErrorInvalidValue;
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void*>(memory), *format, width, height, pitch};
  return bind(reference, resource);
}

OLDER_CALL(cudaBindTextureToArray, const TextureReference* reference, cudaArray_const_t array,
           const cudaChannelFormatDesc* format) {
  if (reference == nullptr || format == nullptr) return cudaErrorInvalidValue;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return bind(reference, resource);
}

OLDER_CALL(cudaUnbindTexture, const TextureReference* reference) {
  const std::lock_guard lock(bindings_mutex());
  const auto found = bindings().find(reference);
  return found == bindings().end() ? cudaErrorInvalidTexture : unbind(reference, found->second);
}

OLDER_CALL(cudaGetTextureAlignmentOffset, size_t* offset, const TextureReference* reference) {
  if (offset == nullptr) return cudaErrorInvalidValue;
  const std::lock_guard lock(bindings_mutex());
  const auto found = bindings().find(reference);
  if (found == bindings().end()) return cudaErrorInvalidTexture;
  *offset = 0;
  return found->second.texture == 0 ? cudaErrorInvalidTextureBinding : cudaSuccess;
}

OLDER_CALL(cudaGetTextureReference, const TextureReference** to, const void* symbol) {
  const auto* const reference = static_cast<const TextureReference*>(symbol);
  const std::lock_guard lock(bindings_mutex());
  if (to == nullptr || !bindings().contains(reference)) return cudaErrorInvalidTexture;
  *to = reference;
  return cudaSuccess;
}

OLDER_UNSUPPORTED(__cudaRegisterSurface)
OLDER_UNSUPPORTED(cudaBindSurfaceToArray)
OLDER_UNSUPPORTED(cudaBindTextureToMipmappedArray)
OLDER_UNSUPPORTED(cudaGetSurfaceReference)

}  // namespace warpgrade::cudart
