// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgrade {

/// Keeps the first and the last half of `keep_bytes` of a stream of any length.
class Capture {
 public:
  explicit Capture(size_t keep_bytes) : half_(keep_bytes / 2) {}

  void add(std::string_view text);
  size_t total_bytes() const { return total_bytes_; }

  /// What was kept, with a line in the middle that says how much is missing, if anything is.
  std::string text() const;

 private:
  size_t half_;
  size_t total_bytes_ = 0;
  std::string head_;
  std::string tail_;
};

}  // namespace warpgrade
