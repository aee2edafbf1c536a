// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Text, TrimsAndSplitsAndJoins) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

TEST(Text, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("pionts", {"title", "points"}), "points");
  EXPECT_EQ(nearest("colour", {"title", "points"}), "");
}

TEST(Text, MakesHostileBytesVisible) {
  EXPECT_EQ(printable("a\x1b[31m\xff\n"), "a\\x1b[31m\\xff\n");
  EXPECT_EQ(printable("\xd0\xbb\xd0\xb0\xd0\xb1"), "\xd0\xbb\xd0\xb0\xd0\xb1");
}

TEST(Text, KnowsUtf8) {
  EXPECT_TRUE(is_utf8("\xd0\xbb \xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xd0"));
}

TEST(Text, CountsInWords) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
}

}  // namespace
}  // namespace warpgrade
