// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

constexpr size_t kReportColumns = 100;

/// Columns that `text` takes: its characters, as far as each takes one.
size_t text_width(std::string_view text);

/// `text` on lines of at most `columns`, broken at blanks, or within a word that is longer than a
/// line. Its own line breaks stay.
std::vector<std::string> wrap(std::string_view text, size_t columns);

/// `text` cut to `columns`, with "..." where something was cut.
std::string shorten(std::string_view text, size_t columns);

/// `text` with blanks before or after it up to `columns`.
std::string pad_left(std::string_view text, size_t columns);
std::string pad_right(std::string_view text, size_t columns);

}  // namespace warpgrade
