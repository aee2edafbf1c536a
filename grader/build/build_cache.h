// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "build/build_result.h"

namespace warpgrade {

/// What earlier builds gave, by a hash of everything that went into them. Written by the grader only,
/// durably and with hashes.
class BuildCache {
 public:
  /// An empty folder keeps nothing.
  explicit BuildCache(fs::path folder) : folder_(std::move(folder)) {}

  /// A built program (or object) is copied to `program`. None where the entry is damaged.
  std::optional<BuildResult> find(const std::string& key, const fs::path& program) const;

  /// Keeps what the compiler decided. What this machine could not do is not kept, nor is a failure to keep reported.
  void keep(const std::string& key, const BuildResult& result) const;

 private:
  fs::path folder_;
};

}  // namespace warpgrade
