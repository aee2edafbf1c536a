// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warpgrade::emulator {

/// A first, uncalibrated estimate of a launch's time from its counters: a fixed launch cost plus
/// the longest of instruction issue, shared-memory wavefronts and global sectors (the max-of-pipes
/// form of Zhang & Owens, HPCA'11).
double modelled_ms(const std::map<std::string, double>& metrics, uint32_t sm_count);

}  // namespace warpgrade::emulator
