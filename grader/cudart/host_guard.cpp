// SPDX-License-Identifier: MIT
#include "cudart/host_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace warpgrade::cudart {
namespace {

struct Range {
  std::atomic<uint64_t> begin{0}, end{0};
};

/// What the signal handler reads, on whichever thread.
struct Guards {
  std::array<Range, kMostGuardedRanges> ranges;
  std::atomic<size_t> count{0};
  std::atomic<bool> touched{false}, noted{false};
  std::atomic<uint64_t> address{0};
  std::atomic<bool> writes{false};
  std::atomic<uint64_t> last_fault{0};
  std::atomic<int> again{0};
  std::atomic<void (*)(uint64_t, bool)> before_crash{nullptr};
};

Guards& guards() {
  static Guards only;
  return only;
}

bool is_write(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the page fault's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  (void)context;
  return false;
#endif
}

void make_accessible() {
  Guards& all = guards();
  const size_t count = all.count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t begin = all.ranges[i].begin, end = all.ranges[i].end;
    ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  }
}

bool is_guarded(uint64_t address) {
  Guards& all = guards();
  const size_t count = all.count.load(std::memory_order_acquire);
  return std::any_of(
      all.ranges.begin(), all.ranges.begin() + static_cast<long>(count),
      [&](const Range& range) { return address >= range.begin && address < range.end; });
}

/// What the guard's ranges were ever part of: the device exposes memory in one range of addresses.
bool is_exposed(uint64_t address) { return address - kExposedBase < kExposedBytes; }

/// Another thread may have lifted the guard since the fault: then the access succeeds now.
bool may_succeed_now(uint64_t address) {
  constexpr int kMostAttempts = 8;
  Guards& all = guards();
  if (!is_exposed(address)) return false;
  if (all.last_fault.exchange(address) != address) all.again = 0;
  return ++all.again < kMostAttempts;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  // Sent by a process and not by an access, which would come again.
  if (info->si_code <= 0) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  Guards& all = guards();
  if (is_guarded(address)) {
    if (!all.noted.exchange(true)) {
      all.address = address;
      all.writes = is_write(context);
      all.touched.store(true, std::memory_order_release);
    }
    return make_accessible();
  }
  if (may_succeed_now(address)) return;
  if (const auto tell = all.before_crash.exchange(nullptr)) tell(address, is_write(context));
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

void HostGuard::before_crash(void (*tell)(uint64_t address, bool writes)) {
  if (handles_faults()) guards().before_crash = tell;
}

void HostGuard::set(const std::vector<GuardedPages>& pages) {
  if (pages.empty() || !handles_faults()) return;
  Guards& all = guards();
  const size_t count = std::min(pages.size(), kMostGuardedRanges);
  for (size_t i = 0; i < count; ++i) {
    all.ranges[i].begin = pages[i].begin;
    all.ranges[i].end = pages[i].end;
  }
  all.count.store(count, std::memory_order_release);
  for (size_t i = 0; i < count; ++i) {
    ::mprotect(reinterpret_cast<void*>(pages[i].begin), pages[i].end - pages[i].begin,
               pages[i].against_reads != 0 ? PROT_NONE : PROT_READ);
  }
}

void HostGuard::lift() {
  Guards& all = guards();
  if (all.count.load(std::memory_order_acquire) == 0) return;
  make_accessible();
  all.count.store(0, std::memory_order_release);
}

Touch HostGuard::take_touch() {
  Guards& all = guards();
  if (!all.touched.exchange(false, std::memory_order_acquire)) return {};
  const Touch touch{all.address, all.writes};
  all.noted = false;
  return touch;
}

}  // namespace warpgrade::cudart
