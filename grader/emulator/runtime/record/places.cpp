// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/places.h"

#include <climits>
#include <utility>

#include "base/text.h"

namespace warpgrade::emulator {

HostPlace HostPlace::from(std::string_view file, uint32_t line) {
  constexpr size_t kMostBytes = 100;
  if (file.empty() || line == 0 || line > INT_MAX) return {};
  return {printable(file.substr(0, kMostBytes)), static_cast<int>(line)};
}

Finding at_place(Finding finding, HostPlace place) {
  finding.file = std::move(place.file);
  finding.line = place.line;
  return finding;
}

Finding at_call(Finding finding) {
  return has_host() ? at_place(std::move(finding), host().place(0)) : finding;
}

Finding at_code(Finding finding, uint64_t address) {
  return address != 0 && has_host() ? at_place(std::move(finding), host().place(address)) : finding;
}

}  // namespace warpgrade::emulator
