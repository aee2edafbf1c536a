// SPDX-License-Identifier: MIT
#include "report/csv_cell.h"

#include <fmt/format.h>

#include "base/text.h"

namespace warpgrade {

std::string csv_cell(const std::string& text) {
  std::string safe = printable(text);
  const bool is_formula =
      !safe.empty() && std::string_view("=+-@\t").find(safe[0]) != std::string_view::npos;
  if (is_formula) safe = fmt::format("'{}", safe);
  if (safe.find_first_of(",\"\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

}  // namespace warpgrade
