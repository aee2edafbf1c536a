// SPDX-License-Identifier: MIT
#include "sandbox/untrusted_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "sandbox/descriptor.h"

namespace warpgrade {

namespace {

enum class TooLong { kRefuse, kCut };

Result<std::string> read(const fs::path& path, size_t limit_bytes, TooLong too_long) {
  const std::string name = path.filename().string();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Error{fmt::format("{} cannot be read", name)};
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
    return Error{fmt::format("{} is not a plain file", name)};
  auto size = static_cast<size_t>(info.st_size);
  if (size > limit_bytes && too_long == TooLong::kRefuse)
    return Error{fmt::format("{} has {} bytes, more than the {} allowed", name, size, limit_bytes)};
  size = std::min(size, limit_bytes);
  std::string contents(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(file.get(), contents.data() + filled, size - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

}  // namespace

Result<std::string> read_untrusted(const fs::path& path, size_t limit_bytes) {
  return read(path, limit_bytes, TooLong::kRefuse);
}

Result<std::string> read_untrusted_head(const fs::path& path, size_t limit_bytes) {
  return read(path, limit_bytes, TooLong::kCut);
}

}  // namespace warpgrade
