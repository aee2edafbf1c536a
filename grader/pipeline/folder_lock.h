// SPDX-License-Identifier: MIT
#pragma once

#include "base/files.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

/// Keeps other processes that ask for the same folder waiting, on this machine and, where the file system
/// knows locks, on others. The kernel gives it up with the process.
class FolderLock {
 public:
  /// Waits for those who have it. Where the file system knows no locks, it holds nothing back.
  explicit FolderLock(const fs::path& folder);

 private:
  Descriptor file_;
};

}  // namespace warpgrade
