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
  EXPECT_EQ(nearest("anm", {"ann", "bob"}), "ann");
  EXPECT_EQ(nearest("oob", {"one", "edges"}), "") << "two of three letters differ";
}

TEST(Text, MakesHostileBytesVisible) {
  EXPECT_EQ(printable("a\x1b[31m\xff\n"), "a\\x1b[31m\\xff\n");
  EXPECT_EQ(printable("\xd0\xbb\xd0\xb0\xd0\xb1"), "\xd0\xbb\xd0\xb0\xd0\xb1");
}

TEST(Text, ShowsWhatSteersATerminalOrHidesInAText) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\x9d"),
            "\\u{009b}31m \\u{009d}")
      << "C1: CSI, OSC";
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6 \xd8\x9c"),
            "a\\u{202e}b\\u{2066} \\u{061c}")
      << "right to left";
  EXPECT_EQ(printable("\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\xa1"), "\\u{200b}\\u{feff}\\u{e0061}")
      << "without a shape";
  EXPECT_EQ(printable("\xc2\xa0\xf0\x9f\x98\x80\xd7\x90"), "\xc2\xa0\xf0\x9f\x98\x80\xd7\x90")
      << "a space, a face and a letter";
}

TEST(Text, ShowsSequencesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "longer than needed";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
}

TEST(Text, EscapesTheSameInJson) {
  EXPECT_EQ(printable_json("{\"a\": \"\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\xa1\x7f \xd0\xbb\"}\n"),
            "{\"a\": \"\\u009b\\u202e\\udb40\\udc61\\u007f \xd0\xbb\"}\n");
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
