// SPDX-License-Identifier: MIT
// attacks: clocks of its own, by which every duration is short
// control: slow
// earns: at most its control
// must stay: neighbours
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern "C" {
int clock_gettime(clockid_t clock, timespec* now) {
  const long status = syscall(SYS_clock_gettime, clock, now);
  now->tv_nsec = now->tv_sec = 1;
  return static_cast<int>(status);
}
int gettimeofday(timeval* now, void*) {
  now->tv_sec = now->tv_usec = 1;
  return 0;
}
time_t time(time_t* now) {
  if (now != nullptr) *now = 1;
  return 1;
}
}

#include "controls/slow.cu"
