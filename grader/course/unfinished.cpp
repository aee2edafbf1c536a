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

std::string without_unwritten_lines(std::string_view handout) {
  std::vector<std::string> kept;
  for (std::string& line : split(handout, '\n')) {
    if (line.find(kMark) != std::string::npos) continue;
    const bool is_second_blank = line.empty() && !kept.empty() && kept.back().empty();
    if (!is_second_blank) kept.push_back(std::move(line));
  }
  return join(kept, "\n");
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
