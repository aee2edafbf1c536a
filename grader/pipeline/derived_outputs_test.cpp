// SPDX-License-Identifier: MIT
#include "pipeline/derived_outputs.h"

#include <gtest/gtest.h>

#include <fstream>

#include "check/array_folder.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

NpyArray ints(std::vector<int32_t> values) { return make_npy({values.size()}, values); }

/// Leaves the same arrays after each run.
class FakeRuns final : public ProgramRuns {
 public:
  explicit FakeRuns(RunResult left) : left_(std::move(left)) {}
  RunResult run(const RunStep&, const fs::path&) override { return left_; }
  std::optional<RunResult> run_together(const std::vector<CaseToRun>& cases) override {
    RunResult together = left_;
    together.outputs.clear();
    together.repetitions.assign(cases.size(), left_.outputs);
    return together;
  }
  RunResult left_by_tool(const RunStep&) override { return left_; }

 private:
  RunResult left_;
};

/// Derives `sum` of the case's `x` and the program's `drawn`.
class AddingOracle final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    ++calls;
    verb = command.argv.at(1);
    const fs::path folder = command.argv.at(2);
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    outcome.code = code;
    outcome.err = code == 0 ? "" : "no such case";
    const Result<Arrays> in = read_arrays(RealFiles(), folder / "in"),
                         out = read_arrays(RealFiles(), folder / "out");
    seen = out ? *out : Arrays();
    if (code == 0)
      (void)write_arrays(
          folder / "derived",
          {{derives, ints({in->at("x").as<int32_t>()[0] + out->at("drawn").as<int32_t>()[0]})}});
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  mutable int calls = 0;
  mutable std::string verb;
  mutable Arrays seen;
  std::string derives = "sum";
  int code = 0;
};

class DerivedOutputsTest : public testing::Test {
 protected:
  DerivedOutputsTest() {
    left_.process.ending = Ending::kExited;
    left_.outputs = {{"drawn", ints({40})}, {"C", ints({7})}};
    step_.case_id = "small";
    step_.derived = {{"sum", {"drawn"}}};
    EXPECT_TRUE(write_arrays(inputs(), {{"x", ints({2})}}).ok());
  }
  fs::path inputs() const { return workspace_->folder() / "case" / "in"; }
  std::unique_ptr<ProgramRuns> runs() const {
    return with_derived_outputs(std::make_unique<FakeRuns>(left_), program_,
                                workspace_->folder() / "derived");
  }

  const std::unique_ptr<Workspace> workspace_ = std::move(Workspace::make().value());
  AddingOracle oracle_;
  const OracleProgram program_{oracle_, "oracle"};
  RunResult left_;
  RunStep step_;
};

TEST_F(DerivedOutputsTest, AreMadeByTheOracleOfTheProgramsOutputsAndTheCasesInputs) {
  const RunResult result = runs()->run(step_, inputs());
  EXPECT_EQ(result.outputs.at("sum"), ints({42}));
  EXPECT_EQ(oracle_.verb, "derived");
  EXPECT_EQ(oracle_.seen, (Arrays{{"drawn", ints({40})}}));
  EXPECT_EQ(result.process.ending, Ending::kExited);
}

TEST_F(DerivedOutputsTest, LeaveNoFilesAndTheCasesInputsAsTheyWere) {
  (void)runs()->run(step_, inputs());
  EXPECT_FALSE(fs::exists(workspace_->folder() / "derived"));
  EXPECT_TRUE(fs::exists(inputs() / "x.npy"));
}

TEST_F(DerivedOutputsTest, ReplaceWhatTheProgramWroteUnderTheirName) {
  left_.outputs["sum"] = ints({1});
  EXPECT_EQ(runs()->run(step_, inputs()).outputs.at("sum"), ints({42}));
}

TEST_F(DerivedOutputsTest, AskNoOracleWhereTheStepDerivesNothing) {
  step_.derived.clear();
  EXPECT_EQ(runs()->run(step_, inputs()).outputs.size(), 2u);
  EXPECT_EQ(oracle_.calls, 0);
}

TEST_F(DerivedOutputsTest, AreMissingWhereTheProgramWroteNoSourceOfTheirs) {
  left_.outputs.erase("drawn");
  const RunResult result = runs()->run(step_, inputs());
  EXPECT_EQ(result.outputs.count("sum"), 0u);
  EXPECT_EQ(result.process.ending, Ending::kExited);
  EXPECT_EQ(oracle_.calls, 0);
}

TEST_F(DerivedOutputsTest, AreUnreadableWhereASourceIs) {
  left_.outputs.erase("drawn");
  left_.unreadable["drawn"] = "is no array";
  EXPECT_EQ(runs()->run(step_, inputs()).unreadable.at("sum"), "is no array");
}

TEST_F(DerivedOutputsTest, ThatTheOracleCannotMakeAreNotTheStudentsFault) {
  oracle_.code = 1;
  const RunResult result = runs()->run(step_, inputs());
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_NE(result.process.error.find("no such case"), std::string::npos) << result.process.error;
}

TEST_F(DerivedOutputsTest, ThatTheOracleDoesNotKnowAreNotTheStudentsFault) {
  oracle_.derives = "other";
  const RunResult result = runs()->run(step_, inputs());
  EXPECT_EQ(result.process.ending, Ending::kSystemError);
  EXPECT_EQ(result.process.error, "the oracle's derived_outputs makes no 'sum'");
}

TEST_F(DerivedOutputsTest, AreMadeOfEachCaseThatOneProcessRan) {
  const auto result = runs()->run_together({{step_, inputs()}, {step_, inputs()}});
  ASSERT_TRUE(result);
  for (const Arrays& outputs : result->repetitions) EXPECT_EQ(outputs.at("sum"), ints({42}));
}

TEST_F(DerivedOutputsTest, AreMadeOfWhatAToolsRunLeft) {
  const std::unique_ptr<ProgramRuns> all = runs();
  (void)all->for_tool(step_, inputs());
  EXPECT_EQ(all->left_by_tool(step_).outputs.at("sum"), ints({42}));
}

}  // namespace
}  // namespace warpgrade
