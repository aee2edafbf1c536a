// SPDX-License-Identifier: MIT
#include "course/untouched.h"

#include <string>

#include "base/hash.h"
#include "base/text.h"

namespace warpgrade {
namespace {

std::string hash_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t\r") + 1);
  return sha256_hex(join(lines, "\n"));
}

}  // namespace

bool is_untouched(std::string_view text, std::string_view stamp) {
  return split(trim(stamp), ' ').front() == hash_of(text);
}

std::string skeleton_stamp(std::string_view text) { return hash_of(text) + "\n"; }

}  // namespace warpgrade
