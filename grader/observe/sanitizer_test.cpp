// SPDX-License-Identifier: MIT
#include "observe/sanitizer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace warpgrade {
namespace {

constexpr const char* kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at add(float *, const float *, int)+0x130 in /box/source/vecadd.cu:9
=========     by thread (1,0,0) in block (4,2,0)
=========     Address 0x7f3c7ec00400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f3c7ec00000 of size 1024 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at add(float *, const float *, int)+0x130 in /box/source/vecadd.cu:9
=========     by thread (2,0,0) in block (4,2,0)
=========     Address 0x7f3c7ec00404 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f3c7ec00000 of size 1024 bytes
=========
========= ERROR SUMMARY: 257 errors
========= ERROR SUMMARY: 255 errors were not printed. Use --print-limit option to adjust the number of printed errors
)";

TEST(ParseSanitizer, TellsWhereAnAccessWentWrongAndHowOften) {
  const SanitizerRun run = parse_sanitizer("memcheck", kMemcheck, "vecadd.cu");
  ASSERT_TRUE(run.measured()) << run.why_not;
  EXPECT_EQ(run.errors, 257);
  ASSERT_EQ(run.findings.size(), 1u);
  const Finding& finding = run.findings[0];
  EXPECT_EQ(finding.checker, "memory");
  EXPECT_EQ(finding.message,
            "Invalid __global__ write of size 4 bytes: out of bounds, 1 bytes after the nearest "
            "allocation");
  EXPECT_EQ(finding.kernel, "add");
  EXPECT_EQ(finding.file, "vecadd.cu");
  EXPECT_EQ(finding.line, 9);
  EXPECT_EQ(finding.thread, (Extent3{1, 0, 0}));
  EXPECT_EQ(finding.block, (Extent3{4, 2, 0}));
  EXPECT_EQ(finding.count, 2);
}

TEST(ParseSanitizer, ReadsBothAccessesOfARaceAndNoWarning) {
  const SanitizerRun run = parse_sanitizer("racecheck", R"(========= COMPUTE-SANITIZER
========= Warning: Race reported between Read access at sum(int *)+0x260
=========     and Write access at sum(int *)+0x200 [29 hazards]
=========
========= Error: Race reported between Write access at void sum<(int)32>(int *)+0x460 in dot.cu:41
=========     and Read access at void sum<(int)32>(int *)+0x7a0 in dot.cu:51 [508 hazards]
=========     and Read access at void sum<(int)32>(int *)+0x7c0 in dot.cu:52 [4 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)",
                                           "dot.cu");
  ASSERT_TRUE(run.measured()) << run.why_not;
  EXPECT_EQ(run.errors, 1);
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].message,
            "race in shared memory between a write at dot.cu:41 and a read at dot.cu:51 and a read "
            "at dot.cu:52");
  EXPECT_EQ(run.findings[0].checker, "race");
  EXPECT_EQ(run.findings[0].kernel, "sum<(int)32>");
  EXPECT_EQ(run.findings[0].line, 41);
  EXPECT_EQ(run.findings[0].count, 512);
}

TEST(ParseSanitizer, NamesTheStudentsLineWhereTheInstructionIsInAHeaderOfCuda) {
  const SanitizerRun run = parse_sanitizer("synccheck", R"(========= COMPUTE-SANITIZER
========= Barrier error detected. Invalid arguments.
=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110
=========     by thread (16,0,0) in block (0,0,0)
=========         Device Frame: broken(float *, unsigned long)+0xb0 in /input/kernel.cu:12
=========
========= ERROR SUMMARY: 17 errors
)",
                                           "kernel.cu");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].checker, "sync");
  EXPECT_EQ(run.findings[0].message, "Barrier error detected. Invalid arguments.");
  EXPECT_EQ(run.findings[0].kernel, "broken");
  EXPECT_EQ(run.findings[0].file, "kernel.cu");
  EXPECT_EQ(run.findings[0].line, 12);
}

TEST(ParseSanitizer, DoesWithoutALine) {
  const SanitizerRun run = parse_sanitizer("initcheck", R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at 0x60 in Iota(unsigned char*)
=========     by thread (31,0,0) in block (1,0,0)
=========
========= ERROR SUMMARY: 1 error
)",
                                           "a.cu");
  ASSERT_EQ(run.findings.size(), 1u);
  EXPECT_EQ(run.findings[0].checker, "init");
  EXPECT_EQ(run.findings[0].kernel, "Iota");
  EXPECT_EQ(run.findings[0].file, "");
}

TEST(ParseSanitizer, SurvivesALineOfAnyLength) {
  const std::string name(1'000'000, 'k');
  const SanitizerRun run = parse_sanitizer(
      "memcheck",
      "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n"
      "=========     at " +
          name +
          "(int*)+0x130 in /a.cu:9\n"
          "=========     by thread " +
          name + "\n=========     Address 0x" + name +
          "\n"
          "========= Error: Race reported between Read access at " +
          name +
          "\n"
          "========= ERROR SUMMARY: 1 error\n",
      "a.cu");
  EXPECT_EQ(run.errors, 1);
  EXPECT_EQ(run.findings.size(), 2u);
}

TEST(ParseSanitizer, TakesOnlyASummaryForAVerdict) {
  EXPECT_TRUE(parse_sanitizer("memcheck",
                              "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n",
                              "a.cu")
                  .measured());
  EXPECT_TRUE(parse_sanitizer("racecheck",
                              "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards "
                              "displayed (0 errors, 0 warnings)\n",
                              "a.cu")
                  .measured());
  EXPECT_EQ(parse_sanitizer("memcheck", "========= COMPUTE-SANITIZER\n", "a.cu").why_not,
            "memcheck gave no summary");
  EXPECT_EQ(parse_sanitizer("memcheck", "ERROR SUMMARY: 0 errors\n", "a.cu").why_not,
            "memcheck gave no summary");
  EXPECT_EQ(
      parse_sanitizer("memcheck",
                      "========= COMPUTE-SANITIZER\n========= Target application terminated "
                      "before first instrumented API call\n========= ERROR SUMMARY: 0 errors\n",
                      "a.cu")
          .why_not,
      "memcheck said: Target application terminated before first instrumented API call");
}

/// Stands in for compute-sanitizer: writes what it would to the log.
class FakeSanitizer final : public Sandbox {
 public:
  ProcessOutcome run(const Command& command) const override {
    ran = command;
    if (log_text) std::ofstream(log) << *log_text;
    return outcome;
  }
  bool hand_over(const fs::path&, int) const override { return true; }
  std::string name() const override { return "fake"; }

  std::optional<std::string> log_text;
  fs::path log;
  ProcessOutcome outcome{Ending::kExited, 0, 1000, 0, "", "", ""};
  mutable Command ran;
};

class RunSanitizer : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-sanitizer-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    sandbox_.log = folder_ / "memcheck.log";
    sandbox_.log_text = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
    program_.argv = {"/box/program", "17"};
    program_.environment = {{"CUDA_INJECTION64_PATH", "/lib.so"}, {"LC_ALL", "C"}};
  }
  void TearDown() override { fs::remove_all(folder_); }

  SanitizerRun run(const std::string& proof = "") {
    return run_sanitizer(sandbox_, "/tools/compute-sanitizer", "memcheck", program_, sandbox_.log,
                         "a.cu", [&] { return proof; });
  }

  fs::path folder_;
  FakeSanitizer sandbox_;
  Command program_;
};

TEST_F(RunSanitizer, RunsTheProgramUnderTheToolWithoutOurOwn) {
  EXPECT_TRUE(run().measured());
  EXPECT_EQ(
      sandbox_.ran.argv,
      (std::vector<std::string>{
          "/tools/compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "97",
          "--launch-timeout", "120", "--print-limit", "100", "--show-backtrace", "device",
          "--log-file", sandbox_.log.string(), "--report-api-errors", "no", "/box/program", "17"}));
  EXPECT_FALSE(sandbox_.ran.environment.contains("CUDA_INJECTION64_PATH"));
  EXPECT_EQ(sandbox_.ran.limits.wall_ms, 10 * program_.limits.wall_ms);
}

TEST_F(RunSanitizer, TakesNoCleanReportOfAProgramThatDidNotRun) {
  EXPECT_EQ(run("C.npy is missing").why_not,
            "nothing proves that the program ran under memcheck: C.npy is missing");
}

TEST_F(RunSanitizer, ReadsNoReportOfAnEarlierRun) {
  std::ofstream(sandbox_.log) << *sandbox_.log_text;
  sandbox_.log_text.reset();
  EXPECT_NE(run().why_not.find("memcheck wrote no report"), std::string::npos);
}

TEST_F(RunSanitizer, BelievesAnErrorWithoutFurtherProof) {
  sandbox_.log_text = kMemcheck;
  sandbox_.outcome.code = 97;
  const SanitizerRun found = run("no outputs");
  EXPECT_TRUE(found.measured());
  EXPECT_EQ(found.errors, 257);
}

TEST_F(RunSanitizer, SaysWhyThereIsNoVerdict) {
  sandbox_.outcome.code = 97;
  EXPECT_EQ(run().why_not, "memcheck told of no error, but ended as if there were one");
  sandbox_.outcome.code = 3;
  EXPECT_EQ(run().why_not, "the program ended with status 3 under memcheck");
  sandbox_.outcome = {Ending::kTimedOut, 0, 100'000, 0, "", "", ""};
  EXPECT_EQ(run().why_not, "memcheck was stopped after 100 s");
  sandbox_.outcome = {Ending::kSystemError, 0, 0, 0, "", "", "no such file"};
  EXPECT_EQ(run().why_not, "no such file");
}

}  // namespace
}  // namespace warpgrade
