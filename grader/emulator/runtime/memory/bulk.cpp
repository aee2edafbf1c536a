// SPDX-License-Identifier: MIT
#include "emulator/runtime/memory/bulk.h"

#include <cstring>

#include "emulator/memory/arena.h"

namespace warpgrade::emulator {
namespace {

// Shorter ranges are cheaper to touch than to ask about.
constexpr size_t kAskFromBytes = size_t{1} << 20;

bool overlap(const uint8_t* a, const uint8_t* b, size_t count) {
  return a < b + count && b < a + count;
}

}  // namespace

void zero_bytes(Bytes to, size_t count) {
  if (to.on_device && count >= kAskFromBytes) {
    clear_touched(to.begin, count);
  } else {
    std::memset(to.begin, 0, count);
  }
}

void move_bytes(Bytes to, Bytes from, size_t count) {
  if (!from.on_device || count < kAskFromBytes || overlap(to.begin, from.begin, count)) {
    std::memmove(to.begin, from.begin, count);
    return;
  }
  while (count != 0) {
    const PageRun run = page_run(from.begin, count);
    if (run.touched)
      std::memcpy(to.begin, from.begin, run.bytes);
    else
      zero_bytes(to, run.bytes);
    to.begin += run.bytes;
    from.begin += run.bytes;
    count -= run.bytes;
  }
}

}  // namespace warpgrade::emulator
