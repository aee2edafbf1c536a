// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/counters/footprint.h"
#include "emulator/counters/metrics.h"
#include "emulator/model/cost_profile.h"
#include "emulator/model/work.h"
#include "emulator/model/work_spread.h"

namespace warpgrade::emulator {

/// A sector of registers that are saved, all lanes of a warp to one line of local memory, takes the L2 cache this share of
/// what l2_local_factor says, which is about lanes at different lines (README.md).
constexpr double kWholeLineShare = 0.48;

/// The device's L1 caches: how many, and the bytes that shared memory leaves of each.
struct L1Caches {
  double count = 1, bytes = 0;
};

/// `footprint` of the sampled blocks, `spread` of all.
LaunchWork make_work(const Counts& counts, const CostProfile& profile,
                     const FootprintTotals& footprint, const WorkSpread& spread, uint64_t blocks,
                     uint64_t warps_per_block, const L1Caches& caches = {});

/// Adds what ptxas spills of a thread's registers, by the bytes of its instructions. No PTX says where they stand: they are
/// taken to stand where most instructions run.
void add_spills(LaunchWork& work, const Counts& counts, double store_bytes, double load_bytes);

/// Adds what an instruction of that kind asks of the shared memory of other blocks of its cluster.
void add_far(LaunchWork& work, OpKind kind, const RareCount& count);

}  // namespace warpgrade::emulator
