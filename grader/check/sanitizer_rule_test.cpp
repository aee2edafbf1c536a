// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "check/rules.h"
#include "check/sample_trace.h"

namespace warpgrade {
namespace {

const SanitizerRule kBoth{{"memcheck", "racecheck"}};

/// A tool that found so many errors.
SanitizerRun run_of(const std::string& tool, long errors) { return {tool, "", errors, {}}; }

TEST(SanitizerRule, HoldsWhereEachToolFoundNothing) {
  SampleProgram program;
  program.facts.sanitizer = {{"memcheck", run_of("memcheck", 0)},
                             {"racecheck", run_of("racecheck", 0)}};
  EXPECT_TRUE(judge_rule(kBoth, program.facts).passed);
}

TEST(SanitizerRule, IsBrokenByOneToolEvenWhereTheOtherCouldNotBeAsked) {
  SampleProgram program;
  SanitizerRun memcheck = run_of("memcheck", 257);
  Finding finding;
  finding.message = "Invalid __global__ write of size 4 bytes";
  finding.kernel = "add";
  finding.file = "vecadd.cu";
  finding.line = 9;
  memcheck.findings = {finding};
  program.facts.sanitizer = {{"memcheck", memcheck},
                             {"racecheck", {"racecheck", "racecheck gave no summary", 0, {}}}};
  const Judgement judgement = judge_rule(kBoth, program.facts);
  EXPECT_FALSE(judgement.passed);
  EXPECT_FALSE(judgement.pending);
  EXPECT_EQ(judgement.message,
            "sanitizer.found(count=257, first=finding.memory(place=vecadd.cu:9: , what=Invalid "
            "__global__ write of size 4 bytes, who=who.thread(block=0, 0, 0, kernel=add, thread=0, "
            "0, 0)), tool=memcheck)");
}

TEST(SanitizerRule, WaitsWhereAToolSaidNothing) {
  SampleProgram program;
  EXPECT_EQ(judge_rule(kBoth, program.facts).message, "waits.tools(why=no GPU)");
  program.facts.sanitizer = {{"memcheck", run_of("memcheck", 0)},
                             {"racecheck", {"racecheck", "racecheck gave no summary", 0, {}}}};
  const Judgement judgement = judge_rule(kBoth, program.facts);
  EXPECT_TRUE(judgement.pending);
  EXPECT_EQ(judgement.message, "waits.tools(why=racecheck gave no summary)");
}

}  // namespace
}  // namespace warpgrade
