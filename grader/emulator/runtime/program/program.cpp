// SPDX-License-Identifier: MIT
#include "emulator/runtime/program/program.h"

#include <algorithm>

#include "base/hash.h"

namespace warpgrade::emulator {
namespace {

Result<std::vector<std::vector<FatbinEntry>>> read_all(const DeviceCode& code) {
  if (code.magic != toolkit::kWrapperMagic) {
    return Error{"the program's embedded device code has an unknown wrapper"};
  }
  std::vector<std::vector<FatbinEntry>> objects;
  for (const std::string& container : code.containers) {
    Result<std::vector<FatbinEntry>> entries = read_fatbin(container);
    if (!entries) return entries.error();
    objects.push_back(std::move(entries).value());
  }
  return objects;
}

template <class Map>
void erase_image(Map& map, const DeviceImage* image) {
  for (auto it = map.begin(); it != map.end();) {
    it = it->second.image == image ? map.erase(it) : std::next(it);
  }
}

}  // namespace

int least_capability(const DeviceCode& code) {
  const Result<std::vector<std::vector<FatbinEntry>>> objects = read_all(code);
  if (!objects) return 0;
  int least = 0;
  for (const std::vector<FatbinEntry>& entries : *objects) {
    int lowest = 0;
    for (const FatbinEntry& entry : entries) {
      if (entry.kind == FatbinKind::ptx && (lowest == 0 || entry.sm < lowest)) lowest = entry.sm;
    }
    least = std::max(least, lowest);
  }
  return least;
}

const Result<DeviceImage::Objects>& DeviceImage::objects() {
  if (!objects_) {
    objects_ = read_all(code_);
    for (const std::string& container : code_.containers) hashes_.push_back(sha256_hex(container));
    code_.containers.clear();
  }
  return *objects_;
}

DeviceImage::Load DeviceImage::make(int device, int sm, DeviceMemory& memory) {
  const Result<Objects>& all = objects();
  if (!all) return {nullptr, {cudaErrorInvalidKernelImage, all.error().message}};
  std::vector<std::string_view> texts;
  const std::string* text = nullptr;
  int ptx_sm = 0;
  for (const std::vector<FatbinEntry>& entries : *all) {
    const FatbinEntry* chosen = choose_ptx(entries, sm);
    // An object of a library may come without PTX: that it is needed shows when a name is missing.
    if (chosen == nullptr && all->size() > 1) continue;
    if (chosen == nullptr) {
      return {nullptr, {cudaErrorNoKernelImageForDevice, explain_no_ptx(entries, sm)}};
    }
    texts.push_back(chosen->ptx);
    text = &chosen->ptx;
    ptx_sm = std::max(ptx_sm, chosen->sm);
  }
  if (texts.empty()) {
    return {nullptr, {cudaErrorNoKernelImageForDevice, explain_no_ptx({}, sm)}};
  }
  Result<std::shared_ptr<LoadedModule>> module = load_modules(texts, device, sm, memory, managed_);
  if (!module) return {nullptr, {cudaErrorInvalidPtx, module.error().message}};
  return {std::move(module).value(), {}, ptx_sm, texts.size() == 1 ? text : nullptr};
}

const std::vector<std::string>& DeviceImage::hashes() {
  objects();
  return hashes_;
}

const LoadedModule* DeviceImage::load(int device, int sm, DeviceMemory& memory) {
  auto found = loads_.find(device);
  if (found == loads_.end()) found = loads_.emplace(device, make(device, sm, memory)).first;
  return found->second.module.get();
}

const ModuleResources& DeviceImage::resources(int device, int sm, Ptxas& ptxas) {
  static const ModuleResources nothing_known;
  Load& load = loads_[device];
  if (load.whole_ptx == nullptr) return nothing_known;
  if (load.resources == nullptr) load.resources = &ptxas.resources(*load.whole_ptx, sm);
  return *load.resources;
}

void RegisteredProgram::add_image(uint64_t handle, DeviceCode code) {
  images_[handle] = std::make_unique<DeviceImage>(std::move(code));
}

DeviceImage* RegisteredProgram::find_image(uint64_t handle) {
  const auto found = images_.find(handle);
  return found == images_.end() ? nullptr : found->second.get();
}

void RegisteredProgram::remove_image(uint64_t handle) {
  const DeviceImage* const image = find_image(handle);
  for (const auto& [host, kernel] : kernels_) {
    if (kernel.image == image) handles_.erase(&kernel);
  }
  erase_image(kernels_, image);
  erase_image(variables_, image);
  images_.erase(handle);
}

void RegisteredProgram::add_kernel(DeviceImage* image, const void* host, std::string mangled) {
  Kernel& kernel = kernels_[host];
  kernel = {image, std::move(mangled), host, {}};
  handles_.insert(&kernel);
}

void RegisteredProgram::add_variable(DeviceImage* image, const void* host, std::string name,
                                     size_t size) {
  variables_[host] = {image, std::move(name), size};
}

Kernel* RegisteredProgram::find_kernel(const void* host_or_handle) {
  const auto found = kernels_.find(host_or_handle);
  if (found != kernels_.end()) return &found->second;
  if (handles_.count(host_or_handle) == 0) return nullptr;
  return static_cast<Kernel*>(const_cast<void*>(host_or_handle));
}

const Variable* RegisteredProgram::find_variable(const void* host) const {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

void RegisteredProgram::unload(int device) {
  for (const auto& [handle, image] : images_) image->unload(device);
}

}  // namespace warpgrade::emulator
