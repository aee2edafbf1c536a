// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "build/build_cache.h"
#include "build/build_result.h"
#include "build/toolchain.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// One source file and the headers it may include, by the name it includes them under.
struct SourceFile {
  std::string name;
  std::string text;
  std::map<std::string, std::string> headers;
  std::vector<std::string> code =
      {};  ///< To carry beside PTX for compute_75: "sm_90", "compute_90".
};

/// The trusted half of every program: compiled once, linked many times.
struct DriverObject {
  std::string key;
  fs::path path;
};

/// Where a build happens: an empty folder of its own, and the sandbox slot that goes with it.
struct BuildPlace {
  fs::path folder;
  int slot = 0;
  int compile_s = 60;
};

/// Compiles and links in the sandbox, which sees the toolkit and the build's own folder.
class Builder {
 public:
  Builder(const Sandbox& sandbox, Toolchain toolchain, BuildCache cache)
      : sandbox_(sandbox), toolchain_(std::move(toolchain)), cache_(std::move(cache)) {}

  const Toolchain& toolchain() const { return toolchain_; }

  /// Hash of the file, its headers, the code it is to carry, the flags and the compiler.
  std::string key_of(const SourceFile& source) const;

  /// Compiles the driver to an object that says which symbols it wants of a student. An Error has the
  /// compiler's words.
  Result<fs::path> compile_driver(const SourceFile& driver, const BuildPlace& place) const;

  /// Compiles a student's file, makes all its symbols local but those that the driver wants, and links it with
  /// the driver, for which it waits only then.
  BuildResult build(const SourceFile& source, const std::string& driver_key,
                    const std::shared_future<Result<fs::path>>& driver,
                    const BuildPlace& place) const;

 private:
  enum class Compiler { kNvcc, kHosts };

  BuildResult build_once(const SourceFile& source, const Result<fs::path>& driver,
                         const BuildPlace& place) const;
  /// Whether compiler, objcopy and linker take another file, under the source's name and with its headers.
  bool tools_work(const SourceFile& source, const Result<fs::path>& driver,
                  const BuildPlace& place) const;
  BuildResult compile_quickly(const SourceFile& driver, const BuildPlace& place) const;
  BuildResult compile(const SourceFile& source, const BuildPlace& place,
                      Compiler compiler = Compiler::kNvcc) const;
  BuildResult with_its_code(BuildResult compiled, const SourceFile& source) const;
  BuildResult with_contract(BuildResult compiled, const BuildPlace& place) const;
  BuildResult isolate(BuildResult compiled, const fs::path& driver, const BuildPlace& place) const;
  BuildResult call_objcopy(std::vector<std::string> argv, const fs::path& product,
                           const BuildPlace& place, const std::string& contract) const;
  BuildResult link(const fs::path& object, const fs::path& driver, const BuildPlace& place) const;
  BuildResult link_with(const std::string& linker, const fs::path& object, const fs::path& driver,
                        const BuildPlace& place) const;
  ProcessOutcome execute(std::vector<std::string> argv, const BuildPlace& place,
                         const std::vector<fs::path>& readable) const;
  BuildResult call(std::vector<std::string> argv, const fs::path& product, const BuildPlace& place,
                   const std::vector<fs::path>& readable) const;

  const Sandbox& sandbox_;
  Toolchain toolchain_;
  BuildCache cache_;
};

}  // namespace warpgrade
