// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/files.h"
#include "base/npy.h"

namespace warpgrade {

/// Reads the arrays that a program wrote, whatever else it left there.
class ArrayReader {
 public:
  /// Files larger than `file_bytes`, and all beyond `total_bytes`, are not read.
  ArrayReader(size_t file_bytes, size_t total_bytes)
      : file_bytes_(file_bytes), left_bytes_(total_bytes) {}

  /// The `wanted` arrays of one folder, by name; none where it is no folder, or a link. `prefix` is
  /// for unreadable().
  std::map<std::string, NpyArray> read(const fs::path& folder, const std::string& prefix,
                                       const std::set<std::string>& wanted);

  /// What was no array, by `prefix` and name, and why.
  const std::map<std::string, std::string>& unreadable() const { return unreadable_; }

 private:
  size_t file_bytes_;
  size_t left_bytes_;
  std::map<std::string, std::string> unreadable_;
};

}  // namespace warpgrade
