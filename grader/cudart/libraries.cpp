// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Library Management": device code that the program loads itself. It is registered as the
// code is that nvcc embeds.
#include "cudart/libraries.h"

#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "cudart/client.h"
#include "cudart/older.h"

namespace warpgrade::cudart {
namespace {

// The container of device code: one header, then one region with the text of PTX.
struct ContainerHeader {
  uint32_t magic = kContainerMagic;
  uint16_t version = 1;
  uint16_t header_bytes = sizeof(ContainerHeader);
  uint64_t body_bytes = 0;
};
struct RegionHeader {
  uint16_t kind = 1;  ///< PTX
  uint16_t version = 0x0101;
  uint32_t header_bytes = sizeof(RegionHeader);
  uint64_t payload_bytes = 0;
  uint32_t compressed_bytes = 0, reserved = 0;
  uint32_t minor = 0, sm = 0;
  uint64_t name = 0;
  uint64_t flags = 0;
  uint64_t unused = 0;
  uint64_t uncompressed_bytes = 0;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(RegionHeader) == 64);

constexpr std::string_view kElfMagic("\177ELF", 4);

uint32_t target_of(std::string_view ptx) {
  const size_t target = ptx.find(".target");
  const size_t sm = target == std::string_view::npos ? target : ptx.find("sm_", target);
  uint32_t value = 0;
  for (size_t at = sm == std::string_view::npos ? ptx.size() : sm + 3;
       at < ptx.size() && ptx[at] >= '0' && ptx[at] <= '9' && value < 1000; ++at)
    value = value * 10 + static_cast<uint32_t>(ptx[at] - '0');
  return value;
}

std::string contain(std::string_view ptx) {
  RegionHeader region;
  region.payload_bytes = (ptx.size() + 8) / 8 * 8;
  region.sm = target_of(ptx);
  ContainerHeader header;
  header.body_bytes = sizeof region + region.payload_bytes;
  std::string bytes(sizeof header + header.body_bytes, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &region, sizeof region);
  ptx.copy(bytes.data() + sizeof header + sizeof region, ptx.size());
  return bytes;
}

struct Library {
  std::string container;  ///< Where it was made from PTX.
  __fatBinC_Wrapper_t wrapper{};
  void** image = nullptr;
  std::map<std::string, std::unique_ptr<char>> names;  ///< Addresses that stand for host names.
};

struct Libraries {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<Library>> all;
};

Libraries& libraries() {
  static auto& only = *new Libraries;
  return only;
}

Library* find(cudaLibrary_t handle) {
  const auto found = libraries().all.find(handle);
  return found == libraries().all.end() ? nullptr : found->second.get();
}

/// The address of a name, and whether it is new.
std::pair<const char*, bool> address_of(Library& library, const std::string& name) {
  std::unique_ptr<char>& held = library.names[name];
  if (held != nullptr) return {held.get(), false};
  held = std::make_unique<char>();
  return {held.get(), true};
}

bool starts_with(const void* bytes, std::string_view magic) {
  return std::memcmp(bytes, magic.data(), magic.size()) == 0;
}

/// What device code begins with, or nothing where it is neither a container nor PTX.
const void* container_of(const void* code, std::string& made) {
  uint32_t magic = 0;
  std::memcpy(&magic, code, sizeof magic);
  if (magic == kContainerMagic) return code;
  if (magic == FATBINC_MAGIC) return static_cast<const __fatBinC_Wrapper_t*>(code)->data;
  made = contain(static_cast<const char*>(code));
  return made.data();
}

const char* kernel_named(Library& library, const std::string& name) {
  const auto [address, is_new] = address_of(library, name);
  if (is_new)
    __cudaRegisterFunction(library.image, address, nullptr, name.c_str(), -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  return address;
}

/// What keeps the code from being used on the current device.
cudaError_t trouble_of(Library& library) {
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel_named(library, "."));
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaErrorInvalidDeviceFunction ? cudaSuccess : error;
}

/// Bytes from an address of the device's to the end of its allocation.
uint64_t bytes_from(Client& client, const void* address) {
  Writer body;
  body.put(Registration::extent);
  body.put(reinterpret_cast<uint64_t>(address));
  return client.exchange(Message::registration, body).take<uint64_t>();
}

}  // namespace

cudaError_t load_library(cudaLibrary_t* handle, const void* code) {
  if (handle == nullptr || code == nullptr) return cudaErrorInvalidValue;
  Client* const client = Client::connected();
  if (client == nullptr) return cudaErrorInitializationError;
  if (starts_with(code, kElfMagic)) {
    refuse("loading machine code (a cubin) instead of PTX");
    return cudaErrorNoKernelImageForDevice;
  }
  auto library = std::make_unique<Library>();
  const void* const container = container_of(code, library->container);
  library->wrapper = {FATBINC_MAGIC, FATBINC_VERSION,
                      static_cast<const unsigned long long*>(container), nullptr};
  library->image = __cudaRegisterFatBinary(&library->wrapper);
  const cudaError_t error = trouble_of(*library);
  if (error != cudaSuccess) {
    __cudaUnregisterFatBinary(library->image);
    return error;
  }
  *handle = reinterpret_cast<cudaLibrary_t>(library.get());
  const std::lock_guard lock(libraries().mutex);
  libraries().all.emplace(library.get(), std::move(library));
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return load_library(library, code);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*,
                                    void**, unsigned, cudaLibraryOption*, void**, unsigned) {
  if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
  const std::optional<std::string> code = code_in_file(path);
  return code ? load_library(library, code->c_str()) : cudaErrorFileNotFound;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  std::unique_ptr<Library> library;
  {
    const std::lock_guard lock(libraries().mutex);
    const auto found = libraries().all.find(handle);
    if (found == libraries().all.end()) return cudaErrorInvalidResourceHandle;
    library = std::move(found->second);
    libraries().all.erase(found);
  }
  __cudaUnregisterFatBinary(library->image);
  return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
  const std::lock_guard lock(libraries().mutex);
  Library* const library = find(handle);
  if (library == nullptr) return cudaErrorInvalidResourceHandle;
  const char* const address = kernel_named(*library, name);
  if (!is_kernel(address)) return cudaErrorSymbolNotFound;
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<char*>(address));
  return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t handle,
                                 const char* name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  const char* symbol = nullptr;
  {
    const std::lock_guard lock(libraries().mutex);
    Library* const library = find(handle);
    if (library == nullptr) return cudaErrorInvalidResourceHandle;
    // A name of a variable is no name of a kernel.
    const auto [address, is_new] = address_of(*library, std::string("&") + name);
    if (is_new)
      __cudaRegisterVar(library->image, const_cast<char*>(address), nullptr, name, 0, 0, 0, 0);
    symbol = address;
  }
  void* place = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&place, symbol);
  if (error == cudaErrorInvalidSymbol) {
    cudaGetLastError();
    return cudaErrorSymbolNotFound;
  }
  if (error != cudaSuccess) return error;
  Client* const client = Client::connected();
  const uint64_t size = client == nullptr ? 0 : bytes_from(*client, place);
  if (pointer != nullptr) *pointer = place;
  if (bytes != nullptr) *bytes = size;
  return cudaSuccess;
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  int current = 0;
  cudaError_t error = cudaGetDevice(&current);
  if (error == cudaSuccess) error = cudaSetDevice(device);
  if (error != cudaSuccess) return error;
  error = cudaFuncSetAttribute(static_cast<const void*>(kernel), attribute, value);
  cudaSetDevice(current);
  return error;
}

}  // extern "C"

std::optional<std::string> code_in_file(const char* path) {
  FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return std::nullopt;
  std::string code;
  char piece[1 << 16];
  for (size_t got = 0; (got = std::fread(piece, 1, sizeof piece, file)) > 0;)
    code.append(piece, got);
  std::fclose(file);
  return code;
}

}  // namespace warpgrade::cudart
