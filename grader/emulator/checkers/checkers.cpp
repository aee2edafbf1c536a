// SPDX-License-Identifier: MIT
#include "emulator/checkers/checkers.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "base/text.h"

namespace warpgrade::emulator {
namespace {

struct Named {
  std::string_view name;
  bool Checkers::*on;
};
constexpr Named kNames[] = {{"memory", &Checkers::memory}, {"padding", &Checkers::padding},
                            {"init", &Checkers::init},     {"race", &Checkers::race},
                            {"sync", &Checkers::sync},     {"api", &Checkers::api},
                            {"fences", &Checkers::fences}};

bool turn_on(Checkers& checkers, std::string_view name) {
  if (name == "none") return true;
  if (name == "all") {
    const Checkers by_name = checkers;
    checkers = all_checkers();
    checkers.padding = by_name.padding;
    checkers.fences = by_name.fences;
    return true;
  }
  for (const Named& checker : kNames) {
    if (checker.name != name) continue;
    checkers.*checker.on = true;
    return true;
  }
  return false;
}

std::string all_names() {
  std::string names;
  for (const Named& checker : kNames) names += fmt::format("{}, ", checker.name);
  return names + "all, none";
}

}  // namespace

Result<Checkers> parse_checkers(std::string_view list) {
  Checkers checkers;
  for (const std::string& name : split(list, ',')) {
    if (!turn_on(checkers, trim(name)))
      return Error{fmt::format("{}: write names out of {}", printable(name), all_names())};
  }
  return checkers;
}

}  // namespace warpgrade::emulator
