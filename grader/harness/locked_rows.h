// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "base/npy_io.h"

namespace warpgrade::harness {

/// A row-major host matrix of `rows` x `columns` elements. Behind each row lies a page that the process may neither
/// read nor write: a function that reads past a row's end ends the program there.
template <class T>
class LockedRows {
 public:
  LockedRows(size_t rows, size_t columns, const T* values) : rows_(rows) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t row_bytes = columns * sizeof(T), held_bytes = (row_bytes + page - 1) / page * page;
    pitch_bytes_ = held_bytes + page;
    start_ = static_cast<char*>(mmap(nullptr, rows * pitch_bytes_, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (start_ == MAP_FAILED) npy_io::fail("in/", "a matrix cannot be held");
    first_ = start_ + (held_bytes - row_bytes);
    for (size_t i = 0; i < rows; ++i) {
      std::memcpy(first_ + i * pitch_bytes_, values + i * columns, row_bytes);
      if (mprotect(start_ + i * pitch_bytes_ + held_bytes, page, PROT_NONE) != 0)
        npy_io::fail("in/", "what lies behind a row cannot be locked");
    }
  }
  ~LockedRows() { munmap(start_, rows_ * pitch_bytes_); }
  LockedRows(const LockedRows&) = delete;
  LockedRows& operator=(const LockedRows&) = delete;

  T* data() { return reinterpret_cast<T*>(first_); }
  size_t pitch_bytes() const { return pitch_bytes_; }

 private:
  size_t rows_, pitch_bytes_ = 0;
  char *start_ = nullptr, *first_ = nullptr;
};

}  // namespace warpgrade::harness
