// SPDX-License-Identifier: MIT
#include "pipeline/workspace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/remove_tree.h"

namespace warpgrade {
namespace {

constexpr std::string_view kPrefix = "warpgrade-work-";
// Long enough for a maker to lock what it made.
constexpr long kStaleSeconds = 60;
constexpr std::chrono::minutes kFolderPatience{1};
constexpr const char* kMemoryFolder = "/dev/shm";
constexpr uint64_t kEnoughBytes = uint64_t{1} << 30;

/// Thousands of small files come and go in a batch: in memory where there is room to run programs from, which
/// takes a quarter off the time of the cases, or where TMPDIR says.
fs::path workspace_parent(std::error_code& error) {
  struct statvfs info {};
  const bool usable = std::getenv("TMPDIR") == nullptr && ::access(kMemoryFolder, W_OK) == 0 &&
                      ::statvfs(kMemoryFolder, &info) == 0 && (info.f_flag & ST_NOEXEC) == 0 &&
                      uint64_t{info.f_bavail} * info.f_frsize >= kEnoughBytes;
  return usable ? fs::path(kMemoryFolder) : fs::temp_directory_path(error);
}

/// An open folder that no other process has locked, or nothing.
Descriptor lock(const fs::path& folder) {
  Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return open && ::flock(open.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(open) : Descriptor();
}

void remove_stale(const fs::path& parent, long stale_s) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    struct stat info {};
    const bool ours = entry.path().filename().string().starts_with(kPrefix) &&
                      ::lstat(entry.path().c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                      info.st_uid == ::geteuid();
    if (!ours || std::time(nullptr) - info.st_ctime < stale_s) continue;
    if (const Descriptor free = lock(entry.path())) remove_tree(entry.path(), kFolderPatience);
  }
}

}  // namespace

Result<std::unique_ptr<Workspace>> Workspace::make() {
  std::error_code error;
  const fs::path parent = workspace_parent(error);
  if (error) return Error{fmt::format("there is no temporary folder: {}", error.message())};
  return make_in(parent, kStaleSeconds);
}

Result<std::unique_ptr<Workspace>> Workspace::make_in(const fs::path& parent, long stale_s) {
  remove_stale(parent, stale_s);
  std::string name = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return Error{fmt::format("cannot make a temporary folder {}: {}", name, std::strerror(errno))};
  }
  Descriptor held = lock(name);
  std::error_code error;
  fs::permissions(name, fs::perms(0711), error);
  return std::unique_ptr<Workspace>(new Workspace(name, std::move(held)));
}

Workspace::~Workspace() { remove_tree(folder_, kFolderPatience); }

}  // namespace warpgrade
