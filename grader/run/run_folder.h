// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <functional>
#include <optional>

#include "base/files.h"

namespace warpgrade {

/// A folder that one run after another writes, none of which finds a trace of those before it.
class RunFolder {
 public:
  explicit RunFolder(fs::path path) : path_(std::move(path)) {}

  /// Gives its owner a new folder: see renew().
  using HandOver = std::function<bool(const fs::path&)>;

  /// Makes the folder as new: empties it where the last run left only files in it and the folder
  /// itself as it was, and else puts another one in its place, which `hand_over` is called for.
  /// True where it is another one, which a view made before does not hold.
  Result<bool> renew(const HandOver& hand_over);

  const fs::path& path() const { return path_; }

 private:
  bool empty() const;
  bool is_as_made() const;
  Status put_aside();

  fs::path path_;
  std::optional<struct stat> made_;  ///< none before it is made
  int put_aside_ = 0;
};

}  // namespace warpgrade
