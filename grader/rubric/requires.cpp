// SPDX-License-Identifier: MIT
#include "rubric/requires.h"

#include <algorithm>
#include <regex>

#include "base/text.h"

namespace warpgrade {
namespace {

/// One bound: the capability 8.6 is 806, because minor numbers may have two digits one day.
struct CapabilityBound {
  std::string sign;
  int capability = 0;
};

int as_number(int major, int minor) { return 100 * major + minor; }

std::vector<CapabilityBound> bounds_of(const std::string& text) {
  static const std::regex bound("(>=|<=|>|<|)([0-9]{1,2})\\.([0-9]{1,2})");
  std::vector<CapabilityBound> bounds;
  for (const std::string& word : split(text, ' ')) {
    std::smatch match;
    if (!std::regex_match(word, match, bound)) return {};
    bounds.push_back({match[1], as_number(std::stoi(match[2]), std::stoi(match[3]))});
  }
  return bounds;
}

bool holds(const CapabilityBound& bound, int capability) {
  if (bound.sign == ">=") return capability >= bound.capability;
  if (bound.sign == "<=") return capability <= bound.capability;
  if (bound.sign == ">") return capability > bound.capability;
  if (bound.sign == "<") return capability < bound.capability;
  return capability == bound.capability;
}

}  // namespace

bool accepts(const Requires& wanted, int major, int minor) {
  if (wanted.major && *wanted.major != major) return false;
  if (wanted.compute_capability.empty()) return true;
  const std::vector<CapabilityBound> bounds = bounds_of(wanted.compute_capability);
  return std::all_of(bounds.begin(), bounds.end(), [&](const CapabilityBound& bound) {
    return holds(bound, as_number(major, minor));
  });
}

std::string describe_devices(const Requires& wanted) {
  std::vector<std::string> parts;
  if (!wanted.compute_capability.empty()) parts.push_back(wanted.compute_capability);
  if (wanted.major) parts.push_back("major " + std::to_string(*wanted.major));
  return parts.empty() ? "any" : join(parts, ", ");
}

bool is_capability_range(std::string_view text) {
  return text.size() <= 64 && !bounds_of(std::string(text)).empty();
}

const std::vector<std::string>& code_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const char* kind : {"sm_", "compute_"}) {
      for (const char* arch :
           {"75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"})
        all.push_back(std::string(kind) + arch);
    }
    return all;
  }();
  return names;
}

}  // namespace warpgrade
