// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/findings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgrade::emulator {
namespace {

TEST(Findings, OfOneCheckerHideNoneOfAnother) {
  std::vector<Finding> findings(150);
  for (Finding& each : findings) each.checker = "init";
  findings.emplace_back().checker = "race";
  const std::vector<Finding> told = told_of(findings);
  const auto count = [&](const char* checker) {
    return std::count_if(told.begin(), told.end(),
                         [&](const Finding& each) { return each.checker == checker; });
  };
  EXPECT_EQ(count("init"), 100);
  EXPECT_EQ(count("race"), 1);
}

}  // namespace
}  // namespace warpgrade::emulator
