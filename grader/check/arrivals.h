// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
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

/// Copies that may have brought a part: they moved the same bytes. Parts share them, and they are the latest of many.
using Sources = std::shared_ptr<const std::vector<CopiedBytes>>;

/// A part of an array.
struct ArrivedPart {
  size_t begin = 0, bytes = 0;
  Sources sources;
};

/// Parts that make up a whole array, one after another.
using Arrival = std::vector<ArrivedPart>;

/// Whether the call copied from a device to the host, and succeeded.
bool is_read_back(const ApiCall& call);

/// The ways in which copies of the range, all where it is empty, can have brought the array to the
/// host: as a whole, row by row, or in pieces that lie side by side on the host. Where the same bytes came again and
/// again, to one place after another, these are some of the ways.
std::vector<Arrival> arrivals_of(const NpyArray& array, const Trace& trace,
                                 const std::string& range);

}  // namespace warpgrade
