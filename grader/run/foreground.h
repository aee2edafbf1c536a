// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "run/needed_libraries.h"

namespace warpgrade {

/// What can be run at `path`, a script of any kind too. An Error where nothing can.
Result<ElfFile> program_at(const Files& files, const fs::path& path);

/// The one of `ours`, our libcudart for each toolkit, that a program that needs `needed` loads where it lies along
/// LD_LIBRARY_PATH; the first for a program that may open a library that needs one. An Error says why there is none, for
/// then it would run on no device, or on the real one.
Result<fs::path> library_for(const Files& files, const fs::path& program, const ElfFile& elf,
                             const std::vector<std::string>& needed,
                             const std::vector<fs::path>& ours);

/// The names of which the folder has no file.
std::vector<std::string> not_in_folder(const Files& files, const std::vector<std::string>& names,
                                       const fs::path& folder);

/// Says of a library that a program needs, cuBLAS for one, that it finds no GPU; empty where there is none. Only programs
/// of the newest toolkit find the emulated driver.
std::string without_gpu(const fs::path& program, const std::vector<std::string>& needed,
                        bool has_driver);

/// Says of a program that nothing which it needs is CUDA's.
std::string without_runtime(const fs::path& program);

/// A program of the user's own, run on the emulated device in the place of this process.
struct ForegroundProgram {
  std::vector<std::string> argv;           ///< argv[0]: path, or a name to look for along PATH
  std::vector<fs::path> device_libraries;  ///< our libcudart, one for each toolkit
  std::string devices;                     ///< these are passed on where not empty
  std::string checkers;
  std::string metrics;
  std::string metrics_file;
  std::string language;
  std::string order;
  std::string instruction_limit;
  std::string time_limit;
  std::string error_exit_code;
  std::string timeline;
  std::string record;  ///< a file for all that the program does on the device
  bool is_plain =
      false;  ///< findings alone: no summary, no advice, no word about kernels that take long
};

/// Runs the program in the same terminal, waits for its device, too, and returns what waitpid() says of the program.
/// An Error where it could not start.
Result<int> run_to_end(const ForegroundProgram& program);

/// Becomes the program, so that its exit status, signals and terminal are its own. Returns only to say why it could not.
Error become(const ForegroundProgram& program);

}  // namespace warpgrade
