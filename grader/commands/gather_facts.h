// SPDX-License-Identifier: MIT
#pragma once

#include "commands/doctor.h"
#include "pipeline/installation.h"

namespace warpgrade {

/// Where gather_facts() looks.
struct FactPlaces {
  Paths paths;
  std::string cuda_home;    ///< the value of CUDA_HOME
  std::string search_path;  ///< the value of PATH
  std::vector<std::string> slugs;
};

/// Asks this machine. Takes about a second, and some more where its driver hangs.
MachineFacts gather_facts(const FactPlaces& places);

}  // namespace warpgrade
