// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/arrivals.h"
#include "check/judgement.h"

namespace warpgrade {

/// What last wrote bytes of a device's memory.
struct Writer {
  enum class Kind { kNothing, kHost, kFill, kKernel };
  Kind kind = Kind::kNothing;
  std::string range;   ///< of a kernel: the one that it was launched in
  std::string kernel;  ///< empty where the device does not say

  bool is_kernel_of(const std::string& wanted) const {
    return kind == Kind::kKernel && (wanted.empty() || range == wanted);
  }
};

/// The writers of what one copy moved, byte by byte.
struct Provenance {
  struct Run {
    uint64_t begin, end;
    size_t writer;  ///< one of `writers`
  };
  std::vector<Writer> writers;
  std::vector<Run> runs;  ///< sorted, without gaps

  /// What a copy's record says; nothing where it does not say, as on a GPU.
  static std::optional<Provenance> of(const ApiCall& copy);
};

/// Why the array, as it arrived, is not what kernels of the range computed; empty where it is.
///
/// A kernel of the range must have written some of its bytes last. The other elements are those that
/// a kernel may leave alone: they are equal to the element at the same place of one of the case's
/// inputs, unless the whole array is, or they all have one value that needs no computing (see
/// is_neutral).
Sentence not_computed(const std::string& name, const NpyArray& array, const Arrival& arrival,
                      const std::string& range, const CaseFacts& facts);

/// What to say of an array that no kernel of the range wrote as it is: the host did, or, where it has rows, a copy also
/// brought what lies between them.
Sentence computed_elsewhere(const std::string& name, const NpyArray& array,
                            const std::string& range);

/// Whether an element may have been there before a kernel ran: 0, 1, -1, the smallest, largest or an
/// infinite number of its type, or bytes that are all alike, as cudaMemset leaves them.
bool is_neutral(std::string_view element, const std::string& dtype);

}  // namespace warpgrade
