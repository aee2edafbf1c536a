// SPDX-License-Identifier: MIT
#include "emulator/model/work_spread.h"

#include <algorithm>

namespace warpgrade::emulator {

WorkSpread::WorkSpread(int multiprocessors)
    : multiprocessors_(static_cast<size_t>(std::max(multiprocessors, 1))) {}

void WorkSpread::note(uint64_t linear, uint64_t longest, uint64_t all) {
  longest_of_blocks_ += static_cast<double>(longest);
  longest_ = std::max(longest_, static_cast<double>(longest));
  all_ += static_cast<double>(all);
  squares_ += static_cast<double>(all) * static_cast<double>(all);
  multiprocessors_[linear % multiprocessors_.size()] += static_cast<double>(all);
}

void WorkSpread::merge(const WorkSpread& other) {
  longest_of_blocks_ += other.longest_of_blocks_;
  longest_ = std::max(longest_, other.longest_);
  all_ += other.all_;
  squares_ += other.squares_;
  for (size_t index = 0; index < other.multiprocessors_.size(); ++index)
    multiprocessors_[index] += other.multiprocessors_[index];
}

void WorkSpread::tell(LaunchWork& work) const {
  const double all = std::max(all_, 1.0);
  if (squares_ > 0) work.working_blocks = std::min(all_ * all_ / squares_, work.blocks);
  work.warp_imbalance = longest_of_blocks_ * work.warps_per_block / all;
  work.longest_warp = longest_ * work.working_warps() / all;
  work.busiest_share = *std::max_element(multiprocessors_.begin(), multiprocessors_.end()) / all;
}

}  // namespace warpgrade::emulator
