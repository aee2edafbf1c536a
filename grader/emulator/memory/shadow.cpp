// SPDX-License-Identifier: MIT
#include "emulator/memory/shadow.h"

#include <sys/mman.h>

#include <cstdlib>

namespace warpgrade::emulator {
namespace {

// Pages of larger shadows are left to the kernel until they are touched; small ones share pages.
constexpr size_t kOwnMappingBytes = size_t{64} << 10;

size_t bytes_of(size_t cells) { return cells * sizeof(Cell); }

}  // namespace

Shadow make_shadow(uint64_t begin, size_t bytes) {
  const uint64_t first = begin / 4, last = (begin + bytes + 3) / 4;
  Shadow shadow;
  shadow.count = last - first;
  if (bytes_of(shadow.count) < kOwnMappingBytes) {
    shadow.cells = static_cast<Cell*>(std::calloc(shadow.count, sizeof(Cell)));
    return shadow;
  }
  void* const block = ::mmap(nullptr, bytes_of(shadow.count), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  shadow.cells = block == MAP_FAILED ? nullptr : static_cast<Cell*>(block);
  return shadow;
}

uint16_t* make_constant_marks(Shadow& shadow) {
  auto* const fresh = static_cast<uint16_t*>(std::calloc(shadow.count, sizeof(uint16_t)));
  uint16_t* held = nullptr;
  if (__atomic_compare_exchange_n(&shadow.constant_in, &held, fresh, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return fresh;
  std::free(fresh);
  return held;
}

void release_shadow(const Shadow& shadow) {
  if (shadow.cells == nullptr) return;
  std::free(shadow.constant_in);
  if (bytes_of(shadow.count) < kOwnMappingBytes)
    std::free(shadow.cells);
  else
    ::munmap(shadow.cells, bytes_of(shadow.count));
}

}  // namespace warpgrade::emulator
