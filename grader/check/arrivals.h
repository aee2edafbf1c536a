// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/npy.h"
#include "observe/trace.h"

namespace warpgrade {

/// Bytes that a copy moved from a device to the host.
struct CopiedBytes {
  const ApiCall* copy = nullptr;
  size_t offset = 0;  ///< of the first of them in what the copy moved, row by row
};

/// A part of an array, and copies that may have brought it: they moved the same bytes.
struct ArrivedPart {
  size_t begin = 0, bytes = 0;
  std::vector<CopiedBytes> sources;
};

/// Parts that make up a whole array, one after another.
using Arrival = std::vector<ArrivedPart>;

/// Whether the call copied from a device to the host, and succeeded.
bool is_read_back(const ApiCall& call);

/// The ways in which copies of the range, all where it is empty, can have brought the array to the
/// host: as a whole, row by row, or in pieces that lie side by side on the host.
std::vector<Arrival> arrivals_of(const NpyArray& array, const Trace& trace,
                                 const std::string& range);

}  // namespace warpgrade
