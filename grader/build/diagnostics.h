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

  bool operator==(const Diagnostic&) const = default;
};

/// Finds the complaints of nvcc, g++ and ld in what they printed. Lines that only illustrate one are left out.
std::vector<Diagnostic> parse_diagnostics(std::string_view output);

/// "matmul-pitched.cu:12: error: identifier "foo" is undefined".
std::string to_string(const Diagnostic& diagnostic);

}  // namespace warpgrade
