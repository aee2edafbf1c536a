// SPDX-License-Identifier: MIT
#include "observe/injection/handles.h"

namespace warpgrade::injection {
namespace {

/// cudaStreamLegacy and cudaStreamPerThread.
constexpr uintptr_t kLastSpecialStream = 2;

uint64_t number_of(std::map<const void*, uint64_t>& known, uint64_t& next, const void* handle) {
  const auto [place, is_new] = known.try_emplace(handle, next);
  if (is_new) ++next;
  return place->second;
}

}  // namespace

uint64_t Handles::stream(const void* handle) {
  if (reinterpret_cast<uintptr_t>(handle) <= kLastSpecialStream) return 0;
  const std::lock_guard lock(mutex_);
  return number_of(streams_, next_stream_, handle);
}

uint64_t Handles::event(const void* handle) {
  const std::lock_guard lock(mutex_);
  return number_of(events_, next_event_, handle);
}

uint64_t Handles::forget_stream(const void* handle) {
  const uint64_t number = stream(handle);
  const std::lock_guard lock(mutex_);
  streams_.erase(handle);
  return number;
}

uint64_t Handles::forget_event(const void* handle) {
  const uint64_t number = event(handle);
  const std::lock_guard lock(mutex_);
  events_.erase(handle);
  return number;
}

void Handles::made_array(const void* array, size_t element_bytes) {
  const std::lock_guard lock(mutex_);
  arrays_[array] = element_bytes;
}

size_t Handles::element_bytes(const void* array) {
  const std::lock_guard lock(mutex_);
  const auto found = arrays_.find(array);
  return found == arrays_.end() ? 1 : found->second;
}

}  // namespace warpgrade::injection
