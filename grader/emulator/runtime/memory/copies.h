// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/runtime/api.h"

namespace warpgrade::emulator {

/// One end of a copy: where its first byte lies and how far apart rows and slices are.
struct CopySide {
  uint64_t address = 0;
  size_t pitch = 0;
  size_t slice_pitch = 0;
};

/// What is copied, in bytes and rows.
struct CopyShape {
  size_t width = 0;
  size_t height = 1;
  size_t depth = 1;

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  size_t bytes() const { return width * height * depth; }
  /// From the first to the last byte of a side, the gaps between rows included.
  /// SIZE_MAX where that is no number of bytes.
  size_t span(const CopySide& side) const;
};

inline CopySide linear(const void* address) { return {reinterpret_cast<uint64_t>(address), 0, 0}; }

/// The copy behind all of cudaMemcpy*: checks both sides to the byte, copies, advances the stream's
/// clock, notes "direction" and the hashes of what the host receives, and what was copied by note_transfer().
cudaError_t copy(ApiCall& call, CopySide to, CopySide from, CopyShape shape, cudaMemcpyKind kind,
                 cudaStream_t stream = nullptr);

/// What the trace tells of a copy or fill that no call of its own makes: what it would of the call that is like it, whose
/// name stands in "like". `name`: empty for that of the call.
CallRecord record_of_copy(std::string name, const CopySide& to, const CopySide& from,
                          const CopyShape& shape);
CallRecord record_of_fill(std::string name, const CopySide& to, const CopyShape& shape,
                          unsigned value);

/// To other streams, memory that the stream begins or ceases to hold is as good as written. `name`: the call that does it.
void note_existence(ApiCall& call, const char* name, const Allocation& allocation,
                    const CUstream_st& stream);

/// The same for cudaMemset*; `value` is one element.
cudaError_t fill(ApiCall& call, CopySide to, CopyShape shape, unsigned value,
                 cudaStream_t stream = nullptr, unsigned element_bytes = 1);

}  // namespace warpgrade::emulator
