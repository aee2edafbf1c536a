// SPDX-License-Identifier: MIT
#include "rubric/driver_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/text.h"

namespace warpgrade {
namespace {

/// The source with a space for each byte of its `//` comments, so that places stay.
std::string without_comments(std::string_view source) {
  std::string code(source);
  for (size_t at = 0; (at = code.find("//", at)) != std::string::npos;) {
    const size_t end = std::min(code.find('\n', at), code.size());
    std::fill(code.begin() + static_cast<long>(at), code.begin() + static_cast<long>(end), ' ');
    at = end;
  }
  return code;
}

Place place_of(const std::string& code, size_t at) {
  const std::string_view before = std::string_view(code).substr(0, at);
  const size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(at - line_start) + 1};
}

}  // namespace

std::vector<std::string> declared_kernels(std::string_view header) {
  static const std::regex attribute(R"(__launch_bounds__\s*\([^()]*\))"),
      declaration(R"(__global__[^;{}(]*?(\w+)\s*\()");
  const std::string code = std::regex_replace(without_comments(header), attribute, "");
  std::vector<std::string> kernels;
  for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at)
    kernels.push_back((*at)[1]);
  return kernels;
}

void check_driver_launches(std::string_view driver, const std::vector<std::string>& kernels,
                           Diagnostics& errors) {
  static const std::regex launch(R"((\w+)\s*(?:<[^<>;]*>\s*)?<<<)");
  const std::string code = without_comments(driver);
  for (std::sregex_iterator at(code.begin(), code.end(), launch), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(kernels.begin(), kernels.end(), name) == kernels.end()) continue;
    errors.add(
        place_of(code, static_cast<size_t>(at->position(1))),
        fmt::format("<<<>>> calls the host function '{0}', which a student's file can define "
                    "in the kernel's place; write harness::launch({0}, grid, block, ...)",
                    name));
  }
}

}  // namespace warpgrade
