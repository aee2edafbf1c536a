// SPDX-License-Identifier: MIT
#include <utility>

#include "emulator/runtime/machine.h"
#include "emulator/runtime/nvtx.h"
#include "emulator/runtime/ranges.h"

namespace warpgrade::emulator {

int range_pushed(std::string name) { return this_threads_ranges().push(std::move(name)); }

int range_popped() { return this_threads_ranges().pop(); }

int graders_range_pushed(std::string name) {
  machine().trace.write("range", {{"name", name}, {"begins", true}});
  return graders_ranges().push(std::move(name));
}

int graders_range_popped() {
  machine().trace.write("range", {{"name", graders_ranges().innermost()}, {"begins", false}});
  return graders_ranges().pop();
}

void range_started(uint64_t id, std::string name) {
  this_threads_ranges().start(id, std::move(name));
}

void range_ended(uint64_t id) { this_threads_ranges().end(id); }

}  // namespace warpgrade::emulator
