// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgrade {

/// BLAKE2b (RFC 7693) of bytes that arrive in parts, cut to 64 bits, by which records name what was copied. A program knows
/// its copies and must not be able to give one the hash of another.
class ContentHash {
 public:
  ContentHash();

  void add(std::string_view bytes);
  /// The hash of all bytes so far.
  uint64_t value() const;

 private:
  static constexpr size_t kBlockBytes = 128;
  using State = std::array<uint64_t, 8>;

  static void mix(State& state, const unsigned char* block, uint64_t bytes, bool is_last);

  State state_;
  std::array<unsigned char, kBlockBytes> block_{};  ///< the last one: more may follow
  size_t held_ = 0;                                 ///< bytes of it
  uint64_t bytes_ = 0;                              ///< in the blocks before it
};

inline uint64_t content_hash(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace warpgrade
