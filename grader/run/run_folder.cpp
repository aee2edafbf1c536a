// SPDX-License-Identifier: MIT
#include "run/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "base/remove_tree.h"
#include "sandbox/descriptor.h"

namespace warpgrade {
namespace {

constexpr int kMostFiles = 256;
constexpr std::chrono::milliseconds kFolderPatience{2000};

/// Flags that a program may set on its own folders; none where the file system has no such flags.
long flags_of(int folder) {
  int flags = 0;
  return ::ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0 ? flags : 0;
}

Descriptor open_folder(const fs::path& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Result<bool> RunFolder::renew(const HandOver& hand_over) {
  if (made_ && empty() && is_as_made()) return false;
  if (Status aside = put_aside(); !aside) return aside.error();
  std::error_code failed;
  fs::create_directories(path_, failed);
  struct stat info {};
  if (failed || !hand_over(path_) || ::lstat(path_.c_str(), &info) != 0)
    return Error{fmt::format("cannot make {}: {}", path_.string(),
                             failed ? failed.message() : std::strerror(errno))};
  made_ = info;
  return true;
}

/// Removes a few files; false where there is anything else.
bool RunFolder::empty() const {
  const int fd = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fd < 0 ? nullptr : ::fdopendir(fd),
                                                    &::closedir);
  if (!listing) return false;
  int files = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++files > kMostFiles || ::unlinkat(fd, entry->d_name, 0) != 0) return false;
  }
  return true;
}

/// Compares all of the folder itself that a program can change, and sets the times that it can set.
bool RunFolder::is_as_made() const {
  const Descriptor folder = open_folder(path_);
  struct stat now {};
  if (!folder || ::fstat(folder.get(), &now) != 0) return false;
  const struct stat& made = *made_;
  const bool same = now.st_ino == made.st_ino && now.st_mode == made.st_mode &&
                    now.st_uid == made.st_uid && now.st_gid == made.st_gid &&
                    now.st_nlink == made.st_nlink && now.st_size == made.st_size;
  // FS_EXTENT_FL and its like are the file system's; programs may set these.
  constexpr long kOfPrograms = FS_NODUMP_FL | FS_NOATIME_FL | FS_SYNC_FL | FS_DIRSYNC_FL |
                               FS_COMPR_FL | FS_NOCOMP_FL | FS_UNRM_FL | FS_SECRM_FL | FS_TOPDIR_FL;
  const timespec times[] = {made.st_atim, made.st_mtim};
  return same && ::flistxattr(folder.get(), nullptr, 0) <= 0 &&
         (flags_of(folder.get()) & kOfPrograms) == 0 && ::futimens(folder.get(), times) == 0;
}

/// Within its parent: to move it elsewhere, its owner would have to open it up first.
Status RunFolder::put_aside() {
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0) return {};
  const fs::path aside = fmt::format("{}.left-{}", path_.string(), put_aside_++);
  // Where removing it takes too long, it is left for whoever removes the parent.
  remove_tree(aside, kFolderPatience);
  if (::rename(path_.c_str(), aside.c_str()) != 0)
    return Error{fmt::format("cannot put {} aside: {}", path_.string(), std::strerror(errno))};
  remove_tree(aside, kFolderPatience);
  return {};
}

}  // namespace warpgrade
