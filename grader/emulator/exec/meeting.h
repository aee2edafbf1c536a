// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/warp.h"

// PTX ISA 9.7.9.6 and 9.7.13: shfl.sync, vote.sync, match.sync, redux.sync and elect.sync wait until all members have executed
// one with the same qualifiers and members, wherever it stands: in two branches, or in a function that lanes have called apart.

namespace warpgrade::emulator {

/// Where some groups wait in several places for one exchange and none is missing, marks them as Group::meets but for one, which
/// runs for all of them: Warp::meets. False where there are none. Places that one thread may pass one after the other do not
/// belong together: there some lanes left an exchange out.
bool let_groups_meet(Warp& warp);

/// Runs the instruction for the lanes in warp.mask and those of the groups that are to meet them, which then go on behind theirs.
void run_where_groups_meet(Warp& warp, const Instruction& instruction);

}  // namespace warpgrade::emulator
