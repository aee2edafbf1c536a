// SPDX-License-Identifier: MIT
#include "rubric/requires.h"

#include <gtest/gtest.h>

#include "rubric/sample_rubric.h"

namespace warpgrade {
namespace {

TEST(Requires, AcceptEveryDeviceWhereNothingIsAsked) {
  EXPECT_TRUE(accepts({}, 1, 0));
  EXPECT_EQ(describe_devices({}), "any");
}

TEST(Requires, HoldEveryBound) {
  const Requires range{">=8.0 <10.0", std::nullopt, {}};
  EXPECT_FALSE(accepts(range, 7, 5));
  EXPECT_TRUE(accepts(range, 8, 0));
  EXPECT_TRUE(accepts(range, 9, 0));
  EXPECT_FALSE(accepts(range, 10, 0));
  const Requires open{">8.0 <=9.0", std::nullopt, {}};
  EXPECT_FALSE(accepts(open, 8, 0));
  EXPECT_TRUE(accepts(open, 8, 6));
  EXPECT_TRUE(accepts(open, 9, 0));
  EXPECT_FALSE(accepts(open, 9, 1));
}

TEST(Requires, TakeABareNumberForThatOne) {
  EXPECT_TRUE(accepts({"8.6", std::nullopt, {}}, 8, 6));
  EXPECT_FALSE(accepts({"8.6", std::nullopt, {}}, 8, 9));
  EXPECT_FALSE(accepts({"9.1", std::nullopt, {}}, 9, 10));
}

TEST(Requires, HoldTheMajorNumberBesideTheBounds) {
  const Requires both{"<8.9", 8, {}};
  EXPECT_TRUE(accepts(both, 8, 6));
  EXPECT_FALSE(accepts(both, 8, 9));
  EXPECT_FALSE(accepts(both, 7, 5));
  EXPECT_EQ(describe_devices(both), "<8.9, major 8");
}

TEST(Requires, KnowARangeFromOtherWords) {
  EXPECT_TRUE(is_capability_range(">=8.0 <10.0"));
  for (const char* other : {"", "8", ">=8", "= 8.0", ">= 8.0", "8.0,9.0", "8.0 or 9.0", "100.0"})
    EXPECT_FALSE(is_capability_range(other)) << other;
}

TEST(Requires, AreReadFromARubric) {
  const Result<Rubric> rubric = parse_rubric(
      with("devices: [T4, H100]",
           "devices: [T4, H100]\nrequires: {compute_capability: '>=8.0  <10.0', major: 9, binary: "
           "[sm_90, compute_75]}"),
      "r.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->required.compute_capability, ">=8.0 <10.0");
  EXPECT_EQ(rubric->required.major, 9);
  EXPECT_EQ(rubric->required.binary, (std::vector<std::string>{"sm_90", "compute_75"}));
}

}  // namespace
}  // namespace warpgrade
