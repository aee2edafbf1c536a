// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace warpgrade {

/// What the user can do about a file that could not be read or written, as the message's last line says; empty for
/// other mistakes.
std::string remedy_of(std::string_view message);

}  // namespace warpgrade
