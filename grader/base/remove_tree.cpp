// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// A recursion needs a descriptor, or a path of any length, for each level. Instead the tree is made
// flat: each folder's own folders are moved up beside it under new names, until none has a folder in
// it. A folder can be opened, and moved to another parent, only by who may read and write it, so
// each is opened up first.
#include "base/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

namespace warpgrade {
namespace {

using Clock = std::chrono::steady_clock;
using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;

class TreeRemoval {
 public:
  explicit TreeRemoval(std::chrono::milliseconds patience) : end_(Clock::now() + patience) {}

  /// Removes what lies in the folder; false where something is left.
  bool empty(int folder) {
    for (bool found = true; found;) {
      found = false;
      const Listing listing = list(folder);
      if (!listing) return false;
      while (const dirent* entry = ::readdir(listing.get())) {
        if (is_self_or_parent(entry)) continue;
        if (Clock::now() > end_) return false;
        if (is_folder(folder, entry->d_name) ? !remove_folder(folder, entry->d_name)
                                             : ::unlinkat(folder, entry->d_name, 0) != 0)
          return false;
        found = true;
      }
    }
    return true;
  }

 private:
  static bool is_self_or_parent(const dirent* entry) {
    const std::string_view name = entry->d_name;
    return name == "." || name == "..";
  }

  static bool is_folder(int parent, const char* name) {
    struct stat info {};
    return ::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
  }

  /// Its own position in the folder, so that one listing does not disturb another.
  static Listing list(int folder) {
    const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const listing = again < 0 ? nullptr : ::fdopendir(again);
    if (listing == nullptr && again >= 0) ::close(again);
    return {listing, &::closedir};
  }

  /// Moves the folders in `name` up into `parent`, and removes the rest.
  bool remove_folder(int parent, const char* name) {
    ::fchmodat(parent, name, S_IRWXU, 0);
    const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return false;
    const bool flat = flatten(parent, folder);
    ::close(folder);
    return flat && ::unlinkat(parent, name, AT_REMOVEDIR) == 0;
  }

  bool flatten(int parent, int folder) {
    const Listing listing = list(folder);
    if (!listing) return false;
    while (const dirent* entry = ::readdir(listing.get())) {
      if (is_self_or_parent(entry)) continue;
      if (Clock::now() > end_) return false;
      if (is_folder(folder, entry->d_name) ? !move_up(folder, entry->d_name, parent)
                                           : ::unlinkat(folder, entry->d_name, 0) != 0)
        return false;
    }
    return true;
  }

  bool move_up(int folder, const char* name, int parent) {
    ::fchmodat(folder, name, S_IRWXU, 0);
    for (int tries = 0; tries < kTries; ++tries) {
      const std::string moved = fmt::format(".moved-{}-{}", ::getpid(), moved_++);
      // A file of the program's may have the name already: it is not replaced.
      if (::renameat2(folder, name, parent, moved.c_str(), RENAME_NOREPLACE) == 0) return true;
      if (errno != EEXIST) return false;
    }
    return false;
  }

  static constexpr int kTries = 1000;
  Clock::time_point end_;
  long moved_ = 0;
};

}  // namespace

bool remove_tree(const fs::path& path, std::chrono::milliseconds patience) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT;
  if (!S_ISDIR(info.st_mode)) return ::unlink(path.c_str()) == 0;
  ::chmod(path.c_str(), S_IRWXU);
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  const bool empty = TreeRemoval(patience).empty(folder);
  ::close(folder);
  return empty && ::rmdir(path.c_str()) == 0;
}

}  // namespace warpgrade
