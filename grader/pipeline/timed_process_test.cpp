// SPDX-License-Identifier: MIT
#include "pipeline/timed_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace warpgrade {
namespace {

constexpr const char* kTrace =
    R"({"type":"session","seq":0,"version":1,"source":"gpu","devices":[]}
{"type":"overhead","seq":1,"event_ms":0.005,"wall_ms":0.02}
{"type":"timing","seq":2,"range":"add","repetition":1,"kernel_ms":0.5,"copy_ms":0,"busy_ms":0.5,"event_ms":0.5,"wall_ms":0.6,"outside_kernel_ms":0,"start_ns":1,"end_ns":2}
{"type":"exit","seq":3}
)";

NpyArray one(float value) { return make_npy<float>({1}, {value}); }

/// A program of which a test decides what it writes in a repetition for an input.
class RepeatedRuns final : public ProgramRuns {
 public:
  RunResult run(const RunStep& step, const fs::path&) override {
    orders.push_back(step.repetitions);
    RunResult result;
    result.process.ending = endings.empty() ? Ending::kExited : endings.front();
    if (!endings.empty()) endings.erase(endings.begin());
    result.process.error = "the GPU is gone";
    result.trace = trace;
    result.endless_calls = endless_calls;
    for (size_t i = 0; i < step.repetitions.size(); ++i)
      result.repetitions.push_back({{"c", one(answer(i, step.repetitions[i]))}});
    return result;
  }

  std::function<float(size_t, int)> answer = [](size_t, int input) {
    return static_cast<float>(10 + input);
  };
  std::string trace = kTrace;
  bool endless_calls = false;
  std::vector<Ending> endings;
  std::vector<std::vector<int>> orders;
};

class TimedProcessTest : public testing::Test {
 protected:
  RepeatedRuns runs_;
  const TimedCaseData data_{
      "in", {Arrays{{"c", one(10)}}, Arrays{{"c", one(11)}}, Arrays{{"c", one(12)}}}};
  TimedProcess process_{runs_, RunStep{}, data_, {OutputRule{"c"}}, 7, 9};
};

TEST_F(TimedProcessTest, GivesEveryInputAsOftenInAnOrderThatChanges) {
  ASSERT_TRUE(process_.run_round(0).ok());
  ASSERT_TRUE(process_.run_round(1).ok());
  EXPECT_NE(runs_.orders[0], runs_.orders[1]);
  for (std::vector<int> order : runs_.orders) {
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  }
  EXPECT_EQ(process_.wrong_output(), "");
}

TEST_F(TimedProcessTest, GivesTheSameOrderToEveryProgramThatIsCompared) {
  RepeatedRuns others;
  TimedProcess other(others, RunStep{}, data_, {}, 7, 9);
  ASSERT_TRUE(process_.run_round(3).ok());
  ASSERT_TRUE(other.run_round(3).ok());
  EXPECT_EQ(runs_.orders, others.orders);
}

TEST_F(TimedProcessTest, ReadsTimesAndTheCostOfMeasuring) {
  const Result<std::vector<RangeTiming>> timings = process_.run_round(0);
  ASSERT_TRUE(timings.ok()) << timings.error().message;
  ASSERT_EQ(timings->size(), 1u);
  EXPECT_EQ(timings->front().kernel_ms, 0.5);
  EXPECT_EQ(process_.empty_range()->event_ms, 0.005);
}

TEST_F(TimedProcessTest, SeesAnAnswerThatIsWrongInTheLastRepetitionAlone) {
  runs_.answer = [](size_t repetition, int input) {
    return static_cast<float>(repetition == 8 ? 0 : 10 + input);
  };
  ASSERT_TRUE(process_.run_round(0).ok());
  EXPECT_EQ(process_.wrong_output().id, "speed.wrong");
  EXPECT_EQ(process_.wrong_output().args.at("repetition"), "9");
}

TEST_F(TimedProcessTest, SeesAnAnswerThatWasKeptFromAnotherInput) {
  runs_.answer = [](size_t, int) { return 11.0f; };
  ASSERT_TRUE(process_.run_round(0).ok());
  EXPECT_FALSE(process_.wrong_output().empty());
}

TEST_F(TimedProcessTest, TriesAgainWhereTheMachineFailedAndSaysSoWhereThatNeverEnds) {
  runs_.endings = {Ending::kSystemError, Ending::kSystemError, Ending::kExited};
  EXPECT_TRUE(process_.run_round(0).ok());
  runs_.endings = {Ending::kSystemError, Ending::kSystemError, Ending::kSystemError};
  const Result<std::vector<RangeTiming>> timings = process_.run_round(1);
  ASSERT_FALSE(timings.ok());
  EXPECT_EQ(timings.error().message, "the GPU is gone");
  EXPECT_TRUE(process_.machine_failed());
}

TEST_F(TimedProcessTest, CallsACrashTheProgramsOwn) {
  runs_.endings = {Ending::kSignalled};
  EXPECT_FALSE(process_.run_round(0).ok());
  EXPECT_FALSE(process_.machine_failed());
}

TEST_F(TimedProcessTest, TakesNoTimesFromAProgramThatSpoiltItsRecord) {
  runs_.endless_calls = true;
  EXPECT_EQ(process_.run_round(0).error().message,
            "the program never ended: it called the CUDA runtime again and again");
  EXPECT_FALSE(process_.machine_failed());
  runs_.endless_calls = false;
  runs_.trace +=
      R"({"type":"finding","seq":4,"checker":"harness","message":"it made our domain","kernel":"","file":"","line":0,"block":[0,0,0],"thread":[0,0,0],"count":1}
)";
  EXPECT_EQ(process_.run_round(0).error().message,
            "the program tampered with the grader: it made our domain");
  EXPECT_FALSE(process_.machine_failed());
}

/// A trace in which each of the repetitions 0, 1, ... ran one of these kernels in "add".
std::string ran(const std::vector<std::string>& kernels) {
  std::string trace = R"({"type":"session","seq":0,"version":1,"source":"gpu","devices":[]})"
                      "\n";
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string piece =
        kernels[i].empty()
            ? R"({"direction":"HtoD","bytes":8,"count":1})"
            : R"({"direction":"HtoD","bytes":8,"count":1},{"kernel":")" + kernels[i] +
                  R"(","grid":[2,1,1],"block":[32,1,1],"dynamic_shared_bytes":0,)" +
                  R"("count":1})";
    trace += R"({"type":"timing","seq":)" + std::to_string(i + 1) +
             R"(,"range":"add","repetition":)" + std::to_string(i) +
             R"(,"kernel_ms":0.5,"copy_ms":0,"busy_ms":0.5,"event_ms":0.5,"wall_ms":0.6,)" +
             R"("outside_kernel_ms":0,"start_ns":1,"end_ns":2,"work":[)" + piece + "]}\n";
  }
  return trace;
}

class TimedWorkTest : public testing::Test {
 protected:
  /// What is other than judged after one round of such repetitions.
  std::map<std::string, WorkDifference> other_work(const std::vector<std::string>& kernels,
                                                   Sizes sizes = Sizes::kSame) {
    RepeatedRuns runs;
    runs.trace = ran(kernels);
    const WorkPiece kernel{"add()", {2, 1, 1}, {32, 1, 1}, 0, "", 0, 1};
    const WorkPiece copy{"", {}, {}, 0, "HtoD", 8, 1};
    TimedProcess process(runs, RunStep{}, data_, {}, 7, 9,
                         JudgedWork{{{"add", {copy, kernel}}}, sizes});
    EXPECT_TRUE(process.run_round(0).ok());
    return process.other_work();
  }

  const TimedCaseData data_{"in", {Arrays{{"c", one(10)}}}};
};

TEST_F(TimedWorkTest, IsWhatWasJudged) {
  EXPECT_TRUE(other_work({"add()", "add()", "add()"}).empty());
}

TEST_F(TimedWorkTest, IsSeenToBeAnotherKernelInASingleRepetition) {
  const auto found = other_work({"add()", "add()", "add()", "add()", "add()", "reads()"});
  ASSERT_TRUE(found.contains("add"));
  EXPECT_EQ(in_words(found.at("add")),
            "only timed: 1 x kernel reads(), grid 2 x 1 x 1, block 32 x 1 x 1, 0 bytes of dynamic "
            "shared memory; only judged: 1 x kernel add(), grid 2 x 1 x 1, block 32 x 1 x 1, 0 "
            "bytes of dynamic shared memory");
  EXPECT_TRUE(other_work({"add()", "reads()"}, Sizes::kOther).contains("add"));
}

TEST_F(TimedWorkTest, MayWarmUpInTheFirstRepetition) {
  EXPECT_TRUE(other_work({"warms()", "add()", "add()"}).empty());
}

TEST_F(TimedWorkTest, MayLackARecordNowAndThen) {
  EXPECT_TRUE(other_work({"add()", "", "add()", "add()", "add()", "add()"}).empty());
  EXPECT_TRUE(other_work({"add()", "", "add()", "add()", "add()"}).contains("add"));
}

TEST(TimedOutputs, AreThoseOfAllThatTheTimeNeeds) {
  Rubric rubric;
  rubric.items.resize(4);
  rubric.items[0].id = "right";
  rubric.items[0].outputs = {{"c"}};
  rubric.items[1].id = "edges";
  rubric.items[1].needs = {"right"};
  rubric.items[1].outputs = {{"c"}, {"d"}};
  rubric.items[2].id = "other";
  rubric.items[2].outputs = {{"e"}};
  rubric.items[3].id = "speed";
  rubric.items[3].kind = ItemKind::kPerformance;
  rubric.items[3].cases = {"large"};
  rubric.items[3].needs = {"edges"};
  const std::vector<OutputRule> rules = timed_outputs(rubric, "large");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].array + rules[1].array, "cd");
  EXPECT_TRUE(timed_outputs(rubric, "small").empty());
}

TEST(TimedOutputs, AreComparedAsTheCaseItselfIsBeforeAsOtherCasesAre) {
  Rubric rubric;
  rubric.items.resize(3);
  rubric.items[0].id = "whole-numbers";
  rubric.items[0].cases = {"small"};
  rubric.items[0].outputs = {{"sum"}};
  rubric.items[1].id = "accuracy";
  rubric.items[1].cases = {"large"};
  rubric.items[1].outputs = {{"sum", Relative{1e-5}}};
  rubric.items[2].id = "speed";
  rubric.items[2].kind = ItemKind::kPerformance;
  rubric.items[2].cases = {"large"};
  rubric.items[2].needs = {"whole-numbers", "accuracy"};
  const std::vector<OutputRule> rules = timed_outputs(rubric, "large");
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Relative>(rules[0].tolerance));
}

TEST(TimedOutputs, LeaveToTheEmulatedDeviceWhatTheCaseItselfLeavesToIt) {
  Rubric rubric;
  rubric.items.resize(3);
  rubric.items[0].id = "shares";
  rubric.items[0].cases = {"small"};
  rubric.items[0].outputs = {{"share"}, {"sum"}};
  rubric.items[1].id = "large-shares";
  rubric.items[1].cases = {"large"};
  rubric.items[1].outputs = {{"share"}};
  rubric.items[1].outputs[0].judged_on = JudgedOn::kEmulated;
  rubric.items[2].id = "speed";
  rubric.items[2].kind = ItemKind::kPerformance;
  rubric.items[2].cases = {"large"};
  rubric.items[2].needs = {"shares", "large-shares"};
  const std::vector<OutputRule> rules = timed_outputs(rubric, "large");
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].array, "sum");
}

}  // namespace
}  // namespace warpgrade
