// SPDX-License-Identifier: MIT
#include "observe/injection/host_clock.h"

#include <sys/syscall.h>
#include <time.h>

namespace warpgrade::injection {
namespace {

// Not by syscall(), which a program can bring along as well.
void ask_kernel(timespec* now) {
#if defined(__x86_64__)
  long number = SYS_clock_gettime;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(long{CLOCK_MONOTONIC}), "S"(now)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long number __asm__("x8") = SYS_clock_gettime;
  register long clock __asm__("x0") = CLOCK_MONOTONIC;
  register timespec* where __asm__("x1") = now;
  __asm__ volatile("svc #0" : "+r"(clock) : "r"(number), "r"(where) : "memory");
#else
#error "say how this processor calls the kernel"
#endif
}

}  // namespace

uint64_t monotonic_ns() {
  timespec now = {};
  ask_kernel(&now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace warpgrade::injection
