// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace warpgrade {

/// Whether `text` is the skeleton whose hash stands first in `stamp` (skeleton.sha256), line ends and blanks behind lines aside.
bool is_untouched(std::string_view text, std::string_view stamp);

/// What skeleton.sha256 holds for the skeleton `text`.
std::string skeleton_stamp(std::string_view text);

}  // namespace warpgrade
