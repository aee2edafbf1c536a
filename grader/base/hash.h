// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warpgrade {

/// SHA-256 (FIPS 180-4) as 64 lowercase hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// FNV-1a, 64 bits. Pass the last result as `state` to go on over further bytes.
constexpr uint64_t fnv1a_64(std::string_view bytes, uint64_t state = 0xCBF29CE484222325u) {
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  return state;
}

/// 16 lowercase hexadecimal digits, as traces write a hash.
std::string hex64(uint64_t value);

}  // namespace warpgrade
