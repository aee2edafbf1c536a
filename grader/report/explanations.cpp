// SPDX-License-Identifier: MIT
#include "report/explanations.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warpgrade {
namespace {

/// "tile.cu:27" of "tile.cu:27: writes ..."; empty where the finding has no place.
std::string place_of(const std::string& finding) {
  const std::string place = finding.substr(0, finding.find(": "));
  const bool is_place = place.find(':') != std::string::npos &&
                        std::isdigit(static_cast<unsigned char>(place.back())) != 0;
  return is_place ? place : "";
}

}  // namespace

Explanations::Explanations(const std::string& language)
    : words_(language), mark_(trim(words_("item.because", {{"what", ""}, {"finding", ""}}))) {}

std::string Explanations::tell(const std::string& reason) {
  const size_t mark = reason.find(mark_);
  if (mark == std::string::npos) return reason;
  const size_t begin = mark + mark_.size(), end = std::min(reason.find('\n', mark), reason.size());
  const std::string finding(trim(std::string_view(reason).substr(begin, end - begin)));
  const std::string place = place_of(finding);
  if (place.empty() || told_.insert(finding).second) return reason;
  return reason.substr(0, mark) + words_("report.same_finding", {{"place", place}}) +
         reason.substr(end);
}

}  // namespace warpgrade
