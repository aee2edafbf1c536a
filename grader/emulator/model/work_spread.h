// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/model/work.h"

namespace warpgrade::emulator {

/// How evenly the warps, blocks and multiprocessors of a launch share its instructions.
class WorkSpread {
 public:
  /// `multiprocessors`: to which blocks go in turn.
  explicit WorkSpread(int multiprocessors = 1);

  /// Block `linear` has ended: instructions of its longest warp, and of all its warps.
  void note(uint64_t linear, uint64_t longest, uint64_t all);
  void merge(const WorkSpread& other);
  /// Fills in the fields of `work` that say so; its number of blocks and of warps is known.
  void tell(LaunchWork& work) const;

 private:
  double longest_of_blocks_ = 0;  ///< summed over blocks
  double longest_ = 0, all_ = 0;
  double squares_ = 0;  ///< of the instructions of each block
  std::vector<double> multiprocessors_;
};

}  // namespace warpgrade::emulator
