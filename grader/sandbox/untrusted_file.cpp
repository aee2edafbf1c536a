// SPDX-License-Identifier: MIT
#include "sandbox/untrusted_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/descriptor.h"

namespace warpgrade {

Result<std::string> read_untrusted(const fs::path& path, size_t limit_bytes) {
  const std::string name = path.filename().string();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return Error{fmt::format("{} cannot be read", name)};
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
    return Error{fmt::format("{} is not a plain file", name)};
  const auto size = static_cast<size_t>(info.st_size);
  if (size > limit_bytes)
    return Error{fmt::format("{} has {} bytes, more than the {} allowed", name, size, limit_bytes)};
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

}  // namespace warpgrade
