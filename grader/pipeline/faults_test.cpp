// SPDX-License-Identifier: MIT
#include "pipeline/faults.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sentences/say.h"

namespace warpgrade {
namespace {

/// A program with three functions, each in a range of its own, which the driver calls one after the other.
/// Each writes the array of its name.
class FakeProgram final : public ProgramRuns {
 public:
  RunResult run(const RunStep& step, const fs::path&) override {
    ++runs;
    RunResult result;
    result.process.ending = Ending::kExited;
    seq_ = 0;
    trace_ = line("session", R"("version":1,"source":"emulated","devices":[])");
    std::string broken_by;
    for (const std::string name : {"load", "filter", "global"}) {
      if (step.left_out.contains(name)) continue;
      mark(name, true);
      const auto bad = ends.find(name);
      if (bad != ends.end() && bad->second != Bad::kBroken) {
        end(name, bad->second, result);
        result.trace = trace_;
        return result;
      }
      if (bad != ends.end()) broken_by = name;
      trace_ += line("launch",
                     fmt::format(R"("result":{},"kernel":"k","device":0,"range":"{}","stream":0,)"
                                 R"("grid":[1,1,1],"block":[1,1,1],"params":[],"memory":[])",
                                 broken_by.empty() || broken_by == name ? 0 : 700, name));
      if (broken_by == name) add_fault(name);
      mark(name, false);
      result.outputs[name] = make_npy<float>({1}, {broken_by.empty() ? 1.0f : 0.0f});
    }
    trace_ += line("exit", "");
    result.trace = trace_;
    return result;
  }

  enum class Bad { kCrash, kEndless, kFault, kCalls, kBroken };
  std::map<std::string, Bad> ends;
  int runs = 0;

 private:
  std::string line(const std::string& type, const std::string& fields) {
    return fmt::format(R"({{"type":"{}","seq":{}{}{}}})"
                       "\n",
                       type, seq_++, fields.empty() ? "" : ",", fields);
  }
  void mark(const std::string& name, bool begins) {
    trace_ += line("range", fmt::format(R"("name":"{}","begins":{})", name, begins));
  }
  void end(const std::string& name, Bad bad, RunResult& result) {
    if (bad == Bad::kCrash) {
      result.process.ending = Ending::kSignalled;
      result.process.code = 11;
    } else if (bad == Bad::kEndless) {
      result.process.ending = Ending::kTimedOut;
    } else if (bad == Bad::kCalls) {
      result.process.ending = Ending::kTimedOut;
      result.endless_calls = true;
    } else {
      add_fault(name);
      mark(name, false);
      trace_ += line("exit", "");
      result.process.code = 1;
    }
  }

  void add_fault(const std::string& name) {
    trace_ += line("finding", fmt::format(R"("checker":"memory","message":"reads 4 bytes",)"
                                          R"("file":"a.cu","line":3,"kernel":"k","range":"{}")",
                                          name));
  }

  std::string trace_;
  int seq_ = 0;
};

using Bad = FakeProgram::Bad;

Item output_item(const char* name) {
  Item item;
  item.id = name;
  item.cases = {"small"};
  item.outputs = {{name, Exact{}, Layout::kArray}};
  return item;
}

/// An item for each function's output, one for its launch, and one about all findings.
Rubric rubric_of_kernels() {
  Rubric rubric;
  rubric.cases.emplace_back();
  rubric.cases[0].id = "small";
  for (const char* name : {"load", "filter", "global"}) {
    rubric.items.push_back(output_item(name));
    Item launched = output_item(name);
    launched.id += "-launched";
    launched.kind = ItemKind::kRequirement;
    launched.outputs.clear();
    launched.rules = {LaunchesRule{name, Expression(1), {}}};
    rubric.items.push_back(launched);
  }
  Item clean = output_item("clean");
  clean.kind = ItemKind::kRequirement;
  clean.outputs.clear();
  clean.rules = {NoFindingsRule{{"memory"}, ""}};
  rubric.items.push_back(clean);
  return rubric;
}

RunStep faulty_step() { return {"small", {}, {}, "", {}, Limits{}}; }

Arrays right_sums() {
  Arrays expected;
  for (const char* name : {"load", "filter", "global"}) expected[name] = make_npy<float>({1}, {1});
  return expected;
}

std::vector<std::string> lost_items(FakeProgram& program, const std::vector<Fault>& known = {}) {
  const CaseRuns runs = run_around_faults(program, faulty_step(), "", known);
  std::vector<std::string> lost;
  for (const CaseVerdict& verdict :
       judge_around_faults(rubric_of_kernels(), runs, right_sums(), {})) {
    if (verdict.status != Outcome::kPassed) lost.push_back(verdict.item_id);
  }
  return lost;
}

using Lines = std::vector<std::string>;

TEST(RunAroundFaults, RunsAProgramThatEndsWellOnce) {
  FakeProgram program;
  EXPECT_EQ(lost_items(program), Lines{});
  EXPECT_EQ(program.runs, 1);
}

TEST(RunAroundFaults, ChargesACrashToTheFunctionThatCrashed) {
  FakeProgram program;
  program.ends = {{"filter", Bad::kCrash}};
  EXPECT_EQ(lost_items(program), (Lines{"filter", "filter-launched"}));
  EXPECT_EQ(program.runs, 2);
}

TEST(RunAroundFaults, ChargesAKernelsFaultToItsRangeAndKeepsTheFinding) {
  FakeProgram program;
  program.ends = {{"load", Bad::kFault}};
  EXPECT_EQ(lost_items(program), (Lines{"load", "load-launched", "clean"}));
}

TEST(RunAroundFaults, GoesOnUntilTheRestEndsWell) {
  FakeProgram program;
  program.ends = {{"load", Bad::kCrash}, {"filter", Bad::kCrash}};
  EXPECT_EQ(lost_items(program), (Lines{"load", "load-launched", "filter", "filter-launched"}));
  EXPECT_EQ(program.runs, 3);
}

TEST(RunAroundFaults, WaitsForTwoEndlessFunctionsOfACaseAtMost) {
  FakeProgram program;
  program.ends = {{"load", Bad::kEndless}, {"filter", Bad::kEndless}, {"global", Bad::kEndless}};
  EXPECT_EQ(lost_items(program).size(), 7u);
  EXPECT_EQ(program.runs, 3);
}

TEST(RunAroundFaults, ChargesCallsWithoutEndToTheirRange) {
  FakeProgram program;
  program.ends = {{"filter", Bad::kCalls}};
  EXPECT_EQ(lost_items(program), (Lines{"filter", "filter-launched"}));
}

TEST(RunAroundFaults, GivesTheNextFunctionsADeviceThatNoKernelHasBroken) {
  FakeProgram program;
  program.ends = {{"load", Bad::kBroken}};
  EXPECT_EQ(lost_items(program), (Lines{"load", "clean"}));
  EXPECT_EQ(program.runs, 2);
}

TEST(RunAroundFaults, TakesNoRequirementForMetWhereTheFunctionDidNotRun) {
  FakeProgram program;
  program.ends = {{"load", Bad::kBroken}};
  const CaseRuns runs = run_around_faults(program, faulty_step(), "");
  Rubric rubric = rubric_of_kernels();
  // In the first run "global" launches nothing that succeeds; in the second one, once.
  rubric.items[5].rules = {LaunchesRule{"global", {}, Expression(0)}};
  const auto verdicts = judge_around_faults(rubric, runs, {}, {});
  EXPECT_EQ(verdicts.at(5).item_id, "global-launched");
  EXPECT_EQ(verdicts.at(5).status, Outcome::kFailed);
}

TEST(RunAroundFaults, LeavesOutFromTheStartWhatIsKnownToBeEndless) {
  FakeProgram program;
  program.ends = {{"filter", Bad::kEndless}};
  EXPECT_EQ(lost_items(program, {{"filter", {"test", {}, "not run"}}}),
            (Lines{"filter", "filter-launched"}));
  EXPECT_EQ(program.runs, 1);
}

TEST(RunAroundFaults, SaysOfWhatTheFaultTouchesHowTheRunEnded) {
  FakeProgram program;
  program.ends = {{"filter", Bad::kCrash}};
  const CaseRuns runs = run_around_faults(program, faulty_step(), "");
  const auto verdicts = judge_around_faults(rubric_of_kernels(), runs, {}, {});
  EXPECT_EQ(verdicts.at(3).item_id, "filter-launched");
  EXPECT_EQ(verdicts.at(3).message.id, "end.signal");
  EXPECT_FALSE(verdicts.at(3).is_about_item);
  EXPECT_TRUE(verdicts.at(3).cut_off);
}

TEST(RunAroundFaults, SaysOfWhatABrokenKernelTouchesThatItWasCutOff) {
  FakeProgram program;
  program.ends = {{"load", Bad::kBroken}};
  const CaseRuns runs = run_around_faults(program, faulty_step(), "");
  for (const CaseVerdict& each : judge_around_faults(rubric_of_kernels(), runs, right_sums(), {}))
    EXPECT_EQ(each.cut_off, each.item_id == "load") << each.item_id;
}

TEST(FailedBy, CallsNoProgramCutOffThatLeftEarlyOrNeverStoppedCalling) {
  EXPECT_TRUE(failed_by("small", "sum", say("end.time", {{"seconds", 1}, {"where", ""}})).cut_off);
  EXPECT_FALSE(failed_by("small", "sum", say("end.early")).cut_off);
  EXPECT_FALSE(failed_by("small", "sum", say("end.calls", {{"call", "cudaFree"}})).cut_off);
}

TEST(SpoiltBy, NamesTheCallThatAProgramMadeWithoutEnd) {
  RunResult run;
  EXPECT_TRUE(spoilt_by(run, Trace()).empty());
  run.endless_calls = true;
  Trace trace;
  EXPECT_EQ(spoilt_by(run, trace).key(), "end.calls(call=doer.runtime)");
  trace.calls = {{1, "cudaEventRecord", 0, 0, "", {}}, {2, "cudaEventQuery", 0, 0, "", {}}};
  EXPECT_EQ(spoilt_by(run, trace).key(), "end.calls(call=cudaEventQuery)");
}

}  // namespace
}  // namespace warpgrade
