// SPDX-License-Identifier: MIT
#include "cudart/host_guard.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "cudart/lines/source_lines.h"

namespace warpgrade::cudart {
namespace {

struct Range {
  uint64_t begin = 0, end = 0;
};

/// What the signal handler reads, on whichever thread.
struct Guards {
  std::atomic_flag lock;  ///< of the ranges, their number and their pages' protection
  std::array<Range, kMostGuardedRanges> ranges;
  std::atomic<size_t> count{0};
  std::atomic<bool> touched{false}, noted{false};
  std::atomic<uint64_t> address{0};
  std::atomic<bool> writes{false};
  std::atomic<uint64_t> code{0};
  std::atomic<uint64_t> last_fault{0};
  std::atomic<int> again{0};
  std::atomic<void (*)(const Touch&)> before_crash{nullptr};
};

Guards& guards() {
  static Guards only;
  return only;
}

/// The signal handler takes it as well. A thread that holds it touches no guarded memory, and blocks signals, so that no
/// handler of the program's touches any on that thread.
class Lock {
 public:
  Lock() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    while (guards().lock.test_and_set(std::memory_order_acquire)) ::sched_yield();
  }
  ~Lock() {
    guards().lock.clear(std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  sigset_t before_;
};

/// What the access was that raised the signal.
Touch touch_of(const siginfo_t* info, const void* context) {
  Touch touch{reinterpret_cast<uint64_t>(info->si_addr)};
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the page fault's error code
  const greg_t* const registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  touch.writes = (registers[REG_ERR] & kWrite) != 0;
  touch.code = static_cast<uint64_t>(registers[REG_RIP]);
#else
  (void)context;
#endif
  return touch;
}

void make_accessible() {
  Guards& all = guards();
  for (size_t i = 0; i < all.count; ++i) {
    const auto [begin, end] = all.ranges[i];
    ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  }
}

bool is_guarded(uint64_t address) {
  const Guards& all = guards();
  return std::any_of(
      all.ranges.begin(), all.ranges.begin() + static_cast<long>(all.count),
      [&](const Range& range) { return address >= range.begin && address < range.end; });
}

/// What the guard's ranges were ever part of: the device exposes memory in one range of addresses.
bool is_exposed(uint64_t address) { return address - kExposedBase < kExposedBytes; }

/// Another thread may have lifted the guard since the fault: then the access succeeds now, unless that or a third one
/// has set a guard again.
bool may_succeed_now(uint64_t address) {
  constexpr int kMostAttempts = 1000;
  Guards& all = guards();
  if (!is_exposed(address)) return false;
  if (all.last_fault.exchange(address) != address) all.again = 0;
  return ++all.again < kMostAttempts;
}

/// Notes the touch of a guarded address. False where it is none.
bool lifts_guard(const Touch& touch) {
  const uint64_t code = own_code(touch.code);
  const Lock lock;
  Guards& all = guards();
  if (!is_guarded(touch.address)) return false;
  if (!all.noted.exchange(true)) {
    all.address = touch.address;
    all.writes = touch.writes != 0;
    all.code = code;
    all.touched.store(true, std::memory_order_release);
  }
  make_accessible();
  return true;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // Sent by a process and not by an access, which would come again.
  if (info->si_code <= 0) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const Touch touch = touch_of(info, context);
  if (lifts_guard(touch) || may_succeed_now(touch.address)) return;
  if (const auto tell = guards().before_crash.exchange(nullptr)) tell(touch);
  // The program's own fault: it comes again, to what is the default.
  ::signal(signal, SIG_DFL);
}

/// False where the program handles SIGSEGV itself.
bool handles_faults() {
  struct sigaction current = {};
  if (::sigaction(SIGSEGV, nullptr, &current) != 0) return false;
  const bool with_info = (current.sa_flags & SA_SIGINFO) != 0;
  if (with_info && current.sa_sigaction == on_fault) return true;
  if (with_info || current.sa_handler != SIG_DFL) return false;
  struct sigaction mine = {};
  mine.sa_sigaction = on_fault;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&mine.sa_mask);
  return ::sigaction(SIGSEGV, &mine, nullptr) == 0;
}

}  // namespace

void HostGuard::before_crash(void (*tell)(const Touch& touch)) {
  if (handles_faults()) guards().before_crash = tell;
}

void HostGuard::set(const std::vector<GuardedPages>& pages) {
  if (pages.empty() || !handles_faults()) return;
  const Lock lock;
  Guards& all = guards();
  make_accessible();  // What another thread's call has guarded since this one's began.
  all.count = std::min(pages.size(), kMostGuardedRanges);
  for (size_t i = 0; i < all.count; ++i) {
    all.ranges[i] = {pages[i].begin, pages[i].end};
    ::mprotect(reinterpret_cast<void*>(pages[i].begin), pages[i].end - pages[i].begin,
               pages[i].against_reads != 0 ? PROT_NONE : PROT_READ);
  }
}

void HostGuard::lift() {
  if (guards().count == 0) return;
  const Lock lock;
  make_accessible();
  guards().count = 0;
}

void HostGuard::lift_in_child() {
  guards().lock.clear();
  lift();
}

Touch HostGuard::take_touch() {
  Guards& all = guards();
  if (!all.touched.exchange(false, std::memory_order_acquire)) return {};
  const Touch touch{all.address, all.writes, all.code};
  all.noted = false;
  return touch;
}

}  // namespace warpgrade::cudart
