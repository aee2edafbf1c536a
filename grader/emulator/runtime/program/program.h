// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulator/exec/launch.h"
#include "emulator/runtime/program/fatbin.h"
#include "emulator/runtime/program/ptxas.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// Why a module could not be had: what the API call returns, and what the user is told once.
struct LoadFailure {
  cudaError_t code = cudaSuccess;
  std::string message;
};

/// What start-up code registers of one object file (or one rdc link): the fatbin containers that hold its code.
struct DeviceCode {
  uint32_t magic = 0;  ///< of the wrapper
  std::vector<std::string> containers;
};

/// The compute capability that the program's PTX asks for at least; 0 where it has none.
int least_capability(const DeviceCode& code);

/// That code, decoded for a device at its first use.
class DeviceImage {
 public:
  explicit DeviceImage(DeviceCode code) : code_(std::move(code)) {}

  /// Null where it cannot be had; failure() then says why.
  const LoadedModule* load(int device, int sm, DeviceMemory& memory);
  const LoadFailure& failure(int device) { return loads_[device].failure; }
  /// The compute capability whose PTX a loaded device runs.
  int ptx_sm(int device) { return loads_[device].ptx_sm; }
  /// What ptxas makes of its kernels: nothing unless it is loaded, and from one text.
  const ModuleResources& resources(int device, int sm, Ptxas& ptxas);
  /// SHA-256 of each container, of the program's bytes as they are.
  const std::vector<std::string>& hashes();
  void add_managed(const std::string& name, uint64_t address) { managed_[name].address = address; }
  void unload(int device) { loads_.erase(device); }

 private:
  struct Load {
    std::shared_ptr<LoadedModule> module;
    LoadFailure failure;
    int ptx_sm = 0;
    const std::string* whole_ptx = nullptr;      ///< in objects_
    const ModuleResources* resources = nullptr;  ///< null before ptxas was asked
  };
  /// One per object file; several only where nvcc linked relocatable device code.
  using Objects = std::vector<std::vector<FatbinEntry>>;

  const Result<Objects>& objects();
  Load make(int device, int sm, DeviceMemory& memory);

  DeviceCode code_;
  std::vector<std::string> hashes_;
  std::optional<Result<Objects>> objects_;
  std::map<int, Load> loads_;
  ManagedVariables managed_;
};

/// A __global__ function; cudaKernel_t and cudaFunction_t handles point to it.
struct Kernel {
  DeviceImage* image = nullptr;
  std::string mangled;
  const void* host = nullptr;  ///< The program's function of that name.
  std::map<int, int> dynamic_shared_limit =
      {};                             ///< By device, where cudaFuncSetAttribute was called.
  bool takes_large_clusters = false;  ///< cudaFuncAttributeNonPortableClusterSizeAllowed
};

/// A __device__ or __constant__ variable.
struct Variable {
  DeviceImage* image = nullptr;
  std::string name;  ///< As in the PTX.
  size_t size = 0;
};

/// What the program's start-up code registered: its device code and the host names of its kernels
/// and variables.
class RegisteredProgram {
 public:
  /// `handle` is what the program calls the image by.
  void add_image(uint64_t handle, DeviceCode code);
  void remove_image(uint64_t handle);
  /// Null for an unknown handle.
  DeviceImage* find_image(uint64_t handle);
  void add_kernel(DeviceImage* image, const void* host, std::string mangled);
  void add_variable(DeviceImage* image, const void* host, std::string name, size_t size);

  /// By the host function's address or by handle; null for anything else.
  Kernel* find_kernel(const void* host_or_handle);
  const Variable* find_variable(const void* host) const;

  void unload(int device);

 private:
  std::map<uint64_t, std::unique_ptr<DeviceImage>> images_;
  std::map<const void*, Kernel> kernels_;  ///< By host address; nodes stay where they are.
  std::set<const void*> handles_;          ///< Addresses of the kernels above.
  std::map<const void*, Variable> variables_;
};

}  // namespace warpgrade::emulator
