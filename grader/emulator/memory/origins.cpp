// SPDX-License-Identifier: MIT
#include "emulator/memory/origins.h"

#include <cstring>

namespace warpgrade::emulator {

Origins::Origins() : all_(kLast + 1) {
  all_[kHost].kind = OriginKind::host;
  all_[kFill].kind = OriginKind::fill;
  all_[kLast].kind = OriginKind::kernel;
}

OriginId Origins::of_kernel(const std::string& range, const std::string& kernel) {
  constexpr size_t kFirst = kFill + 1;
  if (const auto known = kernels_.find({range, kernel}); known != kernels_.end())
    return known->second;
  if (const size_t next = kFirst + kernels_.size(); next < kForRanges) {
    const auto id = static_cast<OriginId>(next);
    all_[id] = {OriginKind::kernel, range, kernel};
    return kernels_[{range, kernel}] = id;
  }
  if (const auto known = ranges_.find(range); known != ranges_.end()) return known->second;
  const size_t next = kForRanges + ranges_.size();
  if (next >= kLast) return kLast;
  const auto id = static_cast<OriginId>(next);
  all_[id] = {OriginKind::kernel, range, ""};
  return ranges_[range] = id;
}

void OriginRuns::add(uint64_t bytes, OriginId origin) {
  if (bytes == 0) return;
  if (!runs_.empty() && runs_.back().origin == origin)
    runs_.back().bytes += bytes;
  else
    runs_.push_back({bytes, origin});
}

void OriginRuns::add_each(const OriginId* origins, size_t count) {
  size_t begin = 0;
  while (begin < count) {
    const uint64_t eight = 0x0101'0101'0101'0101u * origins[begin];
    size_t end = begin + 1;
    for (uint64_t next = 0; end + sizeof next <= count; end += sizeof next) {
      std::memcpy(&next, origins + end, sizeof next);
      if (next != eight) break;
    }
    while (end < count && origins[end] == origins[begin]) ++end;
    add(end - begin, origins[begin]);
    begin = end;
  }
}

}  // namespace warpgrade::emulator
