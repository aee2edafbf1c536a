// SPDX-License-Identifier: MIT
#include "course/mutant_class.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {

const std::vector<MutantClass>& mutant_classes() {
  static const std::vector<MutantClass> classes = {
      {"G1", "no guard, or one element too far"},
      {"G2", "grid rounded down"},
      {"G3", "off by one at an end"},
      {"G4", "x and y, or two sizes, mixed up"},
      {"G5", "right, but not coalesced"},
      {"P1", "width used as the pitch"},
      {"P2", "pitch counted in elements"},
      {"P3", "widths and pitches of a 2-D copy mixed up"},
      {"P4", "wrong slice pitch"},
      {"S1", "no barrier after the load"},
      {"S2", "no barrier before the overwrite"},
      {"S3", "barrier where threads diverge"},
      {"T1", "last partial tile forgotten"},
      {"T2", "partial tile not zeroed"},
      {"A1", "accumulator or output not initialised"},
      {"A2", "race where an atomic was needed"},
      {"A3", "counted in the wrong place"},
      {"O1", "integer overflow"},
      {"B1", "only right for one block size"},
      {"B2", "wrong launch shape or kind of shared memory"},
      {"H1", "not computed by the kernel asked for"},
      {"H2", "replayed or hard-coded answer"},
      {"H3", "resources not released"},
      {"H4", "failure not noticed, or copy in the wrong direction"},
      {"H5", "wrong timing"},
      {"N1", "less precision than float gives"},
  };
  return classes;
}

const MutantClass* find_mutant_class(std::string_view id) {
  const std::vector<MutantClass>& all = mutant_classes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const MutantClass& each) { return each.id == id; });
  return found == all.end() ? nullptr : &*found;
}

std::string mutant_class_of(std::string_view text) {
  constexpr std::string_view kPrefix = "class:";
  text = trim(text);
  if (text.substr(0, kPrefix.size()) != kPrefix) return "";
  text = trim(text.substr(kPrefix.size()));
  const std::string_view id = text.substr(0, text.find_first_of(".: "));
  return find_mutant_class(id) == nullptr ? "" : std::string(id);
}

}  // namespace warpgrade
