// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"

namespace warpgrade {

/// What an ELF program or library says of itself.
struct ElfFile {
  std::vector<std::string> needed{};            ///< DT_NEEDED
  std::vector<std::string> rpath{}, runpath{};  ///< folders, $ORIGIN replaced
  bool is_dynamic = false;                      ///< ld.so loads its libraries
  bool has_device_code = false;                 ///< nvcc linked kernels into it
};

/// An Error where `path` is no 64-bit ELF file.
Result<ElfFile> read_elf(const Files& files, const fs::path& path);

/// The libraries that a program loads as it starts: those that it names, and those that its own libraries name, found as
/// ld.so finds them (ld.so(8)). The system's and CUDA's are named, too, but not opened. `search` is LD_LIBRARY_PATH.
std::vector<std::string> all_needed(const Files& files, const fs::path& program, const ElfFile& elf,
                                    const std::string& search);

}  // namespace warpgrade
