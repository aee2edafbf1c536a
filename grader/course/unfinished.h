// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// What an author left open: one `path:line: ...` for each line of the handout that still holds the
/// template's words for him, which begin with "WRITE:".
std::vector<std::string> unwritten_lines(std::string_view handout, std::string_view path);

/// The handout without them.
std::string without_unwritten_lines(std::string_view handout);

/// Why the stamp, by which an untouched skeleton is known, is not the skeleton's; empty where it is.
std::string stale_stamp(std::string_view skeleton, std::string_view stamp, std::string_view path);

}  // namespace warpgrade
