// SPDX-License-Identifier: MIT
#include "observe/injection/allocations.h"

#include <algorithm>
#include <iterator>

namespace warpgrade::injection {
namespace {

uint64_t number(const Json& args, const char* key) { return args.value(key, uint64_t{0}); }

bool is_one_of(const std::string& api, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), api) != names.end();
}

std::optional<LiveMemory> memory_made_by(const std::string& api, const Json& args) {
  LiveMemory made;
  made.ptr = number(args, "ptr");
  made.on_device = true;
  if (is_one_of(api, {"cudaMallocPitch", "cudaMalloc3D"})) {
    made.pitch = number(args, "pitch");
    made.width = number(args, "width");
    made.rows = number(args, "height") * std::max<uint64_t>(1, number(args, "depth"));
  } else {
    made.on_device = is_one_of(api, {"cudaMalloc", "cudaMallocAsync", "cudaMallocFromPoolAsync"});
    const bool reachable = made.on_device || is_one_of(api, {"cudaMallocManaged", "cudaMallocHost",
                                                             "cudaHostAlloc", "cudaHostRegister"});
    if (!reachable) return std::nullopt;
    made.pitch = made.width = number(args, "size");
  }
  if (made.ptr == 0 || made.bytes() == 0) return std::nullopt;
  return made;
}

}  // namespace

std::optional<LiveMemory> LiveAllocations::note(const std::string& api, const Json& args) {
  const std::optional<LiveMemory> made = memory_made_by(api, args);
  const std::lock_guard lock(mutex_);
  if (made) by_ptr_[made->ptr] = *made;
  if (is_one_of(api, {"cudaFree", "cudaFreeAsync", "cudaFreeHost", "cudaHostUnregister"}))
    by_ptr_.erase(number(args, "ptr"));
  return made;
}

void LiveAllocations::forget_device_memory() {
  const std::lock_guard lock(mutex_);
  for (auto it = by_ptr_.begin(); it != by_ptr_.end();)
    it = it->second.on_device ? by_ptr_.erase(it) : std::next(it);
}

std::optional<LiveMemory> LiveAllocations::holding(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = by_ptr_.upper_bound(address);
  if (after == by_ptr_.begin()) return std::nullopt;
  const LiveMemory& before = std::prev(after)->second;
  return address - before.ptr < before.bytes() ? std::optional(before) : std::nullopt;
}

}  // namespace warpgrade::injection
