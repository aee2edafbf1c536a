// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "emulator/exec/ops/half.h"

// The 8-bit floats of PTX ISA 5.2.3 as numbers.
namespace warpgrade::emulator::WARPGRADE_ISA {

/// Four bits of exponent, no infinities, one NaN. Its fields are those of an f16 whose exponent counts from 8 lower.
inline double number_of_e4m3(uint8_t byte) {
  if ((byte & 0x7F) == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  const Half scaled = {static_cast<uint16_t>((byte & 0x80) << 8 | (byte & 0x7F) << 7)};
  return static_cast<double>(to_float(scaled)) * 256;
}

/// The upper byte of an f16.
inline double number_of_e5m2(uint8_t byte) {
  return static_cast<double>(to_float(Half{static_cast<uint16_t>(byte << 8)}));
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
