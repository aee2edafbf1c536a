// SPDX-License-Identifier: MIT
#include "build/compiler_failure.h"

#include <gtest/gtest.h>

#include <csignal>

namespace warpgrade {
namespace {

class CauseOf : public testing::Test {
 protected:
  CauseOf() {
    outcome_.ending = Ending::kExited;
    outcome_.code = 1;
  }
  FailureCause cause(const std::string& output, bool disk_is_full = false,
                     bool memory_ran_out = false) const {
    const std::vector<Diagnostic> diagnostics = parse_diagnostics(output);
    return cause_of(
        {outcome_, output, diagnostics, size_t{4} << 30, 60, disk_is_full, memory_ran_out});
  }

  ProcessOutcome outcome_;
};

constexpr const char* kMistake = "a.cu(3): error: identifier \"x\" is undefined\n";

TEST_F(CauseOf, AMistakeInTheSourceIsTheFirstThatIsNamed) {
  const FailureCause found = cause(kMistake);
  EXPECT_FALSE(found.is_the_machines);
  EXPECT_EQ(found.sentence, "a.cu:3: error: identifier \"x\" is undefined");
}

TEST_F(CauseOf, AFullDiskIsTheMachinesWhateverTheCompilerSays) {
  EXPECT_TRUE(cause(kMistake, true).is_the_machines);
  outcome_.disk_was_full = true;
  EXPECT_TRUE(cause(kMistake).is_the_machines);
}

TEST_F(CauseOf, WhatIsOnlyPrintedIsDoubtful) {
  const char* const killed = "gcc: fatal error: Killed signal terminated program cc1plus\n";
  EXPECT_TRUE(cause(killed).is_doubtful);
  EXPECT_FALSE(cause(killed, false, true).is_doubtful);
  const char* const full = "as: x(5): fatal error: No space left on device\n";
  EXPECT_TRUE(cause(full).is_doubtful);
  EXPECT_FALSE(cause(full, true).is_doubtful);
  EXPECT_TRUE(cause("collect2: fatal error: ld terminated with signal 7\n").is_doubtful);
  EXPECT_FALSE(cause(kMistake).is_doubtful);
}

TEST_F(CauseOf, FailureWithoutAMistakeIsTheMachines) {
  const FailureCause found = cause("collect2: fatal error: ld terminated with signal 7\n");
  EXPECT_TRUE(found.is_the_machines);
  EXPECT_EQ(found.sentence,
            "the compiler failed and named no mistake in the source (status 1): collect2: fatal "
            "error: ld terminated with signal 7");
}

TEST_F(CauseOf, AKilledPassIsTheMachinesThoughTheNextOneComplains) {
  EXPECT_TRUE(cause("gcc: fatal error: Killed signal terminated program cc1plus\n"
                    "{standard input}:8123: Error: unrecognized opcode `mo'\n")
                  .is_the_machines);
  outcome_.ending = Ending::kSignalled;
  outcome_.code = SIGKILL;
  EXPECT_TRUE(cause("").is_the_machines);
}

TEST_F(CauseOf, AMistakeAtTheEndOfTheSourceIsTheSources) {
  const FailureCause found = cause(
      "At end of source: error: expected a \";\"\n\n"
      "1 error detected in the compilation of \"vecadd.cu\".\n");
  EXPECT_FALSE(found.is_the_machines);
  EXPECT_EQ(found.sentence, "At end of source: error: expected a \";\"");
}

TEST_F(CauseOf, TheLimitsAreTheSources) {
  EXPECT_EQ(cause("cc1plus: out of memory allocating 8518918880 bytes after a total of 232292352 "
                  "bytes\n")
                .sentence,
            "compiling it took more memory than allowed");
  outcome_.max_rss_bytes = size_t{3} << 30;
  EXPECT_EQ(
      cause("nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\n").sentence,
      "compiling it took more memory than allowed");
  outcome_.ending = Ending::kTimedOut;
  EXPECT_EQ(cause("").sentence, "compiling it was stopped after 60 s");
}

TEST_F(CauseOf, ACrashOfAPassWithLittleMemoryIsTheMachines) {
  outcome_.max_rss_bytes = size_t{200} << 20;
  EXPECT_TRUE(cause("nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\n")
                  .is_the_machines);
}

}  // namespace
}  // namespace warpgrade
