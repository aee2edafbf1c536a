// SPDX-License-Identifier: MIT
#pragma once

#include "base/clock.h"

namespace warpgrade {

/// Time that passes only by sleep() or by hand.
class FakeClock final : public Clock {
 public:
  std::chrono::milliseconds time{0};

  std::chrono::milliseconds now() const override { return time; }
  void sleep(std::chrono::milliseconds duration) override { time += duration; }
};

}  // namespace warpgrade
