// SPDX-License-Identifier: MIT
#include "cudart/driver_entry.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

namespace warpgrade::cudart {
namespace {

/// cuGetProcAddress_v2, with CUresult and its query result as the numbers that they are.
using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, int*);

/// The emulated driver's, which lies beside the client of its own toolkit: the machine may have NVIDIA's as well, and the
/// clients of older toolkits have none.
GetProcAddress find_get_proc_address() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&find_driver_entry), &self) == 0) return nullptr;
  const std::filesystem::path client = self.dli_fname;
  if (client.filename() != "libcudart.so." + std::to_string(CUDART_VERSION / 1000)) return nullptr;
  void* const driver = ::dlopen((client.parent_path() / "driver/libcuda.so.1").c_str(), RTLD_NOW);
  if (driver == nullptr) return nullptr;
  return reinterpret_cast<GetProcAddress>(::dlsym(driver, "cuGetProcAddress_v2"));
}

}  // namespace

std::optional<cudaError_t> find_driver_entry(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  static const GetProcAddress get_proc_address = find_get_proc_address();
  if (get_proc_address == nullptr) return std::nullopt;
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  const bool is_found =
      get_proc_address(symbol, function, static_cast<int>(version), flags, nullptr) == 0;
  if (status == nullptr) return is_found ? cudaSuccess : cudaErrorSymbolNotFound;
  *status = is_found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // namespace warpgrade::cudart
