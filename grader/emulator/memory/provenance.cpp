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

/// Gives each byte its own number.
void write_base(Shadow& shadow, size_t bytes) {
  if (shadow.base_origin == Origins::kNothing) return;
  std::replace(shadow.origins, shadow.origins + bytes, Origins::kNothing, shadow.base_origin);
  shadow.base_origin = Origins::kNothing;
}

/// The same as copy_touched(), from bytes some of which have no number of their own.
void copy_with_base(OriginId* to, const OriginId* from, size_t bytes, OriginId base) {
  std::memmove(to, from, bytes);
  std::replace(to, to + bytes, Origins::kNothing, base);
}

/// Adds bytes that a page holds, by runs of the same number.
void add_with_base(const OriginId* origins, size_t bytes, OriginId base, OriginRuns& runs) {
  for (const OriginId *at = origins, *const end = origins + bytes; at != end;) {
    const OriginId* const next =
        std::find_if(at, end, [first = *at](OriginId id) { return id != first; });
    runs.add(static_cast<uint64_t>(next - at), *at == Origins::kNothing ? base : *at);
    at = next;
  }
}

}  // namespace

void DeviceMemory::note_origin(uint64_t address, size_t bytes, OriginId origin) {
  const std::unique_lock lock(mutex_);
  Allocation* const allocation = find_live(address);
  if (allocation == nullptr || !allocation->contains(address, bytes)) return;
  Shadow& shadow = allocation->shadow;
  if (shadow.origins == nullptr) return;
  if (bytes < allocation->size) return note_writer(*allocation, address, bytes, origin);
  clear_touched(shadow.origins, bytes);
  shadow.base_origin = origin;
}

void DeviceMemory::note_filled(uint64_t address, size_t bytes) {
  note_origin(address, bytes, Origins::kFill);
  note_written(address, bytes);
}

void DeviceMemory::copy_origins(uint64_t to, uint64_t from, size_t bytes) {
  Allocation* const target = find_live(to);
  const Allocation* const source = find(from);
  if (target == nullptr || target->shadow.origins == nullptr || !target->contains(to, bytes))
    return;
  const bool known =
      source != nullptr && source->shadow.origins != nullptr && source->contains(from, bytes);
  if (!known) return note_origin(to, bytes, Origins::kHost);
  const std::unique_lock lock(mutex_);
  const OriginId base = source->shadow.base_origin;
  // Where all of it is copied, what stands for the rest of the source stands for the rest of the target.
  if (bytes == target->size)
    target->shadow.base_origin = base;
  else
    write_base(target->shadow, target->size);
  OriginId* const into = target->shadow.origins + (to - target->begin);
  const OriginId* const out_of = source->shadow.origins + (from - source->begin);
  if (base == target->shadow.base_origin)
    copy_touched(into, out_of, bytes);
  else
    copy_with_base(into, out_of, bytes, base);
}

void DeviceMemory::add_origins(uint64_t address, size_t bytes, OriginRuns& runs) const {
  const Allocation* const allocation = find(address);
  const bool known = allocation != nullptr && allocation->shadow.origins != nullptr &&
                     allocation->contains(address, bytes);
  if (!known) return runs.add(bytes, Origins::kHost);
  const OriginId* const origins = allocation->shadow.origins + (address - allocation->begin);
  const OriginId base = allocation->shadow.base_origin;
  for (size_t done = 0; done < bytes;) {
    const PageRun run =
        bytes < kAskFromBytes ? PageRun{bytes, true} : page_run(origins + done, bytes - done);
    if (run.touched && base == Origins::kNothing)
      runs.add_each(origins + done, run.bytes);
    else if (run.touched)
      add_with_base(origins + done, run.bytes, base, runs);
    else
      runs.add(run.bytes, base);
    done += run.bytes;
  }
}

}  // namespace warpgrade::emulator
