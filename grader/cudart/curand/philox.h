// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace warpgrade::cudart {

/// The words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers, 2011), from any place of the sequence
/// on. A generator for the distributions of <random>.
class Philox {
 public:
  using result_type = uint32_t;

  Philox(uint64_t seed, uint64_t position) : key_(seed), position_(position) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    const uint64_t number = position_ / 4;
    if (number != held_ || !has_block_) make_block(number);
    return block_[position_++ % 4];
  }
  /// The place of the next word.
  uint64_t position() const { return position_; }

 private:
  void make_block(uint64_t number) {
    constexpr uint64_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;
    constexpr uint32_t kFirstStep = 0x9E3779B9, kSecondStep = 0xBB67AE85;
    constexpr int kRounds = 10;
    std::array<uint32_t, 4> x = {static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32),
                                 0, 0};
    auto first_key = static_cast<uint32_t>(key_), second_key = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t first = kFirst * x[0], second = kSecond * x[2];
      x = {static_cast<uint32_t>(second >> 32) ^ x[1] ^ first_key, static_cast<uint32_t>(second),
           static_cast<uint32_t>(first >> 32) ^ x[3] ^ second_key, static_cast<uint32_t>(first)};
      first_key += kFirstStep;
      second_key += kSecondStep;
    }
    block_ = x;
    held_ = number;
    has_block_ = true;
  }

  uint64_t key_, position_, held_ = 0;
  bool has_block_ = false;
  std::array<uint32_t, 4> block_{};
};

}  // namespace warpgrade::cudart
