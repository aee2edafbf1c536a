// SPDX-License-Identifier: MIT
#include "emulator/runtime/teller.h"

#include <gtest/gtest.h>

namespace warpgrade::emulator {
namespace {

Finding finding(const char* checker, const char* message, int line) {
  Finding one;
  one.checker = checker;
  one.message = message;
  one.kernel = line == 0 ? "" : "k";
  one.file = line == 0 ? "" : "k.cu";
  one.line = line;
  return one;
}

/// What is said of findings of one launch each, after a call that failed unseen where `cause` is not empty.
std::string said_of(const std::vector<std::vector<Finding>>& launches,
                    const std::string& cause = "", Audience audience = Audience::people) {
  testing::internal::CaptureStderr();
  Teller teller(audience);
  if (!cause.empty()) teller.tell_cause(cause);
  uint64_t number = 0;
  for (const std::vector<Finding>& found : launches) {
    for (const Finding& each : found) teller.tell(each, number);
    teller.end_of_launch();
    ++number;
  }
  teller.end({.memory = true, .race = true});
  return testing::internal::GetCapturedStderr();
}

constexpr const char* kPlace = ", block (0,0,0), thread (0,0,0)]\n";

TEST(Teller, SaysThatACleanRunHasNoProblems) {
  EXPECT_EQ(said_of({}), "warpgrade: 0 problems; checked: memory, race\n");
}

TEST(Teller, ClaimsNothingWhereNothingWasChecked) {
  testing::internal::CaptureStderr();
  Teller(Audience::people).end({});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Teller, CountsWhatFollowsFromAnAccessThatEndsTheKernel) {
  EXPECT_EQ(
      said_of({{finding("init", "reads a[0], which nothing has written", 4),
                finding("memory", "writes past the end", 5), finding("race", "writes b", 6)}}),
      std::string("warpgrade: memory: writes past the end [kernel k, k.cu:5") + kPlace +
          "warpgrade: 1 problem, and 2 findings that follow from it (--plain tells all); "
          "checked: memory, race\n");
}

TEST(Teller, SaysARaceOnceThatIsFoundFromBothSides) {
  EXPECT_EQ(said_of({{finding("race", "writes s, which another reads in line 10, so", 9),
                      finding("race", "reads s, which another writes in line 9, so", 10)}}),
            std::string("warpgrade: race: writes s, which another reads in line 10, so [kernel k, "
                        "k.cu:9") +
                kPlace +
                "warpgrade: 1 problem, and 1 finding that follows from it (--plain tells all); "
                "checked: memory, race\n");
}

TEST(Teller, SaysTheCallThatFailedBeforeWhatKernelsDoWithoutIt) {
  EXPECT_EQ(
      said_of({{finding("memory", "writes 4 bytes at the null pointer", 5)}}, "cudaMalloc failed"),
      "warpgrade: cudaMalloc failed\n"
      "warpgrade: 1 problem, and 1 finding that follows from it (--plain tells all); checked: "
      "memory, race\n");
}

TEST(Teller, LeavesARefusedCopyToExplainTheErrorNobodyAskedFor) {
  EXPECT_EQ(
      said_of({{finding("memory", "cudaMemcpy is the wrong way round", 0),
                finding("api", "cudaMemcpy returned an error", 0)}}),
      "warpgrade: memory: cudaMemcpy is the wrong way round\n"
      "warpgrade: 1 problem, and 1 finding that follows from it (--plain tells all); checked: "
      "memory, race\n");
}

TEST(Teller, SaysEachFindingToTools) {
  EXPECT_EQ(said_of({{finding("memory", "a", 5), finding("race", "b", 5)}}, "", Audience::tools),
            std::string("warpgrade: memory: a [kernel k, k.cu:5") + kPlace +
                "warpgrade: race: b [kernel k, k.cu:5" + kPlace);
}

TEST(Teller, SaysNothingToNobody) {
  EXPECT_EQ(said_of({{finding("memory", "a", 5)}}, "", Audience::nobody), "");
}

}  // namespace
}  // namespace warpgrade::emulator
