// SPDX-License-Identifier: MIT
#include "emulator/exec/lookout.h"

#include <utility>

namespace warpgrade::emulator {

void Lookout::begin() {
  const std::lock_guard lock(mutex_);
  running_ = RunningLaunch{++launches_, std::chrono::steady_clock::now()};
}

void Lookout::end() {
  const std::lock_guard lock(mutex_);
  running_.reset();
  asked_ = false;
  answered_.notify_all();
}

void Lookout::answer(Position position) {
  const std::lock_guard lock(mutex_);
  if (!asked_.exchange(false)) return;
  position_ = std::move(position);
  answered_.notify_all();
}

std::optional<RunningLaunch> Lookout::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

std::optional<Position> Lookout::ask(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!running_) return std::nullopt;
  position_.reset();
  asked_ = true;
  // Another thread may ask meanwhile: both take the next answer.
  answered_.wait_for(lock, patience, [this] { return position_ || !running_; });
  return position_;
}

}  // namespace warpgrade::emulator
