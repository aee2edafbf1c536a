// SPDX-License-Identifier: MIT
#include "sandbox/devices.h"

#include <fmt/format.h>

namespace warpgrade {

Status find_devices(const Command& command) {
  for (const fs::path& path : command.devices) {
    std::error_code missing;
    const fs::file_type type = fs::status(path, missing).type();
    if (type == fs::file_type::not_found)
      return Error{fmt::format("the device {} is missing", path.string())};
    if (type != fs::file_type::character && type != fs::file_type::block)
      return Error{fmt::format("{} is no device", path.string())};
  }
  return {};
}

}  // namespace warpgrade
