// SPDX-License-Identifier: MIT
// DeviceMemory: what last wrote each byte. Kernels note it in checkers/watch.cpp and
// exec/ops/watched.cpp, by note_writer().
#include <algorithm>
#include <cstring>
#include <mutex>

#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {
namespace {

// Shorter ranges are cheaper to copy than to ask about.
constexpr size_t kAskFromBytes = size_t{64} << 10;

/// Makes no page of a source that nothing has written.
void copy_touched(OriginId* to, const OriginId* from, size_t bytes) {
  const bool apart = to + bytes <= from || from + bytes <= to;
  if (bytes < kAskFromBytes || !apart) {
    std::memmove(to, from, bytes);
    return;
  }
  for (size_t done = 0; done < bytes;) {
    const PageRun run = page_run(from + done, bytes - done);
    if (run.touched)
      std::memcpy(to + done, from + done, run.bytes);
    else
      clear_touched(to + done, run.bytes);
    done += run.bytes;
  }
}

}  // namespace

void DeviceMemory::note_origin(uint64_t address, size_t bytes, OriginId origin) {
  const std::unique_lock lock(mutex_);
  const Allocation* const allocation = find(address);
  if (allocation != nullptr && allocation->contains(address, bytes))
    note_writer(*allocation, address, bytes, origin);
}

void DeviceMemory::note_filled(uint64_t address, size_t bytes) {
  note_origin(address, bytes, Origins::kFill);
  note_written(address, bytes);
}

void DeviceMemory::copy_origins(uint64_t to, uint64_t from, size_t bytes) {
  const Allocation *const target = find(to), *const source = find(from);
  if (target == nullptr || target->shadow.origins == nullptr || !target->contains(to, bytes))
    return;
  const bool known =
      source != nullptr && source->shadow.origins != nullptr && source->contains(from, bytes);
  if (!known) return note_origin(to, bytes, Origins::kHost);
  const std::unique_lock lock(mutex_);
  copy_touched(target->shadow.origins + (to - target->begin),
               source->shadow.origins + (from - source->begin), bytes);
}

void DeviceMemory::add_origins(uint64_t address, size_t bytes, OriginRuns& runs) const {
  const Allocation* const allocation = find(address);
  const bool known = allocation != nullptr && allocation->shadow.origins != nullptr &&
                     allocation->contains(address, bytes);
  if (!known) return runs.add(bytes, Origins::kHost);
  const OriginId* const origins = allocation->shadow.origins + (address - allocation->begin);
  for (size_t done = 0; done < bytes;) {
    const PageRun run =
        bytes < kAskFromBytes ? PageRun{bytes, true} : page_run(origins + done, bytes - done);
    if (run.touched)
      runs.add_each(origins + done, run.bytes);
    else
      runs.add(run.bytes, Origins::kNothing);
    done += run.bytes;
  }
}

}  // namespace warpgrade::emulator
