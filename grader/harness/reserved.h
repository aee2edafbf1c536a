// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "base/npy_io.h"

namespace warpgrade::harness {

/// A host array of `count` elements of which only the first are there: the others have addresses and
/// take no memory. It is for functions that must fail before they read it, since no device holds so
/// much; one that takes the size for a smaller number finds the first elements.
template <class T>
class Reserved {
 public:
  Reserved(const std::vector<T>& first, size_t count) : bytes_(count * sizeof(T)) {
    const size_t first_bytes = first.size() * sizeof(T);
    start_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start_ == MAP_FAILED || mprotect(start_, first_bytes, PROT_READ | PROT_WRITE) != 0)
      npy_io::fail("in/", "an array cannot be reserved");
    if (first_bytes > 0) std::memcpy(start_, first.data(), first_bytes);
  }
  ~Reserved() { munmap(start_, bytes_); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  T* data() { return static_cast<T*>(start_); }

 private:
  size_t bytes_;
  void* start_ = nullptr;
};

}  // namespace warpgrade::harness
