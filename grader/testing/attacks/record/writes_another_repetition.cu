// SPDX-License-Identifier: MIT
// attacks: names the driver's own inline function, whose object says where outputs go, and sends them elsewhere
// control: does_not_compile
// earns: at most its control
// must stay: neighbours
#include <string>

namespace warpgrade::harness {
struct Repetition {
  std::string input, number;
  static Repetition& current();
};
}  // namespace warpgrade::harness

#define BEFORE_THE_KERNEL(c, a, b, n) warpgrade::harness::Repetition::current().number = "../in"
#define AFTER_THE_KERNEL(c, a, b, n) warpgrade::harness::Repetition::current().input = "../out"
#include "controls/wrong.cu"
