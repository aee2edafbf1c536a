// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <thread>

namespace warpgrade {

/// Time as the grader sees it: the machine's, or a test's own (testing/fake_clock.h).
class Clock {
 public:
  virtual ~Clock() = default;

  /// Milliseconds since a fixed but unknown moment; never goes back.
  virtual std::chrono::milliseconds now() const = 0;
  virtual void sleep(std::chrono::milliseconds duration) = 0;
};

class RealClock final : public Clock {
 public:
  std::chrono::milliseconds now() const override {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since_start);
  }
  void sleep(std::chrono::milliseconds duration) override { std::this_thread::sleep_for(duration); }
};

}  // namespace warpgrade
