// SPDX-License-Identifier: MIT
#include "sandbox/awake_clock.h"

#include <time.h>

namespace warpgrade {
namespace {

using std::chrono::nanoseconds;

// No wait of a watch takes so long on a machine that runs.
constexpr std::chrono::seconds kStandstill(1);

nanoseconds thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

AwakeClock::AwakeClock() : started_(Steady::now()), read_(started_), ran_(thread_time()) {}

long AwakeClock::now_ms() {
  const Steady::time_point now = Steady::now();
  const nanoseconds ran = thread_time();
  // A reading that itself works for long, as on a folder of many files, is no standstill.
  const nanoseconds idle = (now - read_) - (ran - ran_);
  if (idle > kStandstill) stood_still_ += idle;
  read_ = now;
  ran_ = ran;
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - started_ - stood_still_)
      .count();
}

}  // namespace warpgrade
