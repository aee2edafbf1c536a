// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace warpgrade {
namespace {

Error failure(std::string_view what, const fs::path& path) {
  return {fmt::format("{} {}: {}", what, path.string(), std::strerror(errno))};
}

/// Closes its descriptor at the end of the scope.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

bool write_all(int fd, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(fd, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// At most `size` bytes: a file that grows while it is read is cut, one that shrinks is short.
Result<std::string> read_all(const Descriptor& file, size_t size, const fs::path& path) {
  std::string contents(size, '\0');
  size_t filled = 0;
  while (filled < contents.size()) {
    const ssize_t got = ::read(file.fd, contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read", path);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

UntrustedFile refused(const std::string& id, const std::string& name) {
  return {{}, {id, {{"name", name}}}};
}

/// Why `name` could not be opened without following links: its owner's doing, or else the machine's.
Result<UntrustedFile> refusal_or_failure(int error, const std::string& name, const fs::path& path) {
  if (error == ENOENT || error == ENOTDIR) {
    return refused("intake.missing", name);
  }
  errno = error;
  return failure("cannot read", path);
}

/// Links, FIFOs and devices are told before they are opened: opening one can already do harm.
std::string why_not_opened(const struct stat& info) {
  if (S_ISLNK(info.st_mode)) return "intake.link";
  return S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) ? "" : "intake.irregular";
}

Refusal why_not_read(const struct stat& info, const std::string& name, size_t limit_bytes) {
  if (!S_ISREG(info.st_mode)) return {"intake.irregular", {{"name", name}}};
  if (static_cast<size_t>(info.st_size) > limit_bytes)
    return {"intake.too_large", {{"name", name}, {"bytes", std::to_string(limit_bytes)}}};
  return {};
}

}  // namespace

Result<std::string> RealFiles::read(const fs::path& path, size_t limit_bytes) const {
  // O_NONBLOCK: a FIFO handed in as a submission must not hang the grader.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) return failure("cannot read", path);
  struct stat info {};
  if (::fstat(file.fd, &info) != 0) return failure("cannot read", path);
  if (!S_ISREG(info.st_mode)) return Error{fmt::format("{} is not a regular file", path.string())};
  if (static_cast<size_t>(info.st_size) > limit_bytes) {
    return Error{fmt::format("{} is larger than {} bytes", path.string(), limit_bytes)};
  }
  return read_all(file, static_cast<size_t>(info.st_size), path);
}

Result<UntrustedFile> RealFiles::read_untrusted(const fs::path& inside, const fs::path& relative,
                                                size_t limit_bytes) const {
  const fs::path path = inside / relative;
  Descriptor at{::open(inside.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (at.fd < 0) return failure("cannot read", inside);
  for (const fs::path& part : relative) {
    if (part == ".." || part.is_absolute()) {
      return refused("intake.outside", printable(relative.string()));
    }
    const std::string name = printable(part.string());
    struct stat info {};
    if (::fstatat(at.fd, part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return refusal_or_failure(errno, name, path);
    }
    if (const std::string why = why_not_opened(info); !why.empty()) {
      return refused(why, name);
    }
    const int next = ::openat(at.fd, part.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (next < 0) return refusal_or_failure(errno, name, path);
    ::close(std::exchange(at.fd, next));
  }
  struct stat info {};
  if (::fstat(at.fd, &info) != 0) return failure("cannot read", path);
  Refusal why = why_not_read(info, printable(relative.filename().string()), limit_bytes);
  if (!why.empty()) return UntrustedFile{{}, std::move(why)};
  // Whoever may link a file may hand in what another one wrote.
  if (info.st_nlink > 1)
    return Error{
        fmt::format("{} is a hard link, one of {} names of the same file, so that it may be the "
                    "work of another "
                    "student: replace it by a copy",
                    path.string(), info.st_nlink)};
  Result<std::string> contents = read_all(at, static_cast<size_t>(info.st_size), path);
  if (!contents) return contents.error();
  return UntrustedFile{std::move(*contents), {}};
}

Status RealFiles::write(const fs::path& path, std::string_view contents) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code unmade;
  fs::create_directories(folder, unmade);
  if (unmade) return Error{fmt::format("cannot make {}: {}", folder.string(), unmade.message())};
  std::string temporary = path.string() + ".tmp.XXXXXX";
  {
    const Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
    if (file.fd < 0) return failure("cannot write", path);
    if (!write_all(file.fd, contents) || ::fchmod(file.fd, 0644) != 0 || ::fsync(file.fd) != 0) {
      const Error error = failure("cannot write", path);
      ::unlink(temporary.c_str());
      return error;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = failure("cannot write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  const Descriptor directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (directory.fd >= 0) ::fsync(directory.fd);
  return {};
}

bool RealFiles::exists(const fs::path& path) const {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool RealFiles::is_folder(const fs::path& path) const {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<std::vector<std::string>> RealFiles::list(const fs::path& folder) const {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return Error{fmt::format("cannot list {}: {}", folder.string(), error.message())};
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace warpgrade
