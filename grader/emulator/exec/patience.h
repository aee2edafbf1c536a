// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

/// Blocks that wait for others take turns of a few instructions. Where all of a worker's blocks do nothing else for long, they
/// get whole slices now and then, so that a launch that never ends comes to its limit; or, where the launch may pause, it
/// does.
class Patience {
 public:
  /// `has_paused`: nothing may have changed since.
  Patience(Worker& worker, bool is_alone, bool may_pause = false, bool has_paused = false)
      : worker_(worker), is_alone_(is_alone), may_pause_(may_pause) {
    if (may_pause)
      most_rounds_ = has_paused ? kRoundsAgain : is_alone ? kFewestRounds : kMostRounds;
  }

  /// One of `resident` blocks had its turn.
  void note(BlockState state, size_t resident, bool more) {
    worker_.gives_way = true;
    if (state == BlockState::finished && !may_pause_) most_rounds_ = kMostRounds;
    if (state != BlockState::waiting || more) {
      turns_ = rounds_ = 0;
      return;
    }
    if (++turns_ < resident) return;
    turns_ = 0;
    if (++rounds_ >= most_rounds_ && may_pause_) {
      is_over_ = true;
    } else if (rounds_ >= most_rounds_) {
      rounds_ = 0;
      most_rounds_ = std::max(most_rounds_ / 2, kFewestRounds);
      worker_.gives_way = false;
    } else if (!is_alone_ && rounds_ > kFewestRounds) {
      // Another worker runs what the blocks of this one wait for.
      std::this_thread::sleep_for(kNap);
    }
  }

  /// Whether the worker should pause.
  bool is_over() const { return is_over_; }

 private:
  static constexpr uint32_t kMostRounds = 1 << 12, kFewestRounds = 64, kRoundsAgain = 2;
  static constexpr std::chrono::microseconds kNap{20};

  Worker& worker_;
  bool is_alone_;
  const bool may_pause_;
  bool is_over_ = false;
  size_t turns_ = 0;  ///< in a row, of blocks that only wait
  uint32_t rounds_ = 0, most_rounds_ = kMostRounds;
};

}  // namespace warpgrade::emulator
