// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/teller.h"

#include <gtest/gtest.h>

#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// With `id` for its text. `other_line` is that of the other access of a race.
Finding finding(const char* id, int line, int other_line = 0) {
  Finding one;
  one.message = {id, {}, id};
  one.checker = checker_of(one.message);
  one.other_line = other_line;
  one.kernel = line == 0 ? "" : "k";
  one.file = line == 0 ? "" : "k.cu";
  one.line = line;
  return one;
}

/// What a call of the program's in a line of it did.
Finding at_line(const Sentence& sentence, int line) {
  Finding one;
  one.message = sentence;
  one.checker = checker_of(sentence);
  one.file = "k.cu";
  one.line = line;
  return one;
}

/// What is said of findings of one launch each, after a call that failed unseen where `cause` is not empty.
std::string said_of(const std::vector<std::vector<Finding>>& launches, const Sentence& cause = {},
                    Audience audience = Audience::people) {
  testing::internal::CaptureStderr();
  Teller teller(audience);
  if (!cause.empty()) teller.tell_cause(at_line(cause, 7));
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
  EXPECT_EQ(said_of({{finding("init.unwritten", 4), finding("memory.outside", 5),
                      finding("race.between", 6)}}),
            std::string("warpgrade: memory: memory.outside [kernel k, k.cu:5") + kPlace +
                "warpgrade: 1 problem, and 2 findings that follow from that (--plain tells all); "
                "checked: memory, race\n");
}

TEST(Teller, SaysTheRaceForWhichALoopDoesNotEndAndThenTheLoop) {
  EXPECT_EQ(said_of({{finding("limit.time", 4), finding("race.between", 6)}}),
            std::string("warpgrade: race: race.between [kernel k, k.cu:6") + kPlace +
                "warpgrade: limit: limit.time [kernel k, k.cu:4" + kPlace +
                "warpgrade: 2 problems; checked: memory, race\n");
}

TEST(Teller, SaysAgainOnlyWhatItHasSaid) {
  const std::vector<Finding> launch = {finding("race.between", 6), finding("init.unwritten", 4)};
  EXPECT_EQ(said_of({launch, launch}),
            std::string("warpgrade: race: race.between [kernel k, k.cu:6") + kPlace +
                "warpgrade: found again in 1 more launch: race: race.between [kernel k, k.cu:6]\n"
                "warpgrade: 1 problem, and 1 finding that follows from that (--plain tells all); "
                "checked: memory, race\n");
}

TEST(Teller, SaysALostUpdateBesideAnAccessThatEndsTheKernel) {
  Finding update = finding("race.between", 5), other_side = update;
  update.message.args = {{"advice", "advice.atomic_for_both(function=atomicAdd())"}};
  other_side.message.args = {{"advice", "advice.atomic_for_one(function=atomicAdd())"}};
  EXPECT_EQ(said_of({{update, finding("memory.outside", 5), other_side}}),
            std::string("warpgrade: memory: memory.outside [kernel k, k.cu:5") + kPlace +
                "warpgrade: race: race.between [kernel k, k.cu:5" + kPlace +
                "warpgrade: 2 problems, and 1 finding that follows from that (--plain tells all); "
                "checked: memory, race\n");
}

TEST(Teller, SaysARaceOnceThatIsFoundFromBothSides) {
  EXPECT_EQ(said_of({{finding("race.between", 9, 10), finding("race.between", 10, 9)}}),
            std::string("warpgrade: race: race.between [kernel k, k.cu:9") + kPlace +
                "warpgrade: 1 problem, and 1 finding that follows from that (--plain tells all); "
                "checked: memory, race\n");
}

TEST(Teller, SaysTheCallThatFailedBeforeWhatKernelsDoWithoutIt) {
  EXPECT_EQ(
      said_of({{finding("memory.outside", 5)}}, {"api.call_failed", {}, "cudaMalloc failed"}),
      "warpgrade: api: cudaMalloc failed [k.cu:7]\n"
      "warpgrade: 1 problem, and 1 finding that follows from that (--plain tells all); checked: "
      "memory, race\n");
}

TEST(Teller, LeavesARefusedCopyToExplainTheErrorNobodyAskedFor) {
  EXPECT_EQ(
      said_of({{finding("memory.wrong_direction", 0), finding("api.call_failed", 0)}}),
      "warpgrade: memory: memory.wrong_direction\n"
      "warpgrade: 1 problem, and 1 finding that follows from that (--plain tells all); checked: "
      "memory, race\n");
}

TEST(Teller, SaysACauseOnceWhateverItsWordsAre) {
  testing::internal::CaptureStderr();
  Teller teller(Audience::people);
  const char* const id = "api.call_failed";
  teller.tell_cause(at_line({id, {{"call", "cudaMalloc"}}, "cudaMalloc failed"}, 7));
  teller.tell_cause(at_line({id, {{"call", "cudaMalloc"}}, "cudaMalloc ging schief"}, 7));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warpgrade: api: cudaMalloc failed [k.cu:7]\n");
}

TEST(Teller, SaysEachFindingToTools) {
  EXPECT_EQ(said_of({{finding("memory.a", 5), finding("race.b", 5)}}, {}, Audience::tools),
            std::string("warpgrade: memory: memory.a [kernel k, k.cu:5") + kPlace +
                "warpgrade: race: race.b [kernel k, k.cu:5" + kPlace);
}

TEST(Teller, SaysNothingToNobody) {
  EXPECT_EQ(said_of({{finding("memory.a", 5)}}, {}, Audience::nobody), "");
}

}  // namespace
}  // namespace warpgrade::emulator
