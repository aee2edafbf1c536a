// SPDX-License-Identifier: MIT
#include "intake/refusal.h"

#include <stdexcept>
#include <vector>

#include "sentences/say.h"

namespace warpgrade {

Sentence say_refusal(const Refusal& refusal) {
  if (refusal.empty()) return {};
  std::vector<Filling> fillings;
  for (const auto& [place, text] : refusal.args) fillings.emplace_back(place, text);
  // A sentence takes a list whose length the compiler knows.
  if (fillings.size() == 1) return say(refusal.id, {fillings[0]});
  if (fillings.size() == 2) return say(refusal.id, {fillings[0], fillings[1]});
  throw std::invalid_argument(refusal.id + " has neither one nor two arguments");
}

Sentence say_refusal(Refusal refusal, const std::string& name) {
  refusal.args["name"] = name;
  return say_refusal(refusal);
}

}  // namespace warpgrade
