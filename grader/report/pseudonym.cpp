// SPDX-License-Identifier: MIT
#include "report/pseudonym.h"

#include <fmt/format.h>

#include <array>

#include "base/hash.h"

namespace warpgrade {
namespace {

constexpr std::array kManners = {"agile", "brave",  "bright", "calm",   "clever", "cosmic",
                                 "eager", "gentle", "golden", "happy",  "keen",   "lively",
                                 "lucky", "mellow", "noble",  "polar",  "proud",  "quiet",
                                 "rapid", "royal",  "silver", "sturdy", "sunny",  "swift",
                                 "tidy",  "vivid",  "warm",   "wise",   "witty",  "zesty"};
constexpr std::array kAnimals = {"badger", "beaver", "bison",  "crane",  "dolphin", "falcon",
                                 "ferret", "finch",  "gecko",  "gibbon", "heron",   "hornet",
                                 "ibex",   "jackal", "koala",  "lemur",  "lynx",    "magpie",
                                 "marmot", "newt",   "ocelot", "otter",  "panda",   "pelican",
                                 "puffin", "quail",  "raven",  "seal",   "tapir",   "walrus"};

}  // namespace

std::string pseudonym_of(uint64_t seed, const std::string& assignment, const std::string& student) {
  constexpr size_t kDigits = 4, kHex = 16;
  const std::string hash =
      sha256_hex(fmt::format("pseudonym\n{:016x}\n{}\n{}", seed, assignment, student));
  const auto number = [&](size_t at) {
    return std::stoul(hash.substr(at, kDigits), nullptr, kHex);
  };
  return fmt::format("{}-{}-{}", kManners[number(0) % kManners.size()],
                     kAnimals[number(kDigits) % kAnimals.size()],
                     hash.substr(2 * kDigits, kDigits));
}

}  // namespace warpgrade
