// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/counters/metrics.h"
#include "emulator/model/cost_profile.h"
#include "emulator/model/time_model.h"

namespace warpgrade::emulator {

/// The part of a launch's modelled time that each instruction takes, in the order of the program. A pipe counts for as
/// much as it lengthens the launch in estimate_time(). The time to start the launch and its blocks belongs to no
/// instruction. The parts add up to 1, or are all 0 where no instruction takes time.
std::vector<double> time_shares(const Counts& counts, const CostProfile& profile,
                                const LaunchWork& work, const DeviceModel& device,
                                const TimeEstimate& estimate, const ModelConstants& constants = {});

}  // namespace warpgrade::emulator
