// SPDX-License-Identifier: MIT
#include "course/unfinished.h"

#include <fmt/format.h>

#include "base/text.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

constexpr std::string_view kMark = "WRITE:";

}  // namespace

std::vector<std::string> unwritten_lines(std::string_view handout, std::string_view path) {
  std::vector<std::string> lines;
  int number = 0;
  for (const std::string& line : split(handout, '\n')) {
    ++number;
    const size_t mark = line.find(kMark);
    if (mark == std::string::npos) continue;
    const std::string_view wanted = trim(std::string_view(line).substr(mark + kMark.size()));
    lines.push_back(fmt::format("{}:{}: the template still asks here: {}", path, number, wanted));
  }
  return lines;
}

std::string stale_stamp(std::string_view skeleton, std::string_view stamp, std::string_view path) {
  if (is_untouched(skeleton, stamp)) return "";
  return fmt::format(
      "{}: the stamp is not the skeleton's, so that an untouched skeleton counts as started: write "
      "it "
      "anew with `warpgrade check --write`",
      path);
}

}  // namespace warpgrade
