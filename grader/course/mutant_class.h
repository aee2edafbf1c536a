// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// A kind of mistake that students make.
struct MutantClass {
  std::string_view id;
  std::string_view mistake;
};

/// All of them, in the order in which they are listed.
const std::vector<MutantClass>& mutant_classes();

/// nullptr where there is none of this id.
const MutantClass* find_mutant_class(std::string_view id);

/// The id at the start of "class: G1. What is wrong", empty where there is none that is known.
std::string mutant_class_of(std::string_view text);

}  // namespace warpgrade
