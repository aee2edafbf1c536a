// SPDX-License-Identifier: MIT
#include "pipeline/baselines.h"

#include <gtest/gtest.h>

#include <vector>

#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

/// An oracle that succeeds and makes nothing.
class IdleOracle final : public Sandbox {
 public:
  ProcessOutcome run(const Command&) const override {
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }
};

/// Ends runs as it is told, and keeps the wall limit of each.
struct EndingScript {
  std::vector<Ending> endings;
  std::vector<int> wall_limits_s;
};

class EndingRuns final : public ProgramRuns {
 public:
  explicit EndingRuns(EndingScript& script) : script_(script) {}
  RunResult run(const RunStep& step, const fs::path&) override {
    RunResult result;
    result.process.ending = script_.endings.at(script_.wall_limits_s.size());
    result.process.error = "no room";
    script_.wall_limits_s.push_back(step.limits.wall_s);
    return result;
  }

 private:
  EndingScript& script_;
};

class EndingRunner final : public Runner {
 public:
  explicit EndingRunner(EndingScript& script) : script_(script) {}
  std::unique_ptr<ProgramRuns> open(const ProgramPlace&) const override {
    return std::make_unique<EndingRuns>(script_);
  }

 private:
  EndingScript& script_;
};

/// The times of baseline "naive" on its one case, with a limit of 10 s for students.
BaselineTimes times_of_naive(EndingScript& script) {
  Rubric rubric;
  rubric.items.resize(1);
  rubric.items[0].cases = {"large"};
  rubric.items[0].metric.emplace();
  rubric.items[0].metric->over = "naive";
  RunStep step;
  step.case_id = "large";
  step.limits.wall_s = 10;
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const IdleOracle oracle;
  const CaseStore cases(oracle, "oracle", workspace->folder() / "cases", {step}, 1);
  const EndingRunner runner(script);
  const auto build = [](const std::string&, const BuildPlace&) -> Result<fs::path> {
    return fs::path("program");
  };
  const Baselines baselines(rubric, {{"naive", "source"}}, {step},
                            {runner, cases, build, workspace->folder() / "baselines", 1, 60});
  return baselines.times("large").at("naive");
}

TEST(Baselines, TryAgainWhereTheMachineFailed) {
  EndingScript script{{Ending::kSystemError, Ending::kSystemError, Ending::kExited}, {}};
  EXPECT_TRUE(times_of_naive(script).ok());
}

TEST(Baselines, GiveUpAfterThreeTries) {
  EndingScript script{{Ending::kSystemError, Ending::kSystemError, Ending::kSystemError}, {}};
  EXPECT_EQ(times_of_naive(script).error().message, "no room");
}

TEST(Baselines, HaveMoreTimeThanAStudent) {
  EndingScript script{{Ending::kExited}, {}};
  EXPECT_TRUE(times_of_naive(script).ok());
  EXPECT_EQ(script.wall_limits_s, std::vector<int>{100});
}

}  // namespace
}  // namespace warpgrade
