// SPDX-License-Identifier: MIT
#include "pipeline/instruments.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/npy.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

/// Writes what a tool would where its command says, and keeps what it was asked to run.
class FakeTools final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    ran.push_back(command.argv);
    const auto log = std::find(command.argv.begin(), command.argv.end(), "--log-file");
    std::ofstream(*(log + 1)) << report;
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  mutable std::vector<std::vector<std::string>> ran;
  std::string report = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
};

class InstrumentedRuns final : public ProgramRuns {
 public:
  explicit InstrumentedRuns(fs::path log) : log_(std::move(log)) {}
  RunResult run(const RunStep&, const fs::path&) override { return {}; }
  Result<ToolRun> for_tool(const RunStep&, const fs::path&) override {
    Command command;
    command.argv = {"/box/program"};
    return ToolRun{command, log_};
  }
  RunResult left_by_tool(const RunStep&) override { return left; }

  RunResult left;

 private:
  fs::path log_;
};

Rubric rubric_of_tools(std::vector<std::string> tools) {
  Rubric rubric;
  rubric.items.resize(1);
  rubric.items[0].cases = {"case"};
  rubric.items[0].rules = {SanitizerRule{std::move(tools)}};
  return rubric;
}

class InstrumentsTest : public testing::Test {
 protected:
  void SetUp() override {
    step_.case_id = "case";
    plain_.outputs["c"] = make_npy<float>({1}, {1});
    runs_.left = plain_;
  }
  InstrumentReadings read(const Instruments& instruments, const Rubric& rubric) {
    return read_instruments(instruments, rubric, step_, plain_, runs_, "in", tools_, 9);
  }

  const std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  const Instruments both_{"/cuda/compute-sanitizer", "/cuda/ncu"};
  FakeTools tools_;
  InstrumentedRuns runs_{workspace_->folder()};
  RunStep step_;
  RunResult plain_;
};

TEST_F(InstrumentsTest, RunsTheProgramUnderEachToolThatAnItemNames) {
  const InstrumentReadings readings = read(both_, rubric_of_tools({"memcheck", "racecheck"}));
  EXPECT_EQ(tools_.ran.size(), 2u);
  EXPECT_EQ(tools_.ran[0].front(), "/cuda/compute-sanitizer");
  EXPECT_EQ(tools_.ran[0].back(), "/box/program");
  EXPECT_TRUE(readings.sanitizer.at("racecheck").measured())
      << readings.sanitizer.at("racecheck").why_not;
}

TEST_F(InstrumentsTest, RunsNothingWhereNoItemAsks) {
  step_.case_id = "other";
  EXPECT_TRUE(read(both_, rubric_of_tools({"memcheck"})).sanitizer.empty());
  EXPECT_TRUE(tools_.ran.empty());
}

TEST_F(InstrumentsTest, BelievesNoCleanReportOfAProgramThatDidNotRun) {
  runs_.left.outputs.clear();
  const InstrumentReadings readings = read(both_, rubric_of_tools({"memcheck"}));
  EXPECT_NE(readings.sanitizer.at("memcheck").why_not.find("it wrote no c"), std::string::npos)
      << readings.sanitizer.at("memcheck").why_not;
}

class FindInstruments : public testing::Test {
 protected:
  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  fs::path ncu(const std::string& search_path = "") {
    return find_instruments(root_ / "cuda", search_path, root_ / "nsight-compute").ncu;
  }

  const std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  const fs::path root_ = fs::canonical(workspace_->folder());
};

TEST_F(FindInstruments, FollowsLinksToTheInstallation) {
  EXPECT_EQ(ncu(), "");
  write("nsight-compute/2025.3.1/target/x/ncu", "ELF");
  fs::create_directories(root_ / "cuda/bin");
  fs::create_symlink("../../nsight-compute/2025.3.1/target/x/ncu", root_ / "cuda/bin/ncu");
  EXPECT_EQ(ncu(), root_ / "nsight-compute/2025.3.1/target/x/ncu");
}

TEST_F(FindInstruments, GoesPastAScriptThatStartsAnotherInstallation) {
  write("cuda/bin/ncu", "#!/bin/sh\nexec somewhere/ncu \"$@\"\n");
  EXPECT_EQ(ncu(), root_ / "cuda/bin/ncu") << "nothing better is known";
  write("nsight-compute/2025.10.0/ncu", "#!/bin/sh\n");
  write("nsight-compute/2025.3.1/ncu", "#!/bin/sh\n");
  EXPECT_EQ(ncu(), root_ / "nsight-compute/2025.10.0/ncu") << "the newest";
  write("cuda/bin/ncu", "#!/bin/sh\nexec /opt/nvidia/nsight-compute/2025.3.1/ncu \"$@\"\n");
  EXPECT_EQ(ncu(), root_ / "nsight-compute/2025.3.1/ncu") << "the one that it names";
}

TEST_F(FindInstruments, KnowsInstallationsThatAreOnNoPath) {
  write("cuda/nsight-compute-2025.3.1/ncu", "ELF");
  EXPECT_EQ(ncu(), root_ / "cuda/nsight-compute-2025.3.1/ncu");
}

TEST_F(InstrumentsTest, SaysWhereAToolIsMissing) {
  EXPECT_EQ(read({}, rubric_of_tools({"memcheck"})).sanitizer.at("memcheck").why_not,
            "this machine has no compute-sanitizer");
  Rubric counting;
  counting.items.resize(1);
  counting.items[0].cases = {"case"};
  counting.items[0].metric.emplace();
  counting.items[0].metric->range = "add";
  counting.items[0].metric->name = "dram_bytes";
  counting.items[0].metric->source = CounterSource::kHardware;
  EXPECT_EQ(read({}, counting).hardware.at("add").at("dram_bytes").why_not,
            "this machine has no ncu");
}

}  // namespace
}  // namespace warpgrade
