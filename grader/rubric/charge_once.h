// SPDX-License-Identifier: MIT
#pragma once

#include "rubric/rubric.h"

namespace warpgrade {

/// Tells rules which faults another item of the rubric charges already: what a range gives back twice is the memory
/// checker's where an item asks that one, and the rule `freed` charges it elsewhere.
void charge_once(Rubric& rubric);

}  // namespace warpgrade
