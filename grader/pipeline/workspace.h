// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/files.h"

namespace warpgrade {

/// A temporary folder that any user may enter but not list, gone with its content when this ends.
class Workspace {
 public:
  static Result<std::unique_ptr<Workspace>> make();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  explicit Workspace(fs::path folder) : folder_(std::move(folder)) {}

  fs::path folder_;
};

}  // namespace warpgrade
