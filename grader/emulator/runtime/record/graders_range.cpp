// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/graders_range.h"

#include <nlohmann/json.hpp>

#include "emulator/runtime/record/ranges.h"

namespace warpgrade::emulator {

int begin_graders_range(Machine& machine, const std::string& name) {
  machine.trace.write("range", {{"name", name}, {"begins", true}});
  return graders_ranges().push(name);
}

int end_graders_range(Machine& machine) {
  machine.trace.write("range", {{"name", graders_ranges().innermost()}, {"begins", false}});
  return graders_ranges().pop();
}

}  // namespace warpgrade::emulator
