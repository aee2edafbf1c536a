// SPDX-License-Identifier: MIT
#include "pipeline/case_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <set>

#include "base/npy.h"
#include "pipeline/workspace.h"
#include "sandbox/local_sandbox.h"

namespace warpgrade {
namespace {

void write(const fs::path& path, int value, size_t elements = 1) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      << format_npy(make_npy<int32_t>({elements}, std::vector<int32_t>(elements, value)));
}

int32_t value_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return parse_npy(text)->as<int32_t>()[0];
}

/// Makes of every seed an input, numbered as they come, and expects its double.
class CountingOracle final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    const fs::path folder = command.argv.at(2);
    const std::lock_guard lock(mutex_);
    if (command.argv.at(1) == "inputs") {
      const auto seed = std::find(command.argv.begin(), command.argv.end(), "--seed");
      seeds.push_back(*(seed + 1));
      write(folder / "in" / "x.npy", static_cast<int>(seeds.size()), elements);
    } else {
      write(folder / "expected" / "y.npy", 2 * value_in(folder / "in" / "x.npy"));
    }
    ProcessOutcome outcome;
    outcome.ending = Ending::kExited;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  mutable std::vector<std::string> seeds;
  size_t elements = 1;  ///< of an input

 private:
  mutable std::mutex mutex_;  ///< cases are made by several threads
};

/// Takes the steps of FNV-1a over the name backwards.
uint64_t state_before(std::string_view name, uint64_t hash) {
  constexpr uint64_t kInverse = 0xce965057aff6957b;
  for (size_t i = name.size(); i-- > 0;)
    hash = (hash * kInverse) ^ static_cast<unsigned char>(name[i]);
  return hash;
}

TEST(CaseStore, ASeedOfInputsDoesNotLeadBackToTheSecret) {
  constexpr uint64_t kSecret = 0x0123456789abcdef;
  EXPECT_NE(state_before("whole", seed_of_inputs(kSecret, "whole")), kSecret);
  EXPECT_NE(seed_of_inputs(kSecret, "whole"), seed_of_inputs(kSecret, "whole other"));
  EXPECT_NE(seed_of_inputs(kSecret, "whole"), seed_of_inputs(kSecret + 1, "whole"));
}

TEST(CaseStore, OtherInputsKeepWhatIsTooSmallToBeUploaded) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const CountingOracle oracle;
  RunStep step;
  step.case_id = "small";
  const CaseStore cases(oracle, "oracle", workspace->folder() / "cases", {step}, 1, {}, {step});
  ASSERT_TRUE(cases.get("small").ok());
  ASSERT_TRUE(cases.get_other("small").ok()) << cases.get_other("small").error().message;
  EXPECT_EQ(oracle.seeds.size(), 2u);
  EXPECT_EQ(cases.get_other("small")->expected, cases.get("small")->expected);
}

TEST(CaseStore, OtherInputsAreOfAnotherSeed) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  CountingOracle oracle;
  oracle.elements = 64;
  RunStep step;
  step.case_id = "large";
  const CaseStore cases(oracle, "oracle", workspace->folder() / "cases", {step}, 1, {}, {step});
  ASSERT_TRUE(cases.get_other("large").ok()) << cases.get_other("large").error().message;
  EXPECT_NE(cases.get_other("large")->expected, cases.get("large")->expected);
}

TEST(CaseStore, GivesATimedCaseSeveralInputsThatNobodySawBefore) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const CountingOracle oracle;
  RunStep step;
  step.case_id = "large";
  const CaseStore cases(oracle, "oracle", workspace->folder() / "cases", {step}, 1,
                        {TimeStep{step, {}, 3}});
  ASSERT_TRUE(cases.get("large").ok());
  const Result<TimedCaseData>& timed = cases.get_timed("large");
  ASSERT_TRUE(timed.ok()) << timed.error().message;
  ASSERT_EQ(timed->expected.size(), 3u);
  std::set<int32_t> inputs = {value_in(cases.get("large")->inputs / "x.npy")};
  for (int i = 0; i < 3; ++i) {
    const int32_t input = value_in(timed->inputs / std::to_string(i) / "x.npy");
    EXPECT_TRUE(inputs.insert(input).second) << input;
    EXPECT_EQ(timed->expected[static_cast<size_t>(i)].at("y").as<int32_t>()[0], 2 * input);
  }
  std::sort(oracle.seeds.begin(), oracle.seeds.end());
  EXPECT_EQ(std::unique(oracle.seeds.begin(), oracle.seeds.end()) - oracle.seeds.begin(), 4);
}

TEST(CaseStore, LetsAnOracleWriteArraysAsLargeAsThoseForAGpu) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const fs::path oracle = workspace->folder() / "oracle";
  // A hole of 128 MiB takes no space.
  std::ofstream(oracle) << "#!/bin/sh\nmkdir -p \"$2/in\"\n"
                           "if [ $1 = inputs ]; then truncate -s 134217856 \"$2/in/x.npy\"; fi\n";
  fs::permissions(oracle, fs::perms::owner_all);
  RunStep step;
  step.case_id = "large";
  const LocalSandbox trusted(SandboxBackend::kNone);
  const CaseStore cases(trusted, oracle, workspace->folder() / "cases", {step}, 1, {});
  const Result<CaseData>& made = cases.get("large");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(fs::file_size(made->inputs / "x.npy"), 134217856u);
}

/// What the store says where the oracle is this script with these permissions.
std::string complaint_about(const std::string& script, fs::perms permissions) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const fs::path oracle = workspace->folder() / "oracle";
  std::ofstream(oracle) << script;
  fs::permissions(oracle, permissions);
  RunStep step;
  step.case_id = "one";
  const LocalSandbox trusted(SandboxBackend::kNone);
  const CaseStore cases(trusted, oracle, workspace->folder() / "cases", {step}, 1, {});
  return cases.get("one").ok() ? "" : cases.get("one").error().message;
}

TEST(CaseStore, SaysWhyAnOracleSaidNothing) {
  const std::string closed =
      complaint_about("#!/bin/sh\n", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(closed.starts_with("oracle inputs failed for case 'one': /")) << closed;
  EXPECT_TRUE(closed.ends_with("/oracle cannot be started: Permission denied")) << closed;
  EXPECT_EQ(complaint_about("#!/bin/sh\nexit 3\n", fs::perms::owner_all),
            "oracle inputs failed for case 'one': it ended with status 3 and said nothing");
  EXPECT_EQ(complaint_about("#!/bin/sh\necho no family >&2\nexit 3\n", fs::perms::owner_all),
            "oracle inputs failed for case 'one': no family");
}

TEST(CaseStore, TellsInputsApartByTheirFingerprints) {
  const std::unique_ptr<Workspace> workspace = std::move(Workspace::make().value());
  const CountingOracle oracle;  // makes another input each time
  RunStep one, other;
  one.case_id = "one";
  other.case_id = "other";
  // One store for each, so that the first input is that of "one".
  const CaseStore cases(oracle, "oracle", workspace->folder() / "cases", {one}, 1);
  const std::string first = cases.get("one")->fingerprint;
  EXPECT_NE(first, "");
  const CaseStore others(oracle, "oracle", workspace->folder() / "others", {other}, 1);
  EXPECT_NE(first, others.get("other")->fingerprint);
  const CountingOracle again;
  const CaseStore same(again, "oracle", workspace->folder() / "again", {one}, 2);
  EXPECT_EQ(first, same.get("one")->fingerprint);
}

}  // namespace
}  // namespace warpgrade
