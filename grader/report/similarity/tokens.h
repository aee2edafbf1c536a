// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpgrade {

/// A token of a C++ program, as far as a person who hides a copy cannot change it at will.
struct Token {
  uint64_t kind = 0;  ///< Equal for tokens that are alike.
  size_t line = 0;    ///< From 1.

  bool operator==(const Token& other) const { return kind == other.kind; }
};

/// The tokens of C++ or CUDA code. Names chosen by the author are all alike, and so are numbers and strings; keywords and
/// the names of CUDA's interface stay. Comments, layout, includes, braces and qualifiers that change nothing are left out.
std::vector<Token> read_tokens(std::string_view source);

}  // namespace warpgrade
