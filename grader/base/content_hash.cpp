// SPDX-License-Identifier: MIT
#include "base/content_hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpgrade {
namespace {

constexpr size_t kDigestBytes = 8;

// RFC 7693, 2.6: the fractional parts of the square roots of the first 8 primes.
constexpr std::array<uint64_t, 8> kStart = {
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

// RFC 7693, 2.7: in which order a round takes the words of a block. Rounds 10 and 11 are 0 and 1 again.
constexpr unsigned char kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                          {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                          {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                          {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                          {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                          {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                          {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                          {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                          {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                          {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
constexpr int kRounds = 12;

// RFC 7693, 3.1.
void mix_words(uint64_t& a, uint64_t& b, uint64_t& c, uint64_t& d, uint64_t x, uint64_t y) {
  a += b + x, d = std::rotr(d ^ a, 32);
  c += d, b = std::rotr(b ^ c, 24);
  a += b + y, d = std::rotr(d ^ a, 16);
  c += d, b = std::rotr(b ^ c, 63);
}

}  // namespace

ContentHash::ContentHash() : state_(kStart) { state_[0] ^= 0x01010000 ^ kDigestBytes; }

// RFC 7693, 3.2.
void ContentHash::mix(State& state, const unsigned char* block, uint64_t bytes, bool is_last) {
  uint64_t m[16], v[16];
  std::memcpy(m, block, sizeof m);
  std::copy(state.begin(), state.end(), v);
  std::copy(kStart.begin(), kStart.end(), v + 8);
  v[12] ^= bytes;
  if (is_last) v[14] = ~v[14];
  for (int round = 0; round < kRounds; ++round) {
    const unsigned char* const s = kOrder[round % 10];
    for (int i = 0; i < 4; ++i)
      mix_words(v[i], v[4 + i], v[8 + i], v[12 + i], m[s[2 * i]], m[s[2 * i + 1]]);
    for (int i = 0; i < 4; ++i)
      mix_words(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[s[8 + 2 * i]],
                m[s[9 + 2 * i]]);
  }
  for (size_t i = 0; i < state.size(); ++i) state[i] ^= v[i] ^ v[8 + i];
}

void ContentHash::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (held_ == kBlockBytes) {
      bytes_ += kBlockBytes;
      mix(state_, block_.data(), bytes_, false);
      held_ = 0;
    }
    const size_t count = std::min(bytes.size(), kBlockBytes - held_);
    std::memcpy(block_.data() + held_, bytes.data(), count);
    held_ += count;
    bytes.remove_prefix(count);
  }
}

uint64_t ContentHash::value() const {
  State state = state_;
  std::array<unsigned char, kBlockBytes> block{};
  std::memcpy(block.data(), block_.data(), held_);
  mix(state, block.data(), bytes_ + held_, true);
  return state[0];
}

}  // namespace warpgrade
