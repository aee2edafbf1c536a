// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "course/handout.h"
#include "course/template.h"

namespace warpgrade {

/// Collects files below a folder; remembers the first that could not be read.
class Collector {
 public:
  explicit Collector(fs::path folder) : folder_(std::move(folder)) {}

  void take(const fs::path& path) { put(path, read(path)); }

  /// Every file below `folder`.
  void take_folder(const fs::path& folder) {
    const Result<std::vector<std::string>> names = files_.list(folder_ / folder);
    if (!names) return fail(names.error().message);
    for (const std::string& name : *names) {
      if (files_.is_folder(folder_ / folder / name)) {
        take_folder(folder / name);
      } else {
        take(folder / name);
      }
    }
  }

  /// Changes `from`, which must be there, to `to`.
  void replace(const fs::path& path, const std::string& from, const std::string& to) {
    if (tree_[path].find(from) == std::string::npos)
      return fail(fmt::format("{} has no '{}' any more", path.string(), from));
    replace_all(path, from, to);
  }

  void replace_all(const fs::path& path, const std::string& from, const std::string& to) {
    tree_[path] = fill(tree_[path], {{from, to}});
  }

  void put(const fs::path& path, Result<std::string> text) {
    if (!text) return fail(text.error().message);
    tree_[path] = std::move(*text);
  }

  void leave_out(const fs::path& path) { tree_.erase(path); }

  /// What has been taken or put there so far.
  Result<std::string> taken(const fs::path& path) const {
    const auto found = tree_.find(path);
    if (found == tree_.end()) return Error{fmt::format("{} was not taken", path.string())};
    return found->second;
  }

  Result<std::string> read(const fs::path& path) const { return files_.read(folder_ / path); }

  Result<FileTree> finish() {
    if (!problem_.empty()) return Error{problem_};
    return std::move(tree_);
  }

 private:
  void fail(const std::string& why) {
    if (problem_.empty()) problem_ = why;
  }

  const fs::path folder_;
  RealFiles files_;
  FileTree tree_;
  std::string problem_;
};

}  // namespace warpgrade
