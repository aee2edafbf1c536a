// SPDX-License-Identifier: MIT
#include "emulator/runtime/program.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

Result<std::vector<FatbinEntry>> read_image(const void* data) {
  const auto* image = static_cast<const char*>(data);
  const Result<size_t> size = fatbin_size({image, toolkit::kFatbinHeaderBytes});
  if (!size) return size.error();
  return read_fatbin({image, *size});
}

Result<std::vector<std::vector<FatbinEntry>>> read_wrapper(const __fatBinC_Wrapper_t& wrapper) {
  if (static_cast<uint32_t>(wrapper.magic) != toolkit::kWrapperMagic) {
    return Error{"the program's embedded device code has an unknown wrapper"};
  }
  std::vector<const void*> images = {wrapper.data};
  if (wrapper.version == toolkit::kLinkedWrapperVersion) {
    // The linker's own image holds no PTX; the objects that it linked follow, ended by a null.
    images.clear();
    auto* const* object = static_cast<void* const*>(wrapper.filename_or_fatbins);
    for (; object != nullptr && *object != nullptr; ++object) images.push_back(*object);
  }
  std::vector<std::vector<FatbinEntry>> objects;
  for (const void* image : images) {
    Result<std::vector<FatbinEntry>> entries = read_image(image);
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

int least_capability(const __fatBinC_Wrapper_t& wrapper) {
  const Result<std::vector<std::vector<FatbinEntry>>> objects = read_wrapper(wrapper);
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
  if (!objects_) objects_ = read_wrapper(wrapper_);
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

DeviceImage* RegisteredProgram::add_image(const __fatBinC_Wrapper_t& wrapper) {
  images_.push_back(std::make_unique<DeviceImage>(wrapper));
  return images_.back().get();
}

void RegisteredProgram::remove_image(DeviceImage* image) {
  for (const auto& [host, kernel] : kernels_) {
    if (kernel.image == image) handles_.erase(&kernel);
  }
  erase_image(kernels_, image);
  erase_image(variables_, image);
  const auto same = [&](const auto& owned) { return owned.get() == image; };
  images_.erase(std::remove_if(images_.begin(), images_.end(), same), images_.end());
}

void RegisteredProgram::add_kernel(DeviceImage* image, const void* host, std::string mangled) {
  Kernel& kernel = kernels_[host];
  kernel = {image, std::move(mangled), {}};
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
  for (const auto& image : images_) image->unload(device);
}

}  // namespace warpgrade::emulator
