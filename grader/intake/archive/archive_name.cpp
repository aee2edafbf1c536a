// SPDX-License-Identifier: MIT
#include "intake/archive/archive_name.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace warpgrade {

bool is_archive(const fs::path& name) {
  constexpr std::array<std::string_view, 11> kEndings = {
      ".zip",    ".tar",    ".tgz",     ".txz",     ".tzst",    ".tbz2",
      ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tar.zstd"};
  std::string lower = name.filename().string();
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&lower](std::string_view ending) { return lower.ends_with(ending); });
}

}  // namespace warpgrade
