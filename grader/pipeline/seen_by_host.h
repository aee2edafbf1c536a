// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "observe/trace.h"

namespace warpgrade {

using Copies = std::set<const ApiCall*>;

/// What the host has seen of the device, in bytes, while it could still send the range's kernels something: copies that are
/// not `harmless`, memory that it shares with kernels, times of kernels. What comes later comes too late for the result.
uint64_t seen_bytes(const Trace& trace, const std::string& range, const Copies& harmless);

/// How much of that is no part of a result: sizes, sums and errors that a program looks at while it works. What reduces many
/// elements to few has sums of blocks, too; what computes an element from each has none.
uint64_t bytes_allowed_to_be_seen(uint64_t input_bytes, uint64_t output_bytes);

/// Copies of `other` that brought the host what the copy at the same place of the same range brought in `same`, a run on the host's
/// own inputs: they tell nothing of the device's.
Copies unchanged_copies(const Trace& same, const Trace& other);

/// Whether kernels and the host did something together that goes otherwise where the device holds other inputs: there kernels do
/// not wait for the host, and have memory with inputs to themselves.
bool tells_runs_apart(const Trace& trace);

}  // namespace warpgrade
