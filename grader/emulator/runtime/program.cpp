// SPDX-License-Identifier: MIT
#include "emulator/runtime/program.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

Result<std::vector<FatbinEntry>> read_wrapper(const __fatBinC_Wrapper_t& wrapper) {
  if (static_cast<uint32_t>(wrapper.magic) != toolkit::kWrapperMagic) {
    return Error{"the program's embedded device code has an unknown wrapper"};
  }
  if (wrapper.version == toolkit::kLinkedWrapperVersion) {
    return Error{"relocatable device code (nvcc -rdc=true) is not supported"};
  }
  const auto* image = reinterpret_cast<const char*>(wrapper.data);
  const Result<size_t> size = fatbin_size({image, toolkit::kFatbinHeaderBytes});
  if (!size) return size.error();
  return read_fatbin({image, *size});
}

template <class Map>
void erase_image(Map& map, const DeviceImage* image) {
  for (auto it = map.begin(); it != map.end();) {
    it = it->second.image == image ? map.erase(it) : std::next(it);
  }
}

}  // namespace

const Result<std::vector<FatbinEntry>>& DeviceImage::entries() {
  if (!entries_) entries_ = read_wrapper(wrapper_);
  return *entries_;
}

DeviceImage::Load DeviceImage::make(int device, int sm, DeviceMemory& memory) {
  const Result<std::vector<FatbinEntry>>& images = entries();
  if (!images) return {nullptr, {cudaErrorInvalidKernelImage, images.error().message}};
  const FatbinEntry* chosen = choose_ptx(*images, sm);
  if (chosen == nullptr) {
    return {nullptr, {cudaErrorNoKernelImageForDevice, explain_no_ptx(*images, sm)}};
  }
  Result<std::shared_ptr<LoadedModule>> module = load_module(chosen->ptx, device, sm, memory);
  if (!module) return {nullptr, {cudaErrorInvalidPtx, module.error().message}};
  return {std::move(module).value(), {}};
}

const LoadedModule* DeviceImage::load(int device, int sm, DeviceMemory& memory) {
  auto found = loads_.find(device);
  if (found == loads_.end()) found = loads_.emplace(device, make(device, sm, memory)).first;
  return found->second.module.get();
}

DeviceImage* Program::add_image(const __fatBinC_Wrapper_t& wrapper) {
  images_.push_back(std::make_unique<DeviceImage>(wrapper));
  return images_.back().get();
}

void Program::remove_image(DeviceImage* image) {
  for (const auto& [host, kernel] : kernels_) {
    if (kernel.image == image) handles_.erase(&kernel);
  }
  erase_image(kernels_, image);
  erase_image(variables_, image);
  const auto same = [&](const auto& owned) { return owned.get() == image; };
  images_.erase(std::remove_if(images_.begin(), images_.end(), same), images_.end());
}

void Program::add_kernel(DeviceImage* image, const void* host, std::string mangled) {
  Kernel& kernel = kernels_[host];
  kernel = {image, std::move(mangled), {}};
  handles_.insert(&kernel);
}

void Program::add_variable(DeviceImage* image, const void* host, std::string name, size_t size) {
  variables_[host] = {image, std::move(name), size};
}

Kernel* Program::find_kernel(const void* host_or_handle) {
  const auto found = kernels_.find(host_or_handle);
  if (found != kernels_.end()) return &found->second;
  if (handles_.count(host_or_handle) == 0) return nullptr;
  return static_cast<Kernel*>(const_cast<void*>(host_or_handle));
}

const Variable* Program::find_variable(const void* host) const {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

void Program::unload(int device) {
  for (const auto& image : images_) image->unload(device);
}

}  // namespace warpgrade::emulator
