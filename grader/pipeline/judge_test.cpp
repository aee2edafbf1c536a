// SPDX-License-Identifier: MIT
#include "pipeline/judge.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

/// One case with a correctness, a requirement and an efficiency item.
Rubric sample_rubric() {
  Rubric rubric;
  rubric.limits.wall_s = 10;
  rubric.cases.emplace_back();
  rubric.cases[0].id = "small";
  rubric.items.resize(3);
  rubric.items[0].id = "product";
  rubric.items[0].outputs = {{"C", Exact{}, Layout::kArray}};
  rubric.items[1].id = "launched";
  rubric.items[1].kind = ItemKind::kRequirement;
  rubric.items[1].rules = {LaunchesRule{"", Expression(1), {}}};
  rubric.items[2].id = "coalesced";
  rubric.items[2].kind = ItemKind::kEfficiency;
  rubric.items[2].metric = Metric{"", "smsp__inst_executed.sum", {}, Bound(100.0), "", {}};
  for (Item& item : rubric.items) item.cases = {"small"};
  return rubric;
}

RunStep step() { return {"small", {}, {}, "", {}, Limits{}}; }

RunResult ended(Ending ending, int code) {
  RunResult run;
  run.process.ending = ending;
  run.process.code = code;
  return run;
}

Trace trace_with_launch() {
  Trace trace;
  trace.launches.emplace_back();
  trace.launches[0].metrics = {{"smsp__inst_executed.sum", 7}};
  return trace;
}

std::vector<std::string> messages(const RunResult& run, const Result<Trace>& trace) {
  std::vector<std::string> found;
  const Arrays expected = {{"C", make_npy<float>({1}, {2})}};
  for (const CaseVerdict& verdict : judge_run(sample_rubric(), step(), run, trace, expected, {})) {
    found.push_back(std::string(to_string(verdict.status)) + ": " + verdict.message);
  }
  return found;
}

using Lines = std::vector<std::string>;

TEST(JudgeRun, PassesWhatIsRight) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  EXPECT_EQ(messages(run, trace_with_launch()), (Lines{"passed: ", "passed: ", "passed: "}));
}

/// The second item's, with another rule beside one that only a GPU can tell.
std::string requirement_beside_sanitizer(const Rule& other) {
  Rubric rubric = sample_rubric();
  rubric.items[1].rules = {SanitizerRule{{"memcheck"}}, other};
  const auto verdicts = judge_run(rubric, step(), ended(Ending::kExited, 0), trace_with_launch(),
                                  {{"C", make_npy<float>({1}, {2})}}, {});
  return std::string(to_string(verdicts.at(1).status)) + ": " + verdicts.at(1).message;
}

TEST(JudgeRun, WaitsForAGpuOnlyWhereNothingElseIsBroken) {
  EXPECT_EQ(requirement_beside_sanitizer(LaunchesRule{"", Expression(1), {}}),
            "pending: not measured: no GPU");
  EXPECT_EQ(requirement_beside_sanitizer(LaunchesRule{"", Expression(2), {}}),
            "failed: 1 kernel ran in \"\", wanted at least 2");
}

TEST(JudgeRun, TakesStatusZeroForNoEvidence) {
  EXPECT_EQ(
      messages(ended(Ending::kExited, 0), Trace{}),
      (Lines{"failed: the program ended before writing C",
             "failed: 0 kernels ran in \"\", wanted at least 1", "failed: no kernel ran in \"\""}));
}

TEST(JudgeRun, FailsAllThatACrashKeptFromBeingDone) {
  const std::string line = "failed: the program crashed with signal 11, Segmentation fault";
  EXPECT_EQ(messages(ended(Ending::kSignalled, 11), trace_with_launch()),
            (Lines{line, line, line}));
}

TEST(JudgeRun, CountsWhatWasWrittenBeforeACrashButNotWhatWasDoneOnTheDevice) {
  RunResult run = ended(Ending::kSignalled, 11);
  run.outputs["C"] = make_npy<float>({1}, {2});
  const std::string line = "failed: the program crashed with signal 11, Segmentation fault";
  EXPECT_EQ(messages(run, trace_with_launch()), (Lines{"passed: ", line, line}));
  run.outputs["C"] = make_npy<float>({1}, {3});
  EXPECT_NE(messages(run, trace_with_launch()).at(0), "passed: ");
}

TEST(JudgeRun, LetsNoWordOrNumberOfTheProgramsIntoWhatAStudentReadsOfAHiddenCase) {
  Rubric rubric = sample_rubric();
  const auto reasons = [&](const RunResult& run, const Trace& trace) {
    Lines lines;
    const Arrays expected = {{"C", make_npy<float>({1}, {2})}};
    for (const ItemResult& item :
         score(rubric, judge_run(rubric, step(), run, trace, expected, {})).items)
      lines.push_back(item.student_message);
    return lines;
  };
  RunResult run = ended(Ending::kExited, 77);
  run.process.err = "the first input is 0.25\n";
  EXPECT_EQ(reasons(run, Trace{}), Lines(3, "in a hidden case: the program ended with an error"));
  EXPECT_EQ(reasons(ended(Ending::kSignalled, 40), Trace{}),
            Lines(3, "in a hidden case: the program crashed"));
  run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {0.25});
  EXPECT_EQ(reasons(run, Trace{}), (Lines{"in a hidden case: the result is wrong",
                                          "in a hidden case: what is asked for was not seen",
                                          "in a hidden case: the count is not within its bounds"}));
  run.outputs.clear();
  EXPECT_EQ(reasons(run, Trace{}).front(),
            "in a hidden case: the program ended before writing its result");
  run.unreadable["C"] = "of shape (25, 1)";
  EXPECT_EQ(reasons(run, Trace{}).front(), "in a hidden case: the result cannot be read");
  rubric.items[1].rules = {NoFindingsRule{{"memory"}, ""}};
  Trace found;
  found.source = "emulated";
  found.exited = true;
  found.findings.push_back({1, "memory", "read 25 bytes", "", "", 0, {}, {}});
  EXPECT_EQ(reasons(run, found).at(1), "in a hidden case: a checker found a mistake");
}

TEST(JudgeRun, WantsARightResultFromAKernelWhereTheRubricAsksForOne) {
  Rubric rubric = sample_rubric();
  rubric.items[0].outputs[0].computed_in = "sum";
  RunResult run = ended(Ending::kExited, 0);
  const auto judged = [&](float wanted, float got, const std::string& source) {
    run.outputs["C"] = make_npy<float>({1}, {got});
    Trace trace;
    trace.source = source;
    trace.exited = true;
    const auto verdicts =
        judge_run(rubric, step(), run, trace, {{"C", make_npy<float>({1}, {wanted})}}, {});
    return std::string(to_string(verdicts[0].status)) + ": " + verdicts[0].message + "; " +
           verdicts[0].category;
  };
  EXPECT_EQ(judged(2, 2, "emulated"),
            "failed: no kernel ran in \"sum\"; the result is right, but no kernel computed it");
  EXPECT_TRUE(judged(2, 3, "emulated").ends_with("; the result is wrong"));
  EXPECT_EQ(judged(0, 0, "emulated"), "passed: ; ") << "zeros take no kernel";
  EXPECT_EQ(judged(2, 2, "gpu"), "pending: no kernel ran in \"sum\"; ")
      << "the emulated device's to judge";
}

TEST(JudgeRun, ComparesOnAGpuWhatIsNotForTheEmulatedDeviceAlone) {
  Rubric rubric = sample_rubric();
  rubric.items[0].outputs = {{"C"}, {"share"}};
  rubric.items[0].outputs[1].judged_on = JudgedOn::kEmulated;
  const Arrays expected = {{"C", make_npy<float>({1}, {2})}, {"share", make_npy<float>({1}, {1})}};
  const auto judged = [&](float c, float share, const std::string& source) {
    RunResult run = ended(Ending::kExited, 0);
    run.outputs = {{"C", make_npy<float>({1}, {c})}, {"share", make_npy<float>({1}, {share})}};
    Trace trace = trace_with_launch();
    trace.source = source;
    return judge_run(rubric, step(), run, trace, expected, {})[0].status;
  };
  EXPECT_EQ(judged(2, 1, "emulated"), Outcome::kPassed);
  EXPECT_EQ(judged(2, 3, "emulated"), Outcome::kFailed);
  EXPECT_EQ(judged(2, 3, "gpu"), Outcome::kPending);
  EXPECT_EQ(judged(3, 1, "gpu"), Outcome::kFailed);
}

TEST(JudgeRun, WaitsOnEachDeviceForWhatOnlyTheOtherJudgesButNotOnBothForEver) {
  Rubric rubric = sample_rubric();
  rubric.items[1].rules = {SanitizerRule{{"memcheck"}}, NoFindingsRule{{"memory"}, ""}};
  const auto judged = [&](const std::string& source, const InstrumentReadings& readings) {
    Trace trace = trace_with_launch();
    trace.source = source;
    trace.exited = true;
    return judge_run(rubric, step(), ended(Ending::kExited, 0), trace, {}, {}, readings)[1].status;
  };
  InstrumentReadings clean, dirty;
  clean.sanitizer["memcheck"] = {"memcheck", "", 0, {}};
  dirty.sanitizer["memcheck"] = {"memcheck", "", 1, {}};
  EXPECT_EQ(judged("emulated", {}), Outcome::kPending);
  EXPECT_EQ(judged("gpu", {}), Outcome::kPending);
  EXPECT_EQ(judged("gpu", clean), Outcome::kPassed);
  EXPECT_EQ(judged("gpu", dirty), Outcome::kFailed);
  rubric.items[1].rules.erase(rubric.items[1].rules.begin());
  EXPECT_EQ(judged("gpu", clean), Outcome::kPending);
}

TEST(JudgeRun, SaysWhereAFinishedOutputCameFromThoughTheProgramFailedLater) {
  Rubric rubric = sample_rubric();
  rubric.items[1].rules = {OnDeviceRule{"", "C", {}}};
  RunResult run = ended(Ending::kExited, 1);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  const auto of_condition = [&] {
    const auto verdicts =
        judge_run(rubric, step(), run, trace, {{"C", make_npy<float>({1}, {2})}}, {});
    return verdicts.at(1).message;
  };
  const std::string ended_badly = "the program ended with status 1";
  EXPECT_EQ(of_condition(), ended_badly);
  trace.exited = true;
  EXPECT_NE(of_condition(), "");
  EXPECT_NE(of_condition(), ended_badly);
  rubric.items[1].rules.push_back(LaunchesRule{"", Expression(1), {}});
  EXPECT_EQ(of_condition(), ended_badly);
}

TEST(JudgeRun, NeverBlamesTheStudentForOurs) {
  RunResult run = ended(Ending::kSystemError, 0);
  run.process.error = "no sandbox";
  EXPECT_EQ(messages(run, Trace{}).at(0), "system_error: no sandbox");
  EXPECT_EQ(messages(ended(Ending::kExited, 0), Error{"nonsense"}).at(1), "system_error: nonsense");
}

TEST(JudgeRun, FailsEverythingWhereTheRecordWasForged) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  run.forged = "line 3 is not the device's own";
  const std::string line =
      "failed: the program wrote to the grader's record of what it did: line 3 is not the device's "
      "own";
  EXPECT_EQ(messages(run, Trace{}), (Lines{line, line, line}));
}

TEST(JudgeRun, FailsEverythingWhereTheProgramPlayedTheGrader) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  trace.findings.push_back({1, "harness", "it made our domain", "", "", 0, {}, {}});
  EXPECT_EQ(messages(run, trace), Lines(3, "failed: it made our domain"));
}

TEST(JudgeRun, JudgesNothingOnTheDeviceOfAProgramThatLeftByItself) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  trace.source = "emulated";
  const std::string line =
      "failed: the program left by _exit(), before the record of what it did was complete";
  EXPECT_EQ(messages(run, trace), (Lines{"passed: ", line, line}));
  trace.exited = true;
  EXPECT_EQ(messages(run, trace), (Lines{"passed: ", "passed: ", "passed: "}));
}

TEST(JudgeRun, SaysWhyAnOutputIsNoArray) {
  RunResult run = ended(Ending::kExited, 0);
  run.unreadable["C"] = "C.npy is not a plain file";
  EXPECT_EQ(messages(run, trace_with_launch()).at(0), "failed: C.npy is not a plain file");
}

TEST(DescribeEnd, NamesThePlaceThatAFindingKnows) {
  Trace trace;
  trace.findings.push_back(
      {1, "limit", "the launch was stopped", "f", "a.cu", 12, {0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(
      describe_end(ended(Ending::kTimedOut, 0).process, Limits{}, trace),
      "stopped after 10 s, before the program had ended (a.cu:12: the launch was stopped (kernel "
      "f, block (0, 0, 0), thread (1, 0, 0)))");
}

TEST(DescribeEnd, SaysOfAKilledProgramThatItWasKilled) {
  EXPECT_EQ(describe_end(ended(Ending::kSignalled, 9).process, Limits{}, {}),
            "the program was killed by signal 9, before it had ended");
}

TEST(DescribeEnd, BlamesNoFindingThatLeftTheRunAsItWas) {
  Trace trace;
  trace.findings.push_back({1, "memory", "reads 4 bytes", "f", "a.cu", 12, {0, 0, 0}, {1, 0, 0}});
  trace.findings.push_back({2, "api", "never freed", "", "", 0, {0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(describe_end(ended(Ending::kExited, 1).process, Limits{}, trace),
            "the program ended with status 1 (a.cu:12: reads 4 bytes (kernel f, block (0, 0, 0), "
            "thread (1, 0, 0)))");
}

TEST(DescribeEnd, NamesTheFirstOfAKernelsFindings) {
  Trace trace;
  for (const char* const kernel : {"f", "g", "g"}) {
    const int line = 10 + static_cast<int>(trace.findings.size());
    trace.findings.push_back(
        {1, "memory", "reads 4 bytes", kernel, "a.cu", line, {0, 0, 0}, {1, 0, 0}});
  }
  EXPECT_EQ(describe_end(ended(Ending::kExited, 1).process, Limits{}, trace),
            "the program ended with status 1 (a.cu:11: reads 4 bytes (kernel g, block (0, 0, 0), "
            "thread (1, 0, 0)))");
}

TEST(DescribeEnd, QuotesTheProgramsLastWords) {
  RunResult run = ended(Ending::kExited, 98);
  run.process.err = "first\ndriver: in/A.npy: cannot be opened\n";
  EXPECT_EQ(describe_end(run.process, Limits{}, {}),
            "the program ended with status 98: driver: in/A.npy: cannot be opened");
}

}  // namespace
}  // namespace warpgrade
