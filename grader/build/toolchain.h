// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// The lowest compute capability, times ten, that compiled programs run on.
constexpr int kOldestCapability = 75;

/// What makes a student's symbols local; a part of binutils, as the linker is.
constexpr const char* kObjcopy = "/usr/bin/objcopy";

/// The CUDA compiler of this machine and how it is called.
struct Toolchain {
  fs::path root;            ///< of the CUDA Toolkit; /usr for a distribution's
  std::string version;      ///< what `nvcc --version` ends with
  std::string linker;       ///< a quicker one than g++'s own, as -fuse-ld names it; may be empty
  fs::path libraries = {};  ///< the folder of libcudart.so

  fs::path nvcc() const { return root / "bin" / "nvcc"; }
  fs::path ptxas() const { return root / "bin" / "ptxas"; }
  /// "11.8"; empty where `version` names none.
  std::string release() const;
  /// What the programs that it links load: "libcudart.so.12".
  std::string runtime_library() const;
  /// All of the toolkit that lies outside of the folders that every sandbox shows.
  std::vector<fs::path> readable() const;
  /// `code` is carried beside the PTX that every program has: "sm_90", "compute_90".
  std::vector<std::string> compile_argv(const std::string& source, const std::string& object,
                                        const fs::path& includes,
                                        const std::vector<std::string>& code = {}) const;
  /// By g++ alone, as nvcc calls it for the host: for files without device code, which nvcc reads four times.
  std::vector<std::string> compile_host_argv(const std::string& source, const std::string& object,
                                             const fs::path& includes) const;
  /// With `linker`, which may be empty: g++'s own.
  std::vector<std::string> link_argv(const std::vector<std::string>& objects,
                                     const std::string& program, const std::string& linker) const;
  /// Links a driver alone; the linker warns of each symbol that neither it nor a library defines.
  std::vector<std::string> contract_argv(const std::string& driver,
                                         const std::string& program) const;
  /// Puts the text of the file `contract` into a driver's object.
  std::vector<std::string> embed_argv(const std::string& contract, const std::string& driver,
                                      const std::string& product) const;
  /// Makes all symbols of an object local but those that the file `contract` names, and its shared
  /// functions its own.
  std::vector<std::string> isolate_argv(const std::string& contract, const std::string& object,
                                        const std::string& product) const;
  /// All that compilers need: a search path, and a folder for temporary files.
  std::map<std::string, std::string> environment(const fs::path& temporary) const;
};

/// Looks in $CUDA_HOME, along `search_path` (the value of PATH) and in /usr/local/cuda. The Error is one sentence with a remedy.
Result<Toolchain> find_toolchain(const Sandbox& trusted, const std::string& cuda_home,
                                 const std::string& search_path);

}  // namespace warpgrade
