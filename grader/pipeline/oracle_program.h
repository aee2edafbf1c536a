// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/files.h"
#include "base/result.h"
#include "plan/plan.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// An assignment's compiled oracle. May be called from several threads.
class OracleProgram {
 public:
  OracleProgram(const Sandbox& trusted, fs::path program)
      : trusted_(trusted), program_(std::move(program)) {}

  /// Has it do `verb` in a case's folder, up to three times where the machine stops it. `seed` is for `inputs` alone.
  Status call(const std::string& verb, const RunStep& step, const fs::path& folder,
              std::optional<uint64_t> seed = {}) const;

 private:
  const Sandbox& trusted_;
  fs::path program_;
};

}  // namespace warpgrade
