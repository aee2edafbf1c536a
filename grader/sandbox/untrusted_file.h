// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/files.h"

namespace warpgrade {

/// Contents of a file that a command in the sandbox could write. Only a regular file of at most
/// `limit_bytes` with a single name is read: a link, pipe or device left in its place is an Error.
Result<std::string> read_untrusted(const fs::path& path, size_t limit_bytes);

/// The same of a file of any size, of which no more than `limit_bytes` are read.
Result<std::string> read_untrusted_head(const fs::path& path, size_t limit_bytes);

}  // namespace warpgrade
