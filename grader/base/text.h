// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// `text` without leading and trailing blanks (space, tab, CR, LF).
std::string_view trim(std::string_view text);

/// Whether the text is one decimal digit or more, and nothing else.
bool is_number(std::string_view text);

/// Pieces of `text` between separators; n separators give n + 1 pieces, empty ones included.
std::vector<std::string> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& pieces, std::string_view separator);

bool contains(const std::vector<std::string>& list, std::string_view text);

/// The candidate nearest to `word` by edit distance, or empty where none is near enough to be
/// meant.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// True where all of `text` is valid UTF-8.
bool is_utf8(std::string_view text);

/// `text` with control characters (C0 and C1), marks of direction and others without a shape, and invalid UTF-8 made
/// visible: safe to print on a terminal, and to be read as it is.
std::string printable(std::string_view text);

/// The same JSON, in which the strings hold such characters as escapes.
std::string printable_json(std::string_view json);

/// "1 case", "2 cases", "2 launches".
std::string counted(long count, std::string_view noun);

}  // namespace warpgrade
