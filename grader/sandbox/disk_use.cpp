// SPDX-License-Identifier: MIT
#include "sandbox/disk_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "sandbox/descriptor.h"
#include "sandbox/process_tree.h"

namespace warpgrade {
namespace {

constexpr size_t kBlockBytes = 512;  // unit of st_blocks, whatever the file system
constexpr int kMostLevels = 16;
constexpr int kMostFiles = 4096;
constexpr uint64_t kLeastFreeBytes = uint64_t{1} << 20;

using Listing = std::unique_ptr<DIR, int (*)(DIR*)>;

/// Sums up what lies below folders, within bounds of time, descriptors and depth.
class Count {
 public:
  void add_below(int parent, const char* name, int levels_left) {
    Descriptor folder(
        ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // A folder that is gone in the meantime takes no space.
    if (!folder && errno != ENOENT && errno != ENOTDIR) is_beyond_ = true;
    if (!folder || is_beyond_) return;
    const int again = ::dup(folder.get());
    const Listing listing(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
    if (!listing) {
      is_beyond_ = true;
      return;
    }
    while (const dirent* entry = ::readdir(listing.get())) {
      const std::string_view each = entry->d_name;
      if (each != "." && each != "..") add(folder.get(), entry->d_name, levels_left);
      if (is_beyond_) return;
    }
  }

  /// A file without a name that a process holds open.
  void add_nameless(const struct stat& info) {
    const bool is_new = nameless_.insert({info.st_dev, info.st_ino}).second;
    if (is_new) bytes_ += static_cast<size_t>(info.st_blocks) * kBlockBytes;
  }

  size_t bytes() const { return is_beyond_ ? kBeyondMeasure : bytes_; }

 private:
  void add(int folder, const char* name, int levels_left) {
    struct stat info {};
    if (::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (++files_ > kMostFiles || levels_left == 0) {
      is_beyond_ = true;
      return;
    }
    bytes_ += static_cast<size_t>(info.st_blocks) * kBlockBytes;
    if (S_ISDIR(info.st_mode)) add_below(folder, name, levels_left - 1);
  }

  size_t bytes_ = 0;
  int files_ = 0;
  bool is_beyond_ = false;
  std::set<std::pair<dev_t, ino_t>> nameless_;
};

void add_nameless_files(pid_t process, const std::set<dev_t>& devices, Count& count) {
  const std::string folder = fmt::format("/proc/{}/fd", process);
  const Listing open(::opendir(folder.c_str()), &::closedir);
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
    struct stat info {};
    const bool is_file = ::stat((folder + '/' + entry->d_name).c_str(), &info) == 0 &&
                         S_ISREG(info.st_mode) && info.st_nlink == 0;
    if (is_file && devices.count(info.st_dev) != 0) count.add_nameless(info);
  }
  for (const pid_t child : children_of(process)) add_nameless_files(child, devices, count);
}

}  // namespace

size_t bytes_in(const std::vector<fs::path>& folders, pid_t process) {
  Count count;
  std::set<dev_t> devices;
  for (const fs::path& folder : folders) {
    struct stat info {};
    if (::lstat(folder.c_str(), &info) == 0) devices.insert(info.st_dev);
    count.add_below(AT_FDCWD, folder.c_str(), kMostLevels);
  }
  if (process > 0 && !folders.empty()) add_nameless_files(process, devices, count);
  return count.bytes();
}

bool are_in_memory(const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [](const fs::path& folder) {
    struct statfs info {};
    return ::statfs(folder.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
  });
}

bool is_full(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    struct statvfs info {};
    if (::statvfs(folder.c_str(), &info) != 0) continue;
    // Some file systems count no files.
    const bool no_files = info.f_files != 0 && info.f_favail == 0;
    if (no_files || uint64_t{info.f_bavail} * info.f_frsize < kLeastFreeBytes) return true;
  }
  return false;
}

bool refuses_files(const fs::path& folder) {
  if (is_full({folder})) return true;
  std::string name = (folder / "room.XXXXXX").string();
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  const auto is_for_lack_of_room = [](int error) { return error == ENOSPC || error == EDQUOT; };
  if (!file) return is_for_lack_of_room(errno);
  const int error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(kLeastFreeBytes));
  ::unlink(name.c_str());
  return is_for_lack_of_room(error);
}

long out_of_memory_kills() {
  constexpr std::string_view kKey = "oom_kill ";
  std::ifstream counters("/proc/vmstat");
  for (std::string line; std::getline(counters, line);) {
    if (line.starts_with(kKey)) return std::strtol(line.c_str() + kKey.size(), nullptr, 10);
  }
  return 0;
}

}  // namespace warpgrade
