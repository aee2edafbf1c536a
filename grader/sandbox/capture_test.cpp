// SPDX-License-Identifier: MIT
#include "sandbox/capture.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Capture, KeepsAShortStreamWhole) {
  Capture capture(8);
  capture.add("abc");
  capture.add("defgh");
  EXPECT_EQ(capture.text(), "abcdefgh");
}

TEST(Capture, KeepsHeadAndTailOfALongStream) {
  Capture capture(8);
  for (char letter = 'a'; letter <= 'z'; ++letter) capture.add(std::string(1, letter));
  EXPECT_EQ(capture.text(), "abcd\n[... 18 bytes left out ...]\nwxyz");
  EXPECT_EQ(capture.total_bytes(), 26u);
}

TEST(Capture, SaysWhatIsMissingEvenWhenOneByteIs) {
  Capture capture(8);
  capture.add("abcdefghi");
  EXPECT_EQ(capture.text(), "abcd\n[... 1 bytes left out ...]\nfghi");
}

}  // namespace
}  // namespace warpgrade
