// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/counters/footprint.h"
#include "emulator/counters/metrics.h"
#include "emulator/model/cost_profile.h"
#include "emulator/model/work.h"
#include "emulator/model/work_spread.h"

namespace warpgrade::emulator {

/// `footprint` of the sampled blocks, `spread` of all.
LaunchWork make_work(const Counts& counts, const CostProfile& profile,
                     const FootprintTotals& footprint, const WorkSpread& spread, uint64_t blocks,
                     uint64_t warps_per_block);

}  // namespace warpgrade::emulator
