// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/files.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

/// A temporary folder that any user may enter but not list, gone with its content when this ends;
/// where it was killed, the next one removes it.
class Workspace {
 public:
  static Result<std::unique_ptr<Workspace>> make();
  /// In `parent`, after removing what killed graders of this user left there that long ago.
  static Result<std::unique_ptr<Workspace>> make_in(const fs::path& parent, long stale_s);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  Workspace(fs::path folder, Descriptor lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  fs::path folder_;
  Descriptor lock_;  ///< held as long as the folder is in use
};

}  // namespace warpgrade
