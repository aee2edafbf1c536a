// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/diagnostics.h"

namespace warpgrade {

/// Reports what must not stand in a file of settings wherever it stands: tabs that indent, control
/// bytes, bytes that are no UTF-8, characters that nobody sees, directives.
void check_source(const std::vector<std::string>& lines, Diagnostics& errors);

/// Reports why yaml-cpp stopped at `place` with `message`, in words that say what to write instead.
void explain(std::string_view message, Place place, const std::vector<std::string>& lines,
             Diagnostics& errors);

/// Past the quote that closes the one at the beginning of `text`; npos where none does.
size_t after_quote(std::string_view text);

}  // namespace warpgrade
