// SPDX-License-Identifier: MIT
#include "pipeline/foreign_ranges.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

constexpr const char* kDriver = R"(Range range("add"); const std::string again = name + "_again";
folder.output("C", values); folder.output<int>("C", {});)";

std::vector<std::string> foreign_messages(std::vector<std::pair<std::string, bool>> marks) {
  Trace trace;
  for (const auto& [name, begins] : marks)
    trace.ranges.push_back({static_cast<long>(trace.ranges.size()), name, begins});
  std::vector<std::string> found;
  for (const Finding& finding : foreign_ranges(trace, kDriver)) {
    EXPECT_EQ(finding.checker, "harness");
    found.push_back(finding.message);
  }
  return found;
}

using Lines = std::vector<std::string>;

TEST(ForeignRanges, AreNoneOfADriversOwn) {
  EXPECT_EQ(
      foreign_messages({{"add", true}, {"add", false}, {"add_again", true}, {"add_again", false}}),
      Lines{});
  EXPECT_EQ(foreign_messages({{"warpgrade.case:0", true}, {"add", true}, {"add", false}}), Lines{});
  EXPECT_EQ(foreign_messages({{"add", true}}), Lines{}) << "the program was killed";
}

TEST(ForeignRanges, LieWithinAnother) {
  EXPECT_EQ(foreign_messages({{"add", true}, {"add", true}, {"add", false}, {"add", false}}),
            Lines{"it opened the range \"add\" of the grader's within \"add\""});
}

TEST(ForeignRanges, HaveNamesThatTheDriverDoesNotKnow) {
  EXPECT_EQ(
      foreign_messages({{"hideaway", true}, {"hideaway", false}, {"add", true}, {"add", false}}),
      Lines{"it opened the range \"hideaway\", which is none of the grader's"});
}

TEST(ForeignRanges, HaveNamesThatAreAnyWordOfTheDriversSource) {
  EXPECT_EQ(foreign_messages({{"string", true}, {"string", false}}),
            Lines{"it opened the range \"string\", which is none of the grader's"});
}

TEST(ForeignRanges, EndOneThatIsNotOpen) {
  EXPECT_EQ(foreign_messages({{"add", true}, {"add", false}, {"", false}}),
            Lines{"it ended a range of the grader's that was not open"});
}

TEST(MarkDriversLaunches, KnowsTheKernelsThatTheDriverDefines) {
  constexpr const char* kSource =
      "__global__ void take_time(float* out, int n) {} add<<<1, 1>>>();";
  Trace trace;
  trace.source = "gpu";
  KernelLaunch launch;
  for (const char* kernel : {"(anonymous namespace)::take_time(float*, int)", "take_time(int)",
                             "add()", "time(int)", ""}) {
    launch.kernel = kernel;
    trace.launches.push_back(launch);
  }
  mark_drivers_launches(trace, kSource, {});
  std::vector<bool> drivers;
  for (const KernelLaunch& each : trace.launches) drivers.push_back(each.is_drivers);
  EXPECT_EQ(drivers, (std::vector<bool>{true, true, false, false, false}));
}

TEST(MarkDriversLaunches, KnowsAKernelOfTheSameNameByItsCode) {
  Trace trace;
  KernelLaunch launch;
  launch.kernel = "take_time(float*, int)";
  for (const char* code : {"driver", "student"}) {
    launch.code = {code};
    trace.launches.push_back(launch);
  }
  launch.code = {"driver"};
  launch.range = "time_inside";
  trace.launches.push_back(launch);
  mark_drivers_launches(trace, "__global__ void take_time(float* out, int n) {}", {"driver"});
  EXPECT_TRUE(trace.launches[0].is_drivers);
  EXPECT_FALSE(trace.launches[1].is_drivers);
  EXPECT_TRUE(trace.launches[2].is_drivers) << "a probe that the student's function calls";
}

TEST(MarkDriversLaunches, KnowsNoKernelByItsNameAlone) {
  Trace trace;
  trace.source = "emulated";
  KernelLaunch launch;
  launch.kernel = "take_time(float*, int)";
  trace.launches.push_back(launch);
  launch.code = {"driver", "student"};
  trace.launches.push_back(launch);
  mark_drivers_launches(trace, "__global__ void take_time(float* out, int n) {}", {"driver"});
  EXPECT_FALSE(trace.launches[0].is_drivers) << "the device says no code";
  EXPECT_FALSE(trace.launches[1].is_drivers) << "the driver's code comes with other code";
}

TEST(MoveOutside, TakesLaunchesInRangesThatNothingJudges) {
  Trace trace;
  trace.source = "emulated";
  for (const char* range : {"add", "multiply", "warpgrade.case:7", "C", ""}) {
    KernelLaunch launch;
    launch.range = range;
    trace.launches.push_back(launch);
    Finding finding;
    finding.range = range;
    trace.findings.push_back(finding);
  }
  move_outside(trace, kDriver, {"multiply"});
  std::vector<std::string> ranges;
  for (const KernelLaunch& each : trace.launches) ranges.push_back(each.range);
  EXPECT_EQ(ranges, (Lines{"add", "multiply", "", "", ""}));
  for (size_t i = 0; i < ranges.size(); ++i) EXPECT_EQ(trace.findings[i].range, ranges[i]);
}

TEST(AddFindingsOfRanges, NamesKernelsOutsideForTheStaffAndEndsNoRun) {
  Trace trace;
  trace.source = "emulated";
  trace.ranges = {{1, "add", true}, {3, "add", false}};
  KernelLaunch launch;
  launch.kernel = "early()";
  trace.launches = {launch, launch};
  add_findings_of_ranges(trace, kDriver);
  ASSERT_EQ(trace.findings.size(), 1u);
  EXPECT_EQ(trace.findings[0].message,
            "it ran 2 times outside the graded calls, which are charged for it");
  EXPECT_FALSE(may_end_a_run(trace.findings[0]));
}

}  // namespace
}  // namespace warpgrade
