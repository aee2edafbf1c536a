// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

/// What a lane gets from one that takes no part in its shuffle, whose value CUDA leaves undefined: a
/// NaN as a float and as a half, in either word of a double, and no plausible number elsewhere.
constexpr uint32_t kIdleLaneValue = 0xFFDE'FFDE;

enum ShuffleMode : uint8_t { kUp, kDown, kButterfly, kIndex };

struct ShuffleSource {
  int lane;
  bool in_range;
};

/// PTX ISA, shfl.sync: c holds the clamp in bits 0-4 and the segment mask in bits 8-12.
inline ShuffleSource shuffle_source(uint8_t mode, int lane, uint32_t b, uint32_t c) {
  const int offset = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int first = lane & segment, last = first | (clamp & ~segment);
  switch (mode) {
    case kUp:
      return lane - offset >= last ? ShuffleSource{lane - offset, true}
                                   : ShuffleSource{lane, false};
    case kDown:
      return lane + offset <= last ? ShuffleSource{lane + offset, true}
                                   : ShuffleSource{lane, false};
    case kButterfly:
      return (lane ^ offset) <= last ? ShuffleSource{lane ^ offset, true}
                                     : ShuffleSource{lane, false};
    default: {
      const int from = first | (offset & ~segment);
      return from <= last ? ShuffleSource{from, true} : ShuffleSource{lane, false};
    }
  }
}

}  // namespace warpgrade::emulator
