// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpgrade {

using ChaChaState = std::array<uint32_t, 16>;

/// The quarter round of ChaCha (RFC 8439, 2.1).
constexpr void chacha_quarter(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b, d = std::rotl(d ^ a, 16);
  c += d, b = std::rotl(b ^ c, 12);
  a += b, d = std::rotl(d ^ a, 8);
  c += d, b = std::rotl(b ^ c, 7);
}

/// The block function of ChaCha20 (RFC 8439, 2.3): 64 bytes from which nothing leads back to the key in the state.
constexpr ChaChaState chacha20_block(const ChaChaState& state) {
  constexpr int kDoubleRounds = 10;
  ChaChaState x = state;
  // By number, so that compilers keep all of it in registers.
  for (int round = 0; round < kDoubleRounds; ++round) {
    chacha_quarter(x[0], x[4], x[8], x[12]);
    chacha_quarter(x[1], x[5], x[9], x[13]);
    chacha_quarter(x[2], x[6], x[10], x[14]);
    chacha_quarter(x[3], x[7], x[11], x[15]);
    chacha_quarter(x[0], x[5], x[10], x[15]);
    chacha_quarter(x[1], x[6], x[11], x[12]);
    chacha_quarter(x[2], x[7], x[8], x[13]);
    chacha_quarter(x[3], x[4], x[9], x[14]);
  }
  for (size_t i = 0; i < x.size(); ++i) x[i] += state[i];
  return x;
}

}  // namespace warpgrade
