// SPDX-License-Identifier: MIT
#include "pipeline/gpu_bench.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/npy.h"
#include "base/sentence.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

constexpr const char* kCase = "large";

Arrays answer(float value) { return {{"c", make_npy<float>({1}, {value})}}; }

/// Makes inputs of nothing, of which 1 is expected.
class BenchOracle final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    const fs::path folder = command.argv.at(2);
    fs::create_directories(folder / "in");
    if (command.argv.at(1) == "expected")
      std::ofstream(folder / "expected" / "c.npy", std::ios::binary)
          << format_npy(answer(1).at("c"));
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }
};

/// `kernel`: what ran in each repetition; empty where that is not recorded.
std::string timed_trace(size_t repetitions, double kernel_ms, const std::string& kernel = "") {
  const std::string work =
      kernel.empty() ? ""
                     : fmt::format(R"(,"work":[{{"kernel":"{}","grid":[4,1,1],"block":[32,1,1],)"
                                   R"("dynamic_shared_bytes":0,"count":1}}])",
                                   kernel);
  std::string trace =
      R"({"type":"session","seq":0,"version":1,"source":"gpu","devices":[{"name":"H","major":9,"minor":0}]})"
      "\n"
      R"({"type":"overhead","seq":1,"event_ms":0.002,"wall_ms":0.01})"
      "\n";
  for (size_t i = 0; i < repetitions; ++i)
    trace += fmt::format(
        R"({{"type":"timing","seq":{},"range":"add","repetition":{},"kernel_ms":{},"copy_ms":0,"busy_ms":{},"event_ms":{},"wall_ms":{},"outside_kernel_ms":0,"start_ns":{},"end_ns":{}{}}})"
        "\n",
        i + 2, i, kernel_ms, kernel_ms, kernel_ms, kernel_ms + 0.01, i, i + 1, work);
  return trace + fmt::format(R"({{"type":"exit","seq":{}}})", repetitions + 2) + "\n";
}

/// What the programs of one test do, whichever GPU they run on.
struct BenchScript {
  double student_ms = 0.5, naive_ms = 1;
  float plain = 1, timed = 1;
  int disturbed_runs = 0;  ///< so many plain runs answer wrongly at first
  std::atomic<int> plain_runs = 0, timed_runs = 0;
  std::string gpu_trouble;
  std::string timed_kernel;  ///< of the student's
  bool silent = false;       ///< nothing is recorded of plain runs
  int recorded_runs = 100;   ///< nothing is recorded of the plain runs after so many
  std::optional<float>
      in_company;                ///< the answer where cases run in one process; none = they cannot
  int signal = 0;                ///< that ends them
  bool needs_all_calls = false;  ///< no answer where calls are left out
  std::atomic<int> at_once = 0, most_at_once = 0;
  int wait_for = 1;  ///< so many timed runs have been seen at the same time before any ends

  void enter_and_wait() {
    const int now = ++at_once;
    for (int most = most_at_once; now > most && !most_at_once.compare_exchange_weak(most, now);) {
    }
    for (int ms = 0; ms < 10'000 && most_at_once < wait_for; ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

class BenchRuns final : public ProgramRuns {
 public:
  BenchRuns(BenchScript& script, bool is_baseline) : script_(script), is_baseline_(is_baseline) {}

  RunResult run(const RunStep& step, const fs::path&) override {
    RunResult result;
    result.gpu_trouble = script_.gpu_trouble;
    result.process.error = script_.gpu_trouble;
    if (!script_.gpu_trouble.empty()) return result;
    result.process.ending = Ending::kExited;
    if (step.repetitions.empty()) {
      const int before = script_.plain_runs++;
      result.outputs = answer(before < script_.disturbed_runs ? 2 : script_.plain);
      if (script_.needs_all_calls && !step.left_out.empty()) result.outputs.clear();
      const bool is_silent = script_.silent || before >= script_.recorded_runs;
      result.trace = is_silent ? "" : timed_trace(0, 0);
      if (script_.signal != 0) result.process.ending = Ending::kSignalled;
      result.process.code = script_.signal;
    } else {
      ++script_.timed_runs;
      script_.enter_and_wait();
      result.trace =
          timed_trace(step.repetitions.size(), is_baseline_ ? script_.naive_ms : script_.student_ms,
                      is_baseline_ ? "baseline()" : script_.timed_kernel);
      result.repetitions.assign(step.repetitions.size(), answer(1));
      if (!is_baseline_) result.repetitions.back() = answer(script_.timed);
      --script_.at_once;
    }
    return result;
  }
  std::optional<RunResult> run_together(const std::vector<CaseToRun>& cases) override {
    if (!script_.in_company) return std::nullopt;
    RunResult result;
    result.process.ending = Ending::kExited;
    result.trace = timed_trace(0, 0);
    long seq = 3;
    for (size_t i = 0; i < 2 * cases.size(); ++i)
      result.trace += fmt::format(
          R"({{"type":"api","seq":{},"name":"cudaGetLastError","result":0,"device":0,"range":"warpgrade.case:{}","args":{{}}}})"
          "\n",
          seq++, i / 2);
    result.repetitions.assign(cases.size(), answer(*script_.in_company));
    return result;
  }

 private:
  BenchScript& script_;
  bool is_baseline_;
};

class BenchRunner final : public Runner {
 public:
  explicit BenchRunner(BenchScript& script) : script_(script) {}
  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const override {
    return std::make_unique<BenchRuns>(script_, place.program == "naive");
  }

 private:
  BenchScript& script_;
};

class NoWatch final : public GpuWatch {
 public:
  std::vector<ClockReading> readings() override { return {}; }
};

/// An item "right" for the output, and "speed" over the baseline "naive": twice as fast is worth all.
Rubric timed_rubric() {
  Rubric rubric;
  rubric.cases = {{kCase, Visibility::kPublic, {}, "any", {"H100"}}};
  Item right;
  right.id = "right";
  right.cases = {kCase};
  right.outputs = {{"c"}};
  Item speed;
  speed.id = "speed";
  speed.kind = ItemKind::kPerformance;
  speed.points = 10;
  speed.needs = {"right"};
  speed.cases = {kCase};
  speed.metric.emplace();
  speed.metric->range = "add";
  speed.metric->name = "speedup";
  speed.metric->over = "naive";
  speed.curve = Curve{Interpolation::kLinear, {{1, 0}, {1.9, 1}}};
  rubric.items = {right, speed};
  return rubric;
}

std::vector<Gpu> sample_gpus(int count) {
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.index = gpu.minor_number = i;
    gpu.uuid = fmt::format("GPU-{}", i);
    gpu.name = "NVIDIA H100";
    gpu.major = 9;
    gpus.push_back(gpu);
  }
  return gpus;
}

class GpuBenchTest : public testing::Test {
 protected:
  GpuGrade grade(int slot = 0, Outcome emulated = Outcome::kPassed) {
    const BenchRunner runner(script_);
    const GpuBench bench(rubric_, cases_, baselines_,
                         {pool_,
                          [&](const Gpu&) { return std::make_unique<BenchRunner>(script_); },
                          [](const Gpu&) { return std::make_unique<NoWatch>(); },
                          clock_,
                          "580",
                          {},
                          oracle_,
                          {},
                          is_timed_},
                         7);
    const std::vector<CaseVerdict> verdicts = {{kCase, "right", emulated},
                                               {kCase, "speed", Outcome::kPassed}};
    return bench.grade({"student", workspace_->folder() / std::to_string(slot), slot},
                       {verdicts, used_, faults_, &judged_work_});
  }
  static const CaseVerdict& verdict(const GpuGrade& grade, const std::string& item) {
    static const CaseVerdict kNone{"", "", Outcome::kSystemError, "no verdict"};
    for (const CaseVerdict& each : grade.verdicts) {
      if (each.item_id == item) return each;
    }
    return kNone;
  }

  std::map<std::string, WorkByRange> judged_work_;
  BenchScript script_;
  bool is_timed_ = true;
  std::set<std::string> used_ = {kCase};
  Faults faults_;
  Rubric rubric_ = timed_rubric();
  const std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  const BenchOracle oracle_;
  const std::vector<RunStep> steps_ = {RunStep{kCase, {}, {}, "any", {}, {}}};
  const CaseStore cases_{oracle_, "oracle", workspace_->folder() / "cases",
                         steps_,  1,        {TimeStep{steps_[0], {"naive"}, 3}}};
  BenchRunner emulated_{script_};
  const Baselines baselines_{
      rubric_,
      {{"naive", "source"}},
      {},
      {emulated_, cases_,
       [](const std::string&, const BuildPlace&) -> Result<fs::path> { return fs::path("naive"); },
       workspace_->folder() / "baselines", 1, 60}};
  RealClock clock_;
  GpuPool pool_{sample_gpus(2), workspace_->folder() / "locks", clock_};
};

TEST_F(GpuBenchTest, WaitsForAPersonWhereTheTimedRunsAreNotWhatTheEmulatedDeviceJudged) {
  judged_work_[kCase]["add"] = {{"add()", {4, 1, 1}, {32, 1, 1}, 0, "", 0, 1}};
  script_.timed_kernel = "add()";
  EXPECT_EQ(verdict(grade(), "speed").status, Outcome::kPassed) << "baselines do as they like";
  script_.timed_kernel = "reads()";
  const GpuGrade graded = grade();
  EXPECT_EQ(verdict(graded, "speed").status, Outcome::kPending);
  EXPECT_EQ(verdict(graded, "speed").message.id, "waits.other_work");
  const WorkDifference& other = graded.measured.at(0).measured.other_work.at("add");
  EXPECT_EQ(other.judged.size(), 1u);
  EXPECT_NE(other.judged, other.timed);
}

TEST_F(GpuBenchTest, GivesAFastAnswerItsPointsAndKeepsAllSamples) {
  const GpuGrade graded = grade();
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_EQ(verdict(graded, "speed").status, Outcome::kPassed) << verdict(graded, "speed").message;
  EXPECT_FALSE(verdict(graded, "speed").provisional);
  ASSERT_EQ(graded.measured.size(), 1u);
  EXPECT_EQ(graded.measured[0].measured.timed.programs.size(), 2u);
  EXPECT_EQ(graded.gpu_name, "NVIDIA H100");
}

TEST_F(GpuBenchTest, RunsCasesInOneProcessWhereThatGivesTheEmulatedDevicesVerdicts) {
  script_.in_company = 1;
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 0);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_TRUE(graded.observed_any);
}

TEST_F(GpuBenchTest, RunsACaseAloneWhereItSaysOtherwiseInCompany) {
  script_.in_company = 2;
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 1);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_EQ(graded.verdicts.size(), 2u);
}

TEST_F(GpuBenchTest, RunsACaseThatIsWrongOnlyHereAgainAloneOnTheGpu) {
  script_.disturbed_runs = 1;
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 2);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_EQ(graded.verdicts.size(), 2u);
  ASSERT_EQ(graded.holds.size(), 3u);
  EXPECT_FALSE(graded.holds[0].alone);
  EXPECT_TRUE(graded.holds[1].alone);
}

TEST_F(GpuBenchTest, TakesAnAnswerThatIsWrongAloneAsWellForWrong) {
  script_.plain = 2;
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 2);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kFailed);
}

TEST_F(GpuBenchTest, ForgetsNoWrongAnswerBecauseNothingIsRecordedOfTheNextRun) {
  script_.plain = 2;
  script_.recorded_runs = 1;
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 2);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kFailed);
  ASSERT_EQ(graded.unobserved.size(), 1u);
  EXPECT_EQ(graded.unobserved[0].case_id, kCase);
}

// On the emulated device, a call ended the program after this answer.
TEST_F(GpuBenchTest, TakesAnAnswerThatCameBeforeTheCallThatIsLeftOut) {
  script_.needs_all_calls = true;
  faults_[kCase] = {{"filter", {"end.time", {}, "it ended"}, false}};
  const GpuGrade graded = grade();
  EXPECT_EQ(script_.plain_runs, 2);
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
}

TEST_F(GpuBenchTest, MakesNoCallThatDidNotEndOnTheEmulatedDevice) {
  script_.needs_all_calls = true;
  faults_[kCase] = {{"filter", {"end.time", {}, "it ended"}, true}};
  EXPECT_EQ(verdict(grade(), "right").status, Outcome::kFailed);
}

TEST_F(GpuBenchTest, LeavesOutCallsWhereTheEmulatedDeviceLosesTheAnswerToo) {
  script_.needs_all_calls = true;
  faults_[kCase] = {{"filter", {"end.time", {}, "it ended"}, false}};
  EXPECT_EQ(verdict(grade(0, Outcome::kFailed), "right").status, Outcome::kFailed);
  EXPECT_EQ(script_.plain_runs, 1);
}

TEST_F(GpuBenchTest, GivesASlowAnswerNone) {
  script_.student_ms = 1;
  EXPECT_EQ(verdict(grade(), "speed").status, Outcome::kFailed);
}

TEST_F(GpuBenchTest, GivesNothingForATimeOfAWrongAnswer) {
  script_.timed = 2;
  const GpuGrade graded = grade();
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_EQ(verdict(graded, "speed").status, Outcome::kFailed);
  EXPECT_EQ(verdict(graded, "speed").message.args.at("repetition"), "9");
}

TEST_F(GpuBenchTest, DoesNotTimeWhatIsWrongAnyway) {
  const GpuGrade graded = grade(0, Outcome::kFailed);
  EXPECT_EQ(verdict(graded, "speed").message, "no verdict");
  EXPECT_EQ(script_.timed_runs, 0);
  EXPECT_EQ(script_.plain_runs, 1);
}

TEST_F(GpuBenchTest, RunsNoCaseThatIsAboutOtherDevices) {
  rubric_.items.pop_back();
  EXPECT_EQ(verdict(grade(), "right").message, "no verdict") << "its devices are not the rubric's";
  rubric_.devices = {"H100"};
  EXPECT_EQ(verdict(grade(), "right").status, Outcome::kPassed);
}

TEST_F(GpuBenchTest, RunsNoCaseThatWantsAnotherComputeCapability) {
  Item device;
  device.id = "device";
  device.kind = ItemKind::kRequirement;
  device.rules.emplace_back(DeviceRule{*Expression::parse("major")});
  rubric_.items.push_back(device);
  rubric_.cases[0].args = {{"major", 8}};
  EXPECT_EQ(verdict(grade(), "right").message, "no verdict") << "GPUs here have 9";
  rubric_.cases[0].args = {{"major", 9}};
  EXPECT_EQ(verdict(grade(), "right").status, Outcome::kPassed);
}

TEST_F(GpuBenchTest, NotesHowLongItHeldTheGpu) {
  const std::vector<GpuHold> holds = grade().holds;
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_FALSE(holds[0].alone);
  EXPECT_TRUE(holds[1].alone);
  EXPECT_EQ(holds[0].gpu, "GPU-0");
  EXPECT_LE(holds[0].start_ms, holds[0].end_ms);
  EXPECT_LE(holds[0].end_ms, holds[1].start_ms);
  EXPECT_LE(holds[1].start_ms, holds[1].end_ms);
}

TEST_F(GpuBenchTest, TimesNothingWhereThatIsNotWanted) {
  is_timed_ = false;
  const GpuGrade graded = grade();
  EXPECT_EQ(verdict(graded, "right").status, Outcome::kPassed);
  EXPECT_EQ(verdict(graded, "speed").message, "no verdict");
  EXPECT_EQ(script_.timed_runs, 0);
}

TEST_F(GpuBenchTest, TakesSilenceForNoAgreement) {
  script_.silent = true;
  script_.signal = 11;
  is_timed_ = false;
  const GpuGrade graded = grade();
  EXPECT_TRUE(graded.verdicts.empty());
  ASSERT_EQ(graded.unobserved.size(), 1u);
  EXPECT_EQ(graded.unobserved[0].case_id, kCase);
  EXPECT_EQ(graded.unobserved[0].why, "the program crashed with signal 11, Segmentation fault");
  EXPECT_TRUE(graded.saw_nothing());
}

TEST_F(GpuBenchTest, ExpectsNoRecordOfAProgramThatNeedsNoDevice) {
  script_.silent = true;
  is_timed_ = false;
  used_ = {};
  const GpuGrade graded = grade();
  EXPECT_TRUE(graded.unobserved.empty());
  EXPECT_FALSE(graded.saw_nothing());
}

TEST_F(GpuBenchTest, SeesSomethingWhereOnlyTimedRunsAreRecorded) {
  script_.silent = true;
  const GpuGrade graded = grade();
  EXPECT_EQ(graded.unobserved.size(), 1u);
  EXPECT_EQ(graded.unobserved[0].why, "the program ended well");
  EXPECT_FALSE(graded.saw_nothing());
}

TEST_F(GpuBenchTest, SaysWhyNvidiasToolsDidNotMeasure) {
  script_.silent = true;
  rubric_.items[0].rules = {SanitizerRule{{"memcheck"}}};
  EXPECT_EQ(verdict(grade(), "right").status, Outcome::kPending);
  EXPECT_EQ(verdict(grade(), "right").message,
            "waits.tools(why=nothing was recorded of the program on the GPU)");
  rubric_.items.pop_back();  // Then the case is not timed, and its devices count.
  EXPECT_EQ(verdict(grade(), "right").message, "waits.tools(why=the case is not for NVIDIA H100)");
}

TEST_F(GpuBenchTest, TellsOfAFaultOfTheMachineInAPlainRun) {
  script_.gpu_trouble = "it did not answer within 15 s";
  is_timed_ = false;
  used_ = {};
  ASSERT_EQ(grade().unobserved.size(), 1u);
  EXPECT_FALSE(pool_.set_aside().empty());
}

TEST_F(GpuBenchTest, TimesOnAllGpusAtOnceButOneProgramOnEach) {
  script_.wait_for = 2;
  std::vector<std::thread> jobs;
  for (int slot = 0; slot < 4; ++slot) jobs.emplace_back([this, slot] { grade(slot); });
  for (std::thread& job : jobs) job.join();
  EXPECT_EQ(script_.most_at_once, 2);
}

TEST_F(GpuBenchTest, BlamesALostGpuOnTheMachineAndUsesItNoMore) {
  script_.gpu_trouble = "it did not answer within 15 s";
  const GpuGrade graded = grade();
  EXPECT_EQ(verdict(graded, "speed").status, Outcome::kSystemError);
  EXPECT_FALSE(pool_.set_aside().empty());
}

}  // namespace
}  // namespace warpgrade
