// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace warpgrade {

/// Milliseconds since its making in which the thread that reads it could act. The machine may be suspended, the grader may
/// be stopped: where more than a second passes between two readings and the thread neither ran nor read, that time is left out.
/// One thread makes it and reads it at least every 100 ms.
class AwakeClock {
 public:
  AwakeClock();

  long now_ms();

 private:
  using Steady = std::chrono::steady_clock;

  Steady::time_point started_, read_;
  std::chrono::nanoseconds ran_;  ///< the thread, until the last reading
  std::chrono::nanoseconds stood_still_{0};
};

}  // namespace warpgrade
