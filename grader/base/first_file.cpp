// SPDX-License-Identifier: MIT
#include "base/first_file.h"

namespace warpgrade {

fs::path first_file(const std::vector<fs::path>& candidates) {
  std::error_code missing;
  for (const fs::path& each : candidates) {
    if (fs::is_regular_file(each, missing)) return fs::canonical(each, missing);
  }
  return {};
}

}  // namespace warpgrade
