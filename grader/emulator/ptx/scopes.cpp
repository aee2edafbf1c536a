// SPDX-License-Identifier: MIT
#include "emulator/ptx/scopes.h"

namespace warpgrade::emulator::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Scopes::declare_range(std::string_view prefix, int first, uint32_t count) {
  Level& level = levels_.back();
  level.ranges[prefix] = {first, count};
  level.digits_in_prefix |= !prefix.empty() && is_digit(prefix.back());
}

int Scopes::find(std::string_view name) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (const auto found = level->names.find(name); found != level->names.end())
      return found->second;
    if (const int reg = find_in_range(*level, name); reg >= 0) return reg;
  }
  return -1;
}

int Scopes::find_variable(std::string_view name) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (const auto found = level->variables.find(name); found != level->variables.end())
      return found->second;
  }
  return -1;
}

/// Where the prefix ends is not written: it may end in digits, too.
int Scopes::find_in_range(const Level& level, std::string_view name) {
  constexpr size_t kMaxDigits = 7;
  if (level.ranges.empty()) return -1;
  uint64_t index = 0, weight = 1;
  for (size_t digits = 1; digits <= kMaxDigits && digits < name.size(); ++digits, weight *= 10) {
    const char digit = name[name.size() - digits];
    if (!is_digit(digit)) return -1;
    index += weight * static_cast<uint64_t>(digit - '0');
    if (!level.digits_in_prefix && is_digit(name[name.size() - digits - 1])) continue;
    const auto range = level.ranges.find(name.substr(0, name.size() - digits));
    if (range != level.ranges.end() && index < range->second.count)
      return range->second.first + static_cast<int>(index);
  }
  return -1;
}

}  // namespace warpgrade::emulator::ptx
