// SPDX-License-Identifier: MIT
#include "course/mutant.h"

#include <gtest/gtest.h>

#include "testing/fake_files.h"

namespace warpgrade {
namespace {

const std::string kHeader = "// expect: edges\n// class: G1. No guard.\n";
const std::string kHunk = "@@ -2 +4 @@\n-if (i < n) y[i] = x[i];\n+y[i] = x[i];\n";
const std::string kLicence = "// SPDX-License-Identifier: MIT\n";

FakeFiles patched_files(const std::string& patch) {
  FakeFiles files;
  files.contents["r/s.cu"] = kLicence + "if (i < n) y[i] = x[i];\n";
  files.contents["r/accepted/two.cu"] =
      "// expect: nothing\n// Two launches.\n" + kLicence +
      "// Twice.\n#include <cstdio>\nif (i < n) y[i] = x[i];\nagain();\n";
  files.contents["r/mutants/no-guard.patch"] = patch;
  return files;
}

Result<std::string> program(const std::string& patch) {
  return read_program(patched_files(patch), "r/s.cu", "r/mutants/no-guard.patch");
}

TEST(ReadProgram, TakesAWholeFileAsItIs) {
  EXPECT_EQ(*read_program(patched_files(""), "r/s.cu", "r/accepted/two.cu"),
            patched_files("").contents["r/accepted/two.cu"]);
}

TEST(ReadProgram, PatchesTheModelAnswer) {
  const Result<std::string> whole = program(kHeader + kHunk);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(*whole, kHeader + kLicence + "y[i] = x[i];\n");
}

TEST(ReadProgram, PutsThePatchsHeaderInPlaceOfTheBasesComments) {
  const Result<std::string> whole = program(kHeader + "// base: accepted/two.cu\n" + kHunk);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(*whole, kHeader + kLicence + "#include <cstdio>\ny[i] = x[i];\nagain();\n");
}

TEST(ReadProgram, CountsTheLinesOfTheBasesFile) {
  EXPECT_EQ(program(kHeader + "// base: accepted/two.cu\n@@ -9,2 +9,2 @@\n-again();\n+once();\n"
                              " #include <cstdio>\n")
                .error()
                .message,
            "r/mutants/no-guard.patch:4: error: the hunk's lines do not follow one another in "
            "r/accepted/two.cu: write it as the base is now");
  FakeFiles files = patched_files(kHeader + "// base: accepted/two.cu\n@@ -1 +1 @@\n-x\n+y\n");
  files.contents["r/accepted/two.cu"] = "// expect: nothing\n" + kLicence + "x\nx\n";
  EXPECT_EQ(read_program(files, "r/s.cu", "r/mutants/no-guard.patch").error().message,
            "r/mutants/no-guard.patch:4: error: the hunk fits at the lines 3 and 4 of "
            "r/accepted/two.cu: add context until one place is left (`diff -U3`)");
}

TEST(ReadProgram, RefusesABaseThatIsNoWholeProgramOfTheAssignment) {
  for (const char* base : {"../pi/pi.cu", "/etc/passwd", "mutants/late.patch"})
    EXPECT_EQ(program(kHeader + "// base: " + base + "\n" + kHunk).error().message,
              "r/mutants/no-guard.patch:3: error: a base is a whole program below r, named from "
              "there, such as accepted/one-launch.cu")
        << base;
  EXPECT_EQ(program(kHeader + "// base:\n" + kHunk).error().message,
            "r/mutants/no-guard.patch:3: error: wanted \"// base: FILE\", such as "
            "accepted/one-launch.cu");
  EXPECT_TRUE(program(kHeader + "// base: accepted/one.cu\n" + kHunk)
                  .error()
                  .message.starts_with("r/mutants/no-guard.patch:3: error: the patch's base: "));
}

TEST(ReadProgram, WantsCommentsAloneAboveTheHunksAndTheBaseLast) {
  EXPECT_EQ(program(kHeader + "--- a/s.cu\n+++ b/s.cu\n" + kHunk).error().message,
            "r/mutants/no-guard.patch:3: error: above the first \"@@\", a mutant's patch has "
            "comment lines alone: write the base as \"// base: FILE\", and delete the lines that "
            "`diff` prints there");
  EXPECT_EQ(program("// base: accepted/two.cu\n" + kHeader + kHunk).error().message,
            "r/mutants/no-guard.patch:1: error: this line must be the last above the first \"@@\"");
  EXPECT_TRUE(program(kHeader).error().message.starts_with(
      "r/mutants/no-guard.patch:3: error: the patch has no hunk: "));
}

TEST(FindMutant, FindsThePatchOrTheWholeFile) {
  FakeFiles files = patched_files("");
  files.contents["r/mutants/leak.cu"] = "";
  EXPECT_EQ(*find_mutant(files, "r/s.cu", "no-guard"), "r/mutants/no-guard.patch");
  EXPECT_EQ(*find_mutant(files, "r/s.cu", "leak"), "r/mutants/leak.cu");
  EXPECT_EQ(find_mutant(files, "r/s.cu", "leek").error().message,
            "r has no mutant or exploit 'leek': is leak meant?");
  EXPECT_EQ(find_mutant(files, "r/s.cu", "../accepted/two").error().message,
            "r has no mutant or exploit '../accepted/two'");
  files.contents["r/exploits/quits.patch"] = "";
  EXPECT_EQ(*find_mutant(files, "r/s.cu", "quits"), "r/exploits/quits.patch");
  files.contents["r/mutants/leak.patch"] = "";
  EXPECT_EQ(find_mutant(files, "r/s.cu", "leak").error().message,
            "r/mutants/leak.patch and r/mutants/leak.cu have the same name: delete one of them, or "
            "rename it");
}

/// A base that changed under its patches shows here, before `check` grades anything.
void expect_whole_programs(const fs::path& model_answer, const fs::path& folder) {
  const RealFiles files;
  const Result<std::vector<std::string>> names = files.list(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const Result<std::string> whole = read_program(files, model_answer, folder / name);
    EXPECT_TRUE(whole.ok()) << whole.error().message;
  }
}

TEST(Course, KeepsNoPatchThatDoesNotApply) {
  const fs::path reference = fs::path(WARPGRADE_COURSE) / "reference";
  const Result<std::vector<std::string>> slugs = RealFiles().list(reference);
  ASSERT_TRUE(slugs.ok());
  for (const std::string& slug : *slugs) {
    for (const char* part : {"mutants", "exploits"})
      expect_whole_programs(reference / slug / (slug + ".cu"), reference / slug / part);
  }
}

}  // namespace
}  // namespace warpgrade
