// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/graders_range.h"

#include <nlohmann/json.hpp>

#include "emulator/runtime/record/ranges.h"

namespace warpgrade::emulator {
namespace {

void write_mark(Machine& machine, const std::string& name, bool begins) {
  Json mark = {{"name", name}, {"begins", begins}};
  if (const size_t blocks = machine.taken_in_kernels().blocks; blocks != 0)
    mark["heap_blocks"] = blocks;
  machine.trace.write("range", mark);
}

}  // namespace

int begin_graders_range(Machine& machine, const std::string& name) {
  write_mark(machine, name, true);
  return graders_ranges().push(name);
}

int end_graders_range(Machine& machine) {
  write_mark(machine, graders_ranges().innermost(), false);
  return graders_ranges().pop();
}

}  // namespace warpgrade::emulator
