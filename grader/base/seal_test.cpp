// SPDX-License-Identifier: MIT
#include "base/seal.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

Lines sealed(const Lines& lines, const std::string& key = "secret") {
  Seal seal(key);
  Lines marked;
  for (const std::string& line : lines) marked.push_back(seal.mark(line) + " " + line + "\n");
  return marked;
}

TEST(Seal, OpensToTheLinesThatWereSealed) {
  const Lines marked = sealed({"first", "second", ""});
  EXPECT_EQ(open_sealed(marked[0] + marked[1] + marked[2], "secret").value(), "first\nsecond\n\n");
  EXPECT_EQ(open_sealed("", "secret").value(), "");
}

TEST(Seal, DropsALineThatWasNotFinished) {
  const Lines marked = sealed({"first", "second"});
  EXPECT_EQ(open_sealed(marked[0] + marked[1].substr(0, 20), "secret").value(), "first\n");
}

TEST(Seal, SeesWhatWasChangedAddedOrLeftOut) {
  const Lines marked = sealed({"first", "second", "third"});
  std::string changed = marked[1];
  changed.back() = 'x';
  const auto opened = [](const std::string& text) { return open_sealed(text, "secret"); };
  EXPECT_EQ(opened(marked[0] + changed + "\n").error().message, "line 2 is not the device's own");
  EXPECT_FALSE(opened(marked[1] + marked[2]).ok());
  EXPECT_FALSE(opened(marked[0] + marked[2]).ok());
  EXPECT_FALSE(opened(marked[0] + marked[0]).ok());
  EXPECT_FALSE(opened(marked[0] + "second\n").ok());
  EXPECT_FALSE(opened(marked[0] + "\n").ok());
}

TEST(Seal, SeesAnotherKey) {
  EXPECT_FALSE(open_sealed(sealed({"first"}, "guessed")[0], "secret").ok());
}

}  // namespace
}  // namespace warpgrade
