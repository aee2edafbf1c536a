// SPDX-License-Identifier: MIT
#include "commands/progress.h"

#include <gtest/gtest.h>

#include "testing/fake_clock.h"

namespace warpgrade {
namespace {

using std::chrono::seconds;

TEST(ProgressDisplay, TellsEveryTenPercentWhereNobodyWatches) {
  FakeClock clock;
  ProgressDisplay display(clock, std::nullopt, 40);
  std::string told;
  for (size_t done = 1; done <= 40; ++done) {
    clock.sleep(seconds(1));
    told += display.after("ann", done, 40);
  }
  EXPECT_TRUE(told.starts_with("4 of 40 are graded, 60 a minute, 36 s left\n8 of 40 are graded, "))
      << told;
  EXPECT_TRUE(told.ends_with("\n40 of 40 are graded\n")) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 10);
}

TEST(ProgressDisplay, TellsEveryTenSecondsWhereTenPercentTakeLong) {
  FakeClock clock;
  ProgressDisplay display(clock, std::nullopt, 40);
  std::string told;
  for (size_t done = 1; done <= 5; ++done) {
    clock.sleep(seconds(6));
    told += display.after("ann", done, 2000);
  }
  EXPECT_EQ(told,
            "2 of 2000 are graded, 10 a minute, 3.3 h left\n"
            "4 of 2000 are graded, 10 a minute, 3.3 h left\n");
}

TEST(ProgressDisplay, TakesTheRateFromTheLastSubmissions) {
  FakeClock clock;
  ProgressDisplay display(clock, 80, 140);
  for (size_t done = 1; done <= 100; ++done) display.after("known", done, 140);
  std::string told;
  for (size_t done = 101; done <= 140; ++done) {
    clock.sleep(seconds(6));
    told = done == 139 ? display.after("ann", done, 140) : told;
    if (done != 139) display.after("ann", done, 140);
  }
  EXPECT_EQ(told, "\r\x1b[K139/140, 10 a minute, 6 s left: ann");
}

TEST(ProgressDisplay, NamesWhoTakesLongestWhereNothingElseIsTold) {
  FakeClock clock;
  ProgressDisplay display(clock, std::nullopt, 3);
  display.before("endless");
  clock.sleep(seconds(5));
  display.before("slow");
  display.before("quick");
  EXPECT_EQ(display.after("quick", 1, 3), "1 of 3 are graded, 12 a minute, 10 s left\n");
  std::string told;
  for (int i = 0; i < 65; ++i) {
    clock.sleep(seconds(1));
    told += display.meanwhile();
  }
  EXPECT_EQ(told,
            "1 of 3 are graded; endless has taken 35 s so far\n"
            "1 of 3 are graded; endless has taken 65 s so far\n");
}

TEST(ProgressDisplay, SaysNothingMeanwhileWhereNoneIsUnderWay) {
  FakeClock clock;
  ProgressDisplay display(clock, 80, 2);
  display.before("ann");
  display.after("ann", 1, 2);
  clock.sleep(seconds(100));
  EXPECT_EQ(display.meanwhile(), "");
}

TEST(ProgressDisplay, WritesOneLineNoWiderThanTheTerminal) {
  FakeClock clock;
  ProgressDisplay display(clock, 20, 3);
  EXPECT_EQ(display.after("a_very_long_name_of_a_student", 1, 3), "\r\x1b[K1/3: a_very_long...");
  EXPECT_EQ(display.end(), "\r\x1b[K");
  EXPECT_EQ(display.end(), "") << "there is no line any more";
}

TEST(CaseLine, ShowsHowManyCasesAreBehindIt) {
  EXPECT_EQ(case_line("edges", 1, 4, 80), "\r\x1b[K[....................] 1/4 edges");
  EXPECT_EQ(case_line("edges", 3, 4, 80), "\r\x1b[K[##########..........] 3/4 edges");
  EXPECT_EQ(case_line("a-very-long-name", 3, 4, 32), "\r\x1b[K[##########..........] 3/4 a...");
}

TEST(ProgressDisplay, IsSilentForOneSubmission) {
  FakeClock clock;
  ProgressDisplay display(clock, std::nullopt, 40);
  EXPECT_EQ(display.after("ann", 1, 1), "");
  EXPECT_EQ(display.end(), "");
}

}  // namespace
}  // namespace warpgrade
