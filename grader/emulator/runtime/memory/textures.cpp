// SPDX-License-Identifier: MIT
#include "emulator/runtime/memory/textures.h"

#include <algorithm>

namespace warpgrade::emulator {

cudaArray* Textures::add(const cudaArray& array) {
  auto held = std::make_unique<cudaArray>(array);
  cudaArray* const handle = held.get();
  arrays_.emplace(handle, std::move(held));
  return handle;
}

cudaArray* Textures::find(cudaArray_const_t handle) const {
  const auto found = arrays_.find(handle);
  return found == arrays_.end() ? nullptr : found->second.get();
}

bool Textures::remove(cudaArray_const_t handle) { return arrays_.erase(handle) != 0; }

cudaMipmappedArray* Textures::add(const cudaMipmappedArray& array) {
  auto held = std::make_unique<cudaMipmappedArray>(array);
  cudaMipmappedArray* const handle = held.get();
  mipmapped_.emplace(handle, std::move(held));
  return handle;
}

cudaMipmappedArray* Textures::find(cudaMipmappedArray_const_t handle) const {
  const auto found = mipmapped_.find(handle);
  return found == mipmapped_.end() ? nullptr : found->second.get();
}

bool Textures::remove(cudaMipmappedArray_const_t handle) {
  const cudaMipmappedArray* const found = find(handle);
  if (found == nullptr) return false;
  for (const cudaArray_t level : found->levels) remove(level);
  return mipmapped_.erase(handle) != 0;
}

uint64_t Textures::add(const TextureObject& object, const ObjectDescription& description) {
  const uint64_t handle = next_++;
  table_[handle] = object;
  descriptions_[handle] = description;
  return handle;
}

const ObjectDescription* Textures::find(uint64_t handle, bool is_surface) const {
  const auto found = descriptions_.find(handle);
  const bool fits = found != descriptions_.end() && found->second.is_surface == is_surface;
  return fits ? &found->second : nullptr;
}

void Textures::keep(uint64_t handle) {
  const auto found = descriptions_.find(handle);
  if (found != descriptions_.end()) found->second.is_references = true;
}

size_t Textures::object_count() const {
  return static_cast<size_t>(std::ranges::count_if(
      descriptions_, [](const auto& each) { return !each.second.is_references; }));
}

bool Textures::remove(uint64_t handle, bool is_surface) {
  if (find(handle, is_surface) == nullptr) return false;
  table_.erase(handle);
  descriptions_.erase(handle);
  return true;
}

void Textures::reset(int device) {
  std::erase_if(mipmapped_, [&](const auto& each) {
    return find(each.second->levels.front())->device == device;
  });
  for (auto it = arrays_.begin(); it != arrays_.end();) {
    it = it->second->device == device ? arrays_.erase(it) : std::next(it);
  }
}

}  // namespace warpgrade::emulator
