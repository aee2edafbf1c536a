// SPDX-License-Identifier: MIT
#include "pipeline/workspace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpgrade {

Result<std::unique_ptr<Workspace>> Workspace::make() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "warpgrade-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    return Error{fmt::format("cannot make a temporary folder {}: {}", name, std::strerror(errno))};
  }
  fs::permissions(name, fs::perms(0711), error);
  return std::unique_ptr<Workspace>(new Workspace(name));
}

Workspace::~Workspace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace warpgrade
