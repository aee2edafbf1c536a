// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace warpgrade::cudart {

// What nvtx.cpp tells of the calling thread's ranges. Whoever links it defines these.

/// The program makes the grader's domain.
void graders_domain_made();

/// Both return the nesting depth of the range, as NVTX's functions do.
int range_pushed(std::string name);
int range_popped();

/// The same for ranges of the grader's domain, which hold for all threads.
int graders_range_pushed(std::string name);
int graders_range_popped();

void range_started(uint64_t id, std::string name);
void range_ended(uint64_t id);

}  // namespace warpgrade::cudart
