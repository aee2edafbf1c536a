// SPDX-License-Identifier: MIT
#include "course/untouched.h"

#include <string>

#include "base/hash.h"
#include "base/text.h"

namespace warpgrade {

bool is_untouched(std::string_view text, std::string_view stamp) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t\r") + 1);
  return split(trim(stamp), ' ').front() == sha256_hex(join(lines, "\n"));
}

}  // namespace warpgrade
