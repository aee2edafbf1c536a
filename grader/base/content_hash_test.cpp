// SPDX-License-Identifier: MIT
#include "base/content_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace warpgrade {
namespace {

// What Python's hashlib.blake2b(..., digest_size=8) makes of the same bytes, read from the lowest byte on.
TEST(ContentHash, IsBlake2bOf64Bits) {
  EXPECT_EQ(content_hash(""), 0xB4B2797457A0A6E4u);
  EXPECT_EQ(content_hash("abc"), 0x5995D533D814BBD8u);
  const auto counting = [](size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(i % 251);
    return content_hash(text);
  };
  EXPECT_EQ(counting(127), 0x1EC401C351560068u);
  EXPECT_EQ(counting(128), 0x827E61B6F13DD1C2u);
  EXPECT_EQ(counting(129), 0xA650536D7AE467F6u);
  EXPECT_EQ(counting(256), 0x3C7A9D538D771A51u);
  EXPECT_EQ(counting(1000), 0x7F5738A836A89C66u);
}

TEST(ContentHash, IsTheSameInParts) {
  const std::string text(1000, 'x');
  for (const size_t part : {1u, 7u, 128u, 129u, 999u}) {
    ContentHash hash;
    for (size_t at = 0; at < text.size(); at += part) hash.add(text.substr(at, part));
    EXPECT_EQ(hash.value(), content_hash(text)) << part;
  }
}

}  // namespace
}  // namespace warpgrade
