// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intake/archive/unpacker.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// Runs warpgrade-unpack in the sandbox, once for each archive.
class SandboxUnpacker final : public Unpacker {
 public:
  /// Copies `program` and its libraries into `folder`, an empty one that students' programs may enter. `keep` are the
  /// names and endings of the files whose contents are wanted.
  static Result<std::unique_ptr<SandboxUnpacker>> make(const Sandbox& sandbox,
                                                       const fs::path& program,
                                                       const fs::path& folder,
                                                       std::vector<std::string> keep);

  UnpackedArchive unpack(const std::string& bytes, int levels, int slot) const override;

 private:
  SandboxUnpacker(const Sandbox& sandbox, fs::path folder, std::vector<std::string> keep)
      : sandbox_(sandbox), folder_(std::move(folder)), keep_(std::move(keep)) {}

  fs::path parts() const { return folder_ / "parts"; }

  const Sandbox& sandbox_;
  fs::path folder_;
  std::vector<std::string> keep_;
};

}  // namespace warpgrade
