// SPDX-License-Identifier: MIT
#include "base/copy_program.h"

#include <fmt/format.h>

namespace warpgrade {

Status copy_program(const fs::path& from, const fs::path& to) {
  constexpr auto kAnew = fs::copy_options::overwrite_existing;
  const fs::path libraries = from.parent_path() / "libs";
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  fs::copy_file(from, to, kAnew, failed);
  std::error_code none;
  if (!failed && fs::is_directory(libraries, none))
    fs::copy(libraries, to.parent_path() / "libs", kAnew | fs::copy_options::recursive, failed);
  if (!failed) return {};
  return Error{fmt::format("cannot copy {}: {}", from.string(), failed.message())};
}

}  // namespace warpgrade
