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

TEST(ParseDiagnostics, FindsNothingInOtherText) {
  EXPECT_EQ(texts("hello\n\n: :\n(3): x\n"), Lines{});
}

}  // namespace
}  // namespace warpgrade
