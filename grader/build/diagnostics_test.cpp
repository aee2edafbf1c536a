// SPDX-License-Identifier: MIT
#include "build/diagnostics.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

std::vector<std::string> texts(const char* output) {
  std::vector<std::string> found;
  for (const Diagnostic& diagnostic : parse_diagnostics(output))
    found.push_back(to_string(diagnostic));
  return found;
}

using Lines = std::vector<std::string>;

TEST(ParseDiagnostics, ReadsNvccsFrontEnd) {
  EXPECT_EQ(
      texts("/tmp/work/a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
            "  int f(float*p){ int x; }\n"
            "                      ^\n"
            "\n"
            "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
            "a.cu(7): error: identifier \"foo\" is undefined\n"
            "1 error detected in the compilation of \"a.cu\".\n"),
      (Lines{"a.cu:3: warning: variable \"x\" was declared but never referenced",
             "a.cu:7: error: identifier \"foo\" is undefined"}));
}

TEST(ParseDiagnostics, ReadsGcc) {
  EXPECT_EQ(texts("a.cu:12:5: warning: no return statement [-Wreturn-type]\na.cu:1:10: fatal "
                  "error: nothing.h: No such file or directory\n"),
            (Lines{"a.cu:12: warning: no return statement [-Wreturn-type]",
                   "a.cu:1: error: nothing.h: No such file or directory"}));
}

TEST(ParseDiagnostics, ReadsTheLinkerAndTheToolsThemselves) {
  EXPECT_EQ(texts("/usr/bin/ld: /tmp/work/driver.o: in function `main':\n"
                  "driver.cu:(.text+0x12): undefined reference to `select_device(int)'\n"
                  "collect2: error: ld returned 1 exit status\n"
                  "nvcc fatal   : Unknown option '-foo'\n"),
            (Lines{"error: undefined reference to `select_device(int)'",
                   "error: Unknown option '-foo'"}));
}

TEST(ParseDiagnostics, SaysOnceWhatBothCompilationsSaid) {
  EXPECT_EQ(texts("a.cu(3): error: no\na.cu(3): error: no\n"), (Lines{"a.cu:3: error: no"}));
}

TEST(ParseDiagnostics, ReadsTheAssemblersAndTheBackEnds) {
  EXPECT_EQ(
      texts("a.cu: Assembler messages:\n"
            "a.cu:1: Error: no such instruction: `bogus foo'\n"
            "a.cu(4): Error: Formal parameter space overflowed (40000 bytes required)\n"
            "ptxas /tmp/a.ptx, line 23; error   : Unknown symbol 'foo'\n"
            "ptxas error   : Entry function '_Z1kv' uses too much shared data\n"
            "a.cu:2:(.text+0x5): relocation truncated to fit: R_X86_64_PC32 against `.bss'\n"),
      (Lines{"a.cu:1: error: no such instruction: `bogus foo'",
             "a.cu:4: error: Formal parameter space overflowed (40000 bytes required)",
             "error: Unknown symbol 'foo'",
             "error: Entry function '_Z1kv' uses too much shared data",
             "error: relocation truncated to fit: R_X86_64_PC32 against `.bss'"}));
}

TEST(ParseDiagnostics, KnowsAToolThatSpeaksOfItself) {
  for (const char* line : {"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n",
                           "ptxas fatal   : Memory allocation failure\n",
                           "type_traits.h(196): catastrophic error: out of memory\n"}) {
    ASSERT_EQ(parse_diagnostics(line).size(), 1u) << line;
    EXPECT_FALSE(parse_diagnostics(line).front().is_of_source()) << line;
  }
  EXPECT_TRUE(parse_diagnostics("a.cu(3): error: out\n").front().is_of_source());
}

TEST(MachineErrorIn, FindsToolsThatCouldNotWrite) {
  for (const char* line :
       {"<built-in>: fatal error: when writing output to a.ii: No space left on device\n",
        "a.cu(410): catastrophic error: error while writing generated C++ file: No space left on "
        "device\n",
        "a.cu:7: Fatal error: can't write 5 bytes to section .text of o.o: 'No space left on "
        "device'\n",
        "/usr/bin/ld: final link failed: No space left on device\n",
        "ptxas fatal   : cannot write a.o: Disk quota exceeded\n"})
    EXPECT_TRUE(machine_error_in(line)) << line;
}

TEST(MachineErrorIn, IsNotTakenInByTextsOfASource) {
  for (const char* line :
       {"a.cu:1:2: error: #error No space left on device\n",
        "a.cu:1:2: error: #error fatal error: No space left on device\n",
        "a.cu(1): error: static assertion failed with \"fatal error: No space left "
        "on device\"\n",
        "a.cu:1:10: fatal error: No space left on device: No such file or "
        "directory\n",
        "No space left on device\n"})
    EXPECT_FALSE(machine_error_in(line)) << line;
}

TEST(ParseDiagnostics, FindsNothingInOtherText) {
  EXPECT_EQ(texts("hello\n\n: :\n(3): x\n"), Lines{});
}

}  // namespace
}  // namespace warpgrade
