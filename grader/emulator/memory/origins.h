// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpgrade::emulator {

/// What last wrote a byte of a device's memory, as a number: one byte beside each byte.
using OriginId = uint8_t;

enum class OriginKind : uint8_t {
  nothing,  ///< no copy, fill or kernel has written the byte
  host,     ///< a copy from memory that the host can write
  fill,     ///< cudaMemset and its like
  kernel
};

struct Origin {
  OriginKind kind = OriginKind::nothing;
  std::string range;   ///< of a kernel: the one that it was launched in
  std::string kernel;  ///< mangled; empty where there are too many kernels to tell them apart
};

/// The numbers of all that writes to one machine's memory. A number keeps its meaning.
class Origins {
 public:
  static constexpr OriginId kNothing = 0, kHost = 1, kFill = 2;

  Origins();
  /// Kernels share their range's number once the numbers run short; ranges without end share one
  /// number that has no name.
  OriginId of_kernel(const std::string& range, const std::string& kernel);
  const Origin& operator[](OriginId id) const { return all_[id]; }

 private:
  // Numbers from here on are for ranges, and the last one for what is left over.
  static constexpr size_t kForRanges = 192, kLast = 255;

  std::vector<Origin> all_;
  std::map<std::pair<std::string, std::string>, OriginId> kernels_;
  std::map<std::string, OriginId> ranges_;
};

/// Consecutive bytes of one origin.
struct OriginRun {
  uint64_t bytes = 0;
  OriginId origin = Origins::kNothing;

  bool operator==(const OriginRun&) const = default;
};

/// The origins of bytes, one after another.
class OriginRuns {
 public:
  void add(uint64_t bytes, OriginId origin);
  /// One for each of `count` bytes.
  void add_each(const OriginId* origins, size_t count);
  const std::vector<OriginRun>& runs() const { return runs_; }

 private:
  std::vector<OriginRun> runs_;
};

}  // namespace warpgrade::emulator
