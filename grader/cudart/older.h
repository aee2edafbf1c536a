// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>

#include "cudart/older_layouts.h"
#include "cudart/own_default_stream.h"
#include "cudart/toolkit.h"

// What the clients of CUDA 11 and 12 share. Such a client is the one of CUDA 13, in which the calls that had another
// signature or other structs are defined anew under their names.

/// Defines the export `name` with the signature of an older toolkit, whatever the present headers declare.
#define OLDER_CALL(name, ...)                                                \
  extern "C" cudaError_t warpgrade_older_##name(__VA_ARGS__) __asm__(#name); \
  cudaError_t warpgrade_older_##name(__VA_ARGS__)

/// An OLDER_CALL in the same file under its name with `suffix`.
#define OLDER_ALSO_AS(name, suffix) \
  WARPGRADE_OWN_DEFAULT_STREAM(globl, name, suffix, warpgrade_older_##name)

/// Refuses the export `name`, which only older toolkits have, by its name.
#define OLDER_UNSUPPORTED(name)                             \
  extern "C" cudaError_t warpgrade_##name() __asm__(#name); \
  cudaError_t warpgrade_##name() { return warpgrade::cudart::refuse(#name); }

// The calls as CUDA 13 has them: warpgrade_stub_cudaMalloc(...).
#define CALL(name) \
  extern "C" __attribute__((visibility("hidden"))) decltype(::name)* const warpgrade_stub_##name;
#include "cudart/calls.inc"
#undef CALL

namespace warpgrade::cudart {

/// Tells the device that the program called what it does not have; gives the error.
cudaError_t refuse(const char* name);

/// The device's properties as CUDA 11 and 12 describe them.
cudaError_t older_properties(OlderDeviceProperties& to, int device);

cudaError_t create_texture(cudaTextureObject_t* to, const void* resource, const void* texture,
                           size_t texture_bytes, const void* view);
cudaError_t describe_texture(void* to, size_t texture_bytes, cudaTextureObject_t texture);

/// Calls `ask` with a struct of CUDA 13 and copies its first `bytes` to `to`, which is an older one.
template <class Newer, class Ask>
cudaError_t copy_beginning(void* to, size_t bytes, Ask ask) {
  if (to == nullptr) return ask(static_cast<Newer*>(nullptr));
  Newer value{};
  const cudaError_t error = ask(&value);
  if (error == cudaSuccess) std::memcpy(to, &value, bytes);
  return error;
}

}  // namespace warpgrade::cudart
