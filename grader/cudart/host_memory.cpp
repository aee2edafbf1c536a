// SPDX-License-Identifier: MIT
#include "cudart/host_memory.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

namespace warpgrade::cudart {
namespace {

/// Sizes in bytes by first address.
std::map<uint64_t, uint64_t>& pieces() {
  static auto& only = *new std::map<uint64_t, uint64_t>;
  return only;
}
std::mutex& pieces_mutex() {
  static auto& only = *new std::mutex;
  return only;
}

void keep(uint64_t begin, uint64_t bytes) {
  const std::lock_guard lock(pieces_mutex());
  pieces()[begin] = bytes;
}

void* map(uint64_t begin, uint64_t bytes, int descriptor, int how) {
  return ::mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | how,
                descriptor, 0);
}

/// What stopped it, as errno says; 0 where all is written.
int write_all(int descriptor, uint64_t begin, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t written = ::pwrite(descriptor, reinterpret_cast<const void*>(begin + done),
                                     bytes - done, static_cast<off_t>(done));
    if (written <= 0) return written == 0 ? EIO : errno;
    done += static_cast<uint64_t>(written);
  }
  return 0;
}

}  // namespace

bool expose_memory(uint64_t begin, uint64_t bytes, int descriptor) {
  void* const mapped = map(begin, bytes, descriptor, MAP_NORESERVE | MAP_FIXED_NOREPLACE);
  ::close(descriptor);
  if (mapped == MAP_FAILED) return false;
  ::madvise(mapped, bytes, MADV_DONTDUMP);
  keep(begin, bytes);
  return true;
}

void withdraw_memory(uint64_t begin, uint64_t bytes) {
  const std::lock_guard lock(pieces_mutex());
  if (pieces().erase(begin) != 0) ::munmap(reinterpret_cast<void*>(begin), bytes);
}

// Another thread copies and maps. Meanwhile the calling thread writes nothing, not even on its stack,
// which may lie on these pages.
Adoption adopt_memory(uint64_t begin, uint64_t bytes, int descriptor) {
  static std::mutex one_at_a_time;
  static std::atomic<bool> waits, done;
  static std::atomic<Adoption> adoption;
  const std::lock_guard lock(one_at_a_time);
  waits = false;
  done = false;
  std::thread mover([begin, bytes, descriptor] {
    while (!waits) ::sched_yield();
    const int failure = write_all(descriptor, begin, bytes);
    const bool moved = failure == 0 && map(begin, bytes, descriptor, MAP_FIXED) != MAP_FAILED;
    adoption = moved ? Adoption::done : failure == EFAULT ? Adoption::no_access : Adoption::failed;
    done = true;
  });
  waits = true;
  while (!done) {
  }
  mover.join();
  ::close(descriptor);
  if (adoption == Adoption::done) keep(begin, bytes);
  return adoption;
}

void part_from_memory() {
  for (const auto& [begin, bytes] : pieces()) {
    void* const old = reinterpret_cast<void*>(begin);
    void* const copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) continue;
    std::memcpy(copy, old, bytes);
    ::mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, old);
  }
}

}  // namespace warpgrade::cudart
