// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

enum class Severity { kWarning, kError };

/// One complaint of the compiler or the linker.
struct Diagnostic {
  std::string file;  ///< name without its folder; empty where none was given
  int line = 0;      ///< 0 = unknown
  Severity severity = Severity::kError;
  std::string text;
  bool of_tool = false;  ///< a tool speaks of itself: it could not write, or had no memory

  bool is_of_source() const { return !of_tool; }
  bool operator==(const Diagnostic&) const = default;
};

/// Finds the complaints of nvcc, g++ and ld in what they printed. Lines that only illustrate one are left out.
std::vector<Diagnostic> parse_diagnostics(std::string_view output);

/// Whether a tool says that the system let it down: that its disk is full, or cannot be written or
/// read. No text of a source can look like that.
bool machine_error_in(std::string_view output);

/// "matmul-pitched.cu:12: error: identifier "foo" is undefined".
std::string to_string(const Diagnostic& diagnostic);

}  // namespace warpgrade
