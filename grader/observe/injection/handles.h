// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpgrade::injection {

/// Small numbers for a program's streams and events, and what is known of its arrays. Streams and events
/// count from 1 in the order of their first use; 0 is the default stream, by whatever handle.
class Handles {
 public:
  uint64_t stream(const void* handle);
  uint64_t event(const void* handle);
  /// The number it had; the handle may come back as another's.
  uint64_t forget_stream(const void* handle);
  uint64_t forget_event(const void* handle);

  void made_array(const void* array, size_t element_bytes);
  /// 1 for memory that is no array, or an unknown one.
  size_t element_bytes(const void* array);

 private:
  std::mutex mutex_;
  std::map<const void*, uint64_t> streams_, events_;
  std::map<const void*, size_t> arrays_;
  uint64_t next_stream_ = 1, next_event_ = 1;
};

}  // namespace warpgrade::injection
