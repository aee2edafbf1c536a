// SPDX-License-Identifier: MIT
#include "report/explanations.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Explanations, TellAFindingOnceAndThenItsPlace) {
  Explanations explanations("en");
  const std::string first =
      "C is wrong. A checker found why: tile.cu:27: writes b[3] (kernel k)\nHint: a barrier";
  EXPECT_EQ(explanations.tell(first), first);
  EXPECT_EQ(
      explanations.tell(
          "D is wrong. A checker found why: tile.cu:27: writes b[3] (kernel k)\nHint: another"),
      "D is wrong. The same finding explains it: tile.cu:27\nHint: another");
  const std::string other = "D is wrong. A checker found why: tile.cu:27: writes a[1] (kernel k)";
  EXPECT_EQ(explanations.tell(other), other);
}

TEST(Explanations, LeaveWhatHasNoPlaceAndWhatNoFindingExplains) {
  Explanations explanations("en");
  for (const char* const reason :
       {"C is wrong.",
        "C is wrong. A checker found why: cudaMemcpy reads bytes 0 to 3: wait first"}) {
    EXPECT_EQ(explanations.tell(reason), reason);
    EXPECT_EQ(explanations.tell(reason), reason);
  }
}

}  // namespace
}  // namespace warpgrade
