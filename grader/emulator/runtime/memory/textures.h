// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/exec/texture.h"
#include "emulator/runtime/toolkit.h"

/// What the toolkit's opaque cudaArray_t points to: elements row by row, in a device's memory.
struct cudaArray {
  uint64_t address = 0;
  int device = 0;
  cudaExtent extent{};  ///< In elements, as asked for; 0 for a dimension that it does not have.
  cudaChannelFormatDesc format{};
  unsigned flags = 0;
  bool is_level = false;  ///< of a mipmapped array, which holds it

  size_t element_bytes() const {
    return static_cast<size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  size_t pitch() const { return extent.width * element_bytes(); }
  size_t slice_pitch() const { return pitch() * rows(); }
  size_t bytes() const { return slice_pitch() * slices(); }
};

/// What the toolkit's opaque cudaMipmappedArray_t points to: arrays in one piece of memory, the largest first.
struct cudaMipmappedArray {
  uint64_t address = 0;
  std::vector<cudaArray_t> levels;
};

namespace warpgrade::emulator {

/// A texture or surface object as the program described it.
struct ObjectDescription {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  std::optional<cudaResourceViewDesc> view;
  bool is_surface = false;
  bool is_references = false;
};

/// The arrays, texture objects and surface objects of a machine.
class Textures {
 public:
  cudaArray* add(const cudaArray& array);
  /// Null for a handle that is none.
  cudaArray* find(cudaArray_const_t handle) const;
  bool remove(cudaArray_const_t handle);

  cudaMipmappedArray* add(const cudaMipmappedArray& array);
  /// Null for a handle that is none.
  cudaMipmappedArray* find(cudaMipmappedArray_const_t handle) const;
  /// With the arrays of its levels.
  bool remove(cudaMipmappedArray_const_t handle);

  /// The new object's handle.
  uint64_t add(const TextureObject& object, const ObjectDescription& description);
  const ObjectDescription* find(uint64_t handle, bool is_surface) const;
  bool remove(uint64_t handle, bool is_surface);
  /// A texture reference holds the object, so the program need not destroy it.
  void keep(uint64_t handle);
  /// Objects that the program has to destroy.
  size_t object_count() const;
  /// What kernels see.
  const TextureTable& table() const { return table_; }

  /// Forgets the arrays of a device.
  void reset(int device);

 private:
  std::map<const cudaArray*, std::unique_ptr<cudaArray>> arrays_;
  std::map<const cudaMipmappedArray*, std::unique_ptr<cudaMipmappedArray>> mipmapped_;
  std::map<uint64_t, ObjectDescription> descriptions_;
  TextureTable table_;
  uint64_t next_ = 1;
};

}  // namespace warpgrade::emulator
