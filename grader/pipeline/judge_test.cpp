// SPDX-License-Identifier: MIT
#include "pipeline/judge.h"

#include <gtest/gtest.h>

#include "sentences/say.h"

namespace warpgrade {
namespace {

/// One case with a correctness, a requirement and an efficiency item.
Rubric judged_rubric() {
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

RunStep judged_step() { return {"small", {}, {}, "", {}, Limits{}}; }

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

std::vector<std::string> judged_messages(const RunResult& run, const Result<Trace>& trace) {
  std::vector<std::string> found;
  const Arrays expected = {{"C", make_npy<float>({1}, {2})}};
  for (const CaseVerdict& verdict :
       judge_run(judged_rubric(), judged_step(), run, trace, expected, {})) {
    found.push_back(std::string(to_string(verdict.status)) + ": " + verdict.message.key());
  }
  return found;
}

using Lines = std::vector<std::string>;

TEST(JudgeRun, PassesWhatIsRight) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  EXPECT_EQ(judged_messages(run, trace_with_launch()), (Lines{"passed: ", "passed: ", "passed: "}));
}

/// The second item's, with another rule beside one that only a GPU can tell.
std::string requirement_beside_sanitizer(const Rule& other) {
  Rubric rubric = judged_rubric();
  rubric.items[1].rules = {SanitizerRule{{"memcheck"}}, other};
  const auto verdicts = judge_run(rubric, judged_step(), ended(Ending::kExited, 0),
                                  trace_with_launch(), {{"C", make_npy<float>({1}, {2})}}, {});
  return std::string(to_string(verdicts.at(1).status)) + ": " + verdicts.at(1).message.key();
}

TEST(JudgeRun, WaitsForAGpuOnlyWhereNothingElseIsBroken) {
  EXPECT_EQ(requirement_beside_sanitizer(LaunchesRule{"", Expression(1), {}}),
            "pending: waits.tools(why=no GPU)");
  EXPECT_EQ(requirement_beside_sanitizer(LaunchesRule{"", Expression(2), {}}),
            "failed: launches.too_few(count=1, range=, wanted=2)");
}

TEST(JudgeRun, TakesStatusZeroForNoEvidence) {
  EXPECT_EQ(judged_messages(ended(Ending::kExited, 0), Trace{}),
            (Lines{"failed: output.missing(array=C)",
                   "failed: launches.too_few(count=0, range=, wanted=1)",
                   "failed: launch.none(range=)"}));
}

TEST(JudgeRun, FailsAllThatACrashKeptFromBeingDone) {
  const std::string line = "failed: end.signal(name=Segmentation fault, signal=11, where=, words=)";
  EXPECT_EQ(judged_messages(ended(Ending::kSignalled, 11), trace_with_launch()),
            (Lines{line, line, line}));
}

TEST(JudgeRun, CountsWhatWasWrittenBeforeACrashButNotWhatWasDoneOnTheDevice) {
  RunResult run = ended(Ending::kSignalled, 11);
  run.outputs["C"] = make_npy<float>({1}, {2});
  const std::string line = "failed: end.signal(name=Segmentation fault, signal=11, where=, words=)";
  EXPECT_EQ(judged_messages(run, trace_with_launch()), (Lines{"passed: ", line, line}));
  run.outputs["C"] = make_npy<float>({1}, {3});
  EXPECT_NE(judged_messages(run, trace_with_launch()).at(0), "passed: ");
}

TEST(JudgeRun, LetsNoWordOrNumberOfTheProgramsIntoWhatAStudentReadsOfAHiddenCase) {
  Rubric rubric = judged_rubric();
  const auto reasons = [&](const RunResult& run, const Trace& trace) {
    Lines lines;
    const Arrays expected = {{"C", make_npy<float>({1}, {2})}};
    for (const ItemResult& item :
         score(rubric, judge_run(rubric, judged_step(), run, trace, expected, {})).items)
      lines.push_back(item.student_message);
    return lines;
  };
  RunResult run = ended(Ending::kExited, 77);
  run.process.err = "the first input is 0.25\n";
  const auto hidden = [](const char* id) {
    return say("item.hidden_case", {{"what", hidden_form({id})}}).text;
  };
  EXPECT_EQ(reasons(run, Trace{}), Lines(3, hidden("end.status")));
  EXPECT_EQ(reasons(ended(Ending::kSignalled, 40), Trace{}), Lines(3, hidden("end.signal")));
  run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {0.25});
  EXPECT_EQ(reasons(run, Trace{}),
            (Lines{hidden("output.one"), hidden("launches.too_few"), hidden("launch.none")}));
  run.outputs.clear();
  EXPECT_EQ(reasons(run, Trace{}).front(), hidden("output.missing"));
  run.unreadable["C"] = "of shape (25, 1)";
  EXPECT_EQ(reasons(run, Trace{}).front(), hidden("output.unreadable"));
  rubric.items[1].rules = {NoFindingsRule{{"memory"}, ""}};
  Trace found;
  found.source = "emulated";
  found.exited = true;
  found.findings.push_back({1, "memory", "read 25 bytes", "", "", 0, {}, {}});
  EXPECT_EQ(reasons(run, found).at(1), hidden("finding.memory"));
  found.findings.back().id = "memory.misaligned";
  EXPECT_EQ(reasons(run, found).at(1), hidden("finding.memory.misaligned"));
}

TEST(JudgeRun, WantsARightResultFromAKernelWhereTheRubricAsksForOne) {
  Rubric rubric = judged_rubric();
  rubric.items[0].outputs[0].computed_in = "sum";
  RunResult run = ended(Ending::kExited, 0);
  const auto judged = [&](float wanted, float got, const std::string& source) {
    run.outputs["C"] = make_npy<float>({1}, {got});
    Trace trace;
    trace.source = source;
    trace.exited = true;
    const auto verdicts =
        judge_run(rubric, judged_step(), run, trace, {{"C", make_npy<float>({1}, {wanted})}}, {});
    return std::string(to_string(verdicts[0].status)) + ": " + verdicts[0].message.key();
  };
  EXPECT_EQ(judged(2, 2, "emulated"), "failed: launch.none(range=sum)");
  EXPECT_EQ(judged(2, 3, "emulated"), "failed: output.one(array=C, expected=2, got=3)");
  EXPECT_EQ(judged(0, 0, "emulated"), "passed: ") << "zeros take no kernel";
  EXPECT_EQ(judged(2, 2, "gpu"), "pending: waits.unseen_work(why=launch.none(range=sum))")
      << "the emulated device's to judge";
}

TEST(JudgeRun, ComparesOnAGpuWhatIsNotForTheEmulatedDeviceAlone) {
  Rubric rubric = judged_rubric();
  rubric.items[0].outputs = {{"C"}, {"share"}};
  rubric.items[0].outputs[1].judged_on = JudgedOn::kEmulated;
  const Arrays expected = {{"C", make_npy<float>({1}, {2})}, {"share", make_npy<float>({1}, {1})}};
  const auto judged = [&](float c, float share, const std::string& source) {
    RunResult run = ended(Ending::kExited, 0);
    run.outputs = {{"C", make_npy<float>({1}, {c})}, {"share", make_npy<float>({1}, {share})}};
    Trace trace = trace_with_launch();
    trace.source = source;
    return judge_run(rubric, judged_step(), run, trace, expected, {})[0].status;
  };
  EXPECT_EQ(judged(2, 1, "emulated"), Outcome::kPassed);
  EXPECT_EQ(judged(2, 3, "emulated"), Outcome::kFailed);
  EXPECT_EQ(judged(2, 3, "gpu"), Outcome::kPending);
  EXPECT_EQ(judged(3, 1, "gpu"), Outcome::kFailed);
}

TEST(JudgeRun, WaitsOnEachDeviceForWhatOnlyTheOtherJudgesButNotOnBothForEver) {
  Rubric rubric = judged_rubric();
  rubric.items[1].rules = {SanitizerRule{{"memcheck"}}, NoFindingsRule{{"memory"}, ""}};
  const auto judged = [&](const std::string& source, const InstrumentReadings& readings) {
    Trace trace = trace_with_launch();
    trace.source = source;
    trace.exited = true;
    return judge_run(rubric, judged_step(), ended(Ending::kExited, 0), trace, {}, {}, readings)[1]
        .status;
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
  Rubric rubric = judged_rubric();
  rubric.items[1].rules = {OnDeviceRule{"", "C", {}}};
  RunResult run = ended(Ending::kExited, 1);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  const auto of_condition = [&] {
    const auto verdicts =
        judge_run(rubric, judged_step(), run, trace, {{"C", make_npy<float>({1}, {2})}}, {});
    return verdicts.at(1).message.key();
  };
  const std::string ended_badly = "end.status(status=1, where=, words=)";
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
  EXPECT_EQ(judged_messages(run, Trace{}).at(0), "system_error: end.machine(why=no sandbox)");
  EXPECT_EQ(judged_messages(ended(Ending::kExited, 0), Error{"nonsense"}).at(1),
            "system_error: end.machine(why=nonsense)");
}

TEST(JudgeRun, WaitsForAPersonWhereTheDeviceCrashesEachTime) {
  RunResult run = ended(Ending::kSystemError, 0);
  run.device_crashed = true;
  EXPECT_EQ(judged_messages(run, Trace{}).at(0), "pending: waits.device_crashed");
}

TEST(JudgeRun, FailsEverythingWhereTheProgramPlayedTheGrader) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  trace.findings.push_back({1, "harness", "it made our domain", "", "", 0, {}, {}});
  EXPECT_EQ(judged_messages(run, trace),
            Lines(3, "failed: end.harness(finding=it made our domain)"));
}

TEST(JudgeRun, JudgesNothingOnTheDeviceOfAProgramThatLeftByItself) {
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {2});
  Trace trace = trace_with_launch();
  trace.source = "emulated";
  const std::string line = "failed: end.early";
  EXPECT_EQ(judged_messages(run, trace), (Lines{"passed: ", line, line}));
  trace.exited = true;
  EXPECT_EQ(judged_messages(run, trace), (Lines{"passed: ", "passed: ", "passed: "}));
}

TEST(JudgeRun, ExplainsAWrongOutputByTheFindingInTheRangeThatComputedIt) {
  Rubric rubric = judged_rubric();
  RunResult run = ended(Ending::kExited, 0);
  run.outputs["C"] = make_npy<float>({1}, {3});
  Trace trace = trace_with_launch();
  trace.findings = {{1, "race", "reads tile[1]", "f", "a.cu", 7, {}, {}, 1, "other"},
                    {2, "race", "reads tile[2]", "f", "a.cu", 9, {}, {}, 1, "sum"}};
  const auto because = [&] {
    const auto verdicts =
        judge_run(rubric, judged_step(), run, trace, {{"C", make_npy<float>({1}, {2})}}, {});
    return verdicts.at(0).because;
  };
  rubric.items[0].outputs[0].computed_in = "sum";
  EXPECT_EQ(because().args.at("place"), "a.cu:9: ");
  trace.findings.push_back({3, "memory", "reads 4 bytes past", "f", "a.cu", 11, {}, {}, 1, "sum"});
  EXPECT_EQ(because().args.at("place"), "a.cu:11: ") << "an access out of bounds says more";
  trace.findings = {{1, "init", "reads element 3", "f", "a.cu", 13, {}, {}, 1, "sum"},
                    {2, "padding", "reads the padding", "f", "a.cu", 15, {}, {}, 1, "sum"}};
  EXPECT_EQ(because().args.at("place"), "a.cu:15: ") << "why the element was never written";
  trace.findings.back() = {2, "race", "reads tile[2]", "f", "a.cu", 15, {}, {}, 1, "sum"};
  EXPECT_EQ(because().args.at("place"), "a.cu:15: ") << "it read before another thread wrote";
  OutputRule other = rubric.items[0].outputs[0];
  other.array = "D";
  rubric.items[0].outputs[0].computed_in = "";
  EXPECT_EQ(because().args.at("place"), "a.cu:15: ") << "no other output is computed there";
  rubric.items[1].outputs.push_back(other);
  EXPECT_EQ(because(), "") << "the range computes another output";
  rubric.items[2].kind = ItemKind::kRequirement;
  rubric.items[2].rules = {OnDeviceRule{"sum", "C", {}}};
  EXPECT_EQ(because().args.at("place"), "a.cu:15: ") << "an item says that it computes this one";
  run.outputs["C"] = make_npy<float>({1}, {2});
  EXPECT_EQ(because(), "") << "the output is right";
}

TEST(JudgeRun, SaysWhyAnOutputIsNoArray) {
  RunResult run = ended(Ending::kExited, 0);
  run.unreadable["C"] = "C.npy is not a plain file";
  EXPECT_EQ(judged_messages(run, trace_with_launch()).at(0),
            "failed: output.unreadable(array=C, why=C.npy is not a plain file)");
}

TEST(DescribeEnd, NamesThePlaceThatAFindingKnows) {
  Trace trace;
  trace.findings.push_back(
      {1, "limit", "the launch was stopped", "f", "a.cu", 12, {0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(describe_end(ended(Ending::kTimedOut, 0).process, Limits{}, trace),
            "end.time(seconds=10, where=finding.limit(place=a.cu:12: , what=the launch was "
            "stopped, who=who.thread(block=0, 0, 0, kernel=f, thread=1, 0, 0)))");
}

TEST(DescribeEnd, SaysOfAKilledProgramThatItWasKilled) {
  EXPECT_EQ(describe_end(ended(Ending::kSignalled, 9).process, Limits{}, {}),
            "end.killed(where=, words=)");
}

TEST(DescribeEnd, NamesWhatTheProgramDidLastWhereNoFindingKnowsThePlace) {
  Trace trace;
  trace.ranges = {{1, "warm", true}, {3, "warm", false}, {4, "add", true}};
  const auto text = [&](Ending ending, int code) {
    return describe_end(ended(ending, code).process, Limits{}, trace).text;
  };
  EXPECT_EQ(text(Ending::kTimedOut, 0),
            "the program ran for 10 s and had not ended (in \"add\", before it called CUDA)");
  for (const auto& [seq, name] : std::vector<std::pair<long, const char*>>{
           {2, "cudaMemcpy"}, {5, "cudaMemcpy"}, {6, "cudaMalloc"}, {7, "cudaMemcpy"}}) {
    ApiCall& call = trace.calls.emplace_back();
    call.seq = seq;
    call.name = name;
  }
  EXPECT_EQ(text(Ending::kSignalled, 11),
            "the program crashed with signal 11, Segmentation fault (in \"add\", after call 2 of "
            "cudaMemcpy)");
  KernelLaunch launch;
  launch.seq = 8;
  launch.kernel = "f()";
  trace.launches = {launch};
  EXPECT_EQ(text(Ending::kTimedOut, 0),
            "the program ran for 10 s and had not ended (in \"add\", after launch 1 of f())");
  trace.ranges.push_back({9, "add", false});
  EXPECT_EQ(text(Ending::kTimedOut, 0), "the program ran for 10 s and had not ended");
}

TEST(DescribeEnd, BlamesNoFindingThatLeftTheRunAsItWas) {
  Trace trace;
  trace.findings.push_back({1, "memory", "reads 4 bytes", "f", "a.cu", 12, {0, 0, 0}, {1, 0, 0}});
  trace.findings.push_back({2, "api", "never freed", "", "", 0, {0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(describe_end(ended(Ending::kExited, 1).process, Limits{}, trace),
            "end.fault(status=1, where=finding.memory(place=a.cu:12: , what=reads 4 bytes, "
            "who=who.thread(block=0, 0, 0, kernel=f, thread=1, 0, 0)), words=)");
}

TEST(DescribeEnd, NamesTheFirstOfAKernelsFindings) {
  Trace trace;
  for (const char* const kernel : {"f", "g", "g"}) {
    const int line = 10 + static_cast<int>(trace.findings.size());
    trace.findings.push_back(
        {1, "memory", "reads 4 bytes", kernel, "a.cu", line, {0, 0, 0}, {1, 0, 0}});
  }
  EXPECT_EQ(describe_end(ended(Ending::kExited, 1).process, Limits{}, trace),
            "end.fault(status=1, where=finding.memory(place=a.cu:11: , what=reads 4 bytes, "
            "who=who.thread(block=0, 0, 0, kernel=g, thread=1, 0, 0)), words=)");
}

TEST(DescribeEnd, QuotesTheProgramsLastWords) {
  RunResult run = ended(Ending::kExited, 98);
  run.process.err = "first\ndriver: in/A.npy: cannot be opened\n";
  EXPECT_EQ(describe_end(run.process, Limits{}, {}),
            "end.status(status=98, where=, words=: driver: in/A.npy: cannot be opened)");
  run.process.err.clear();
  run.process.out = "n is 3\ncuda error in line 12\n";
  EXPECT_EQ(describe_end(run.process, Limits{}, {}),
            "end.status(status=98, where=, words=: cuda error in line 12)")
      << "where nothing was written to the standard error";
}

}  // namespace
}  // namespace warpgrade
