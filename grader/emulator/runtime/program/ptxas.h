// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace warpgrade::emulator {

/// What ptxas allots to a kernel.
struct KernelResources {
  int registers = 0;
  int barriers = 0;
  int stack_bytes = 0;                              ///< per thread, spilled registers included
  int spill_store_bytes = 0, spill_load_bytes = 0;  ///< of a thread, instruction by instruction
};
/// By mangled name.
using ModuleResources = std::map<std::string, KernelResources, std::less<>>;

/// Reads what `ptxas -v` says of a module.
ModuleResources parse_resources(std::string_view text);

/// The toolkit's ptxas, asked at most once for each module and compute capability. What it said is
/// kept in the user's cache folder, so that the next run need not ask.
class Ptxas {
 public:
  /// `program`: a path, a name to look for along PATH, or "none". `cache_folder`: may be empty.
  Ptxas(std::string program, std::string cache_folder);

  /// Empty where there is no ptxas, or where it does not take the text.
  const ModuleResources& resources(const std::string& ptx, int sm);

 private:
  std::string ask(const std::string& ptx, int sm) const;

  std::string program_, cache_folder_;
  std::map<std::string, ModuleResources, std::less<>> known_;  ///< by hash and sm
};

}  // namespace warpgrade::emulator
