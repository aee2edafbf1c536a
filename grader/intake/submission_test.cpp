// SPDX-License-Identifier: MIT
#include "intake/submission.h"

#include <gtest/gtest.h>

#include "testing/fake_files.h"

namespace warpgrade {
namespace {

const std::string kFile = "matmul.cu";

/// "student: problem" for each submission; "ok" where there is none.
std::vector<std::string> summary(const FakeFiles& files, const fs::path& path) {
  const Result<Submissions> read = read_submissions(files, path, kFile);
  if (!read) return {"error: " + read.error().message};
  std::vector<std::string> lines;
  for (const Submission& each : read->all) {
    const std::string system = each.system_error.empty() ? "ok" : "system: " + each.system_error;
    lines.push_back(each.student + ": " + (each.problem.empty() ? system : each.problem.text));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ReadSubmissions, TakesAFolderWithTheFileAsOne) {
  FakeFiles files;
  files.contents = {{"/class/ann/matmul.cu", "int x;"}, {"/class/ann/notes.txt", "n"}};
  EXPECT_EQ(summary(files, "/class/ann"), Lines{"ann: ok"});
  EXPECT_EQ(summary(files, "/class/ann/matmul.cu"), Lines{"ann: ok"});
  const auto read = read_submissions(files, "/class/ann", kFile);
  EXPECT_EQ(read->all[0].source, "int x;");
  EXPECT_EQ(read->all[0].path, "/class/ann/matmul.cu");
}

TEST(ReadSubmissions, TakesEachSubfolderOrFileOfAnyOtherFolder) {
  FakeFiles files;
  files.contents = {{"/class/ann/matmul.cu", "int x;"},
                    {"/class/bob.cu", "int y;"},
                    {"/class/.DS_Store", "x"},
                    {"/class/__MACOSX/._ann", "x"}};
  EXPECT_EQ(summary(files, "/class"), (Lines{"ann: ok", "bob: ok"}));
  EXPECT_EQ(summary(files, "/class/bob.cu"), Lines{"bob: ok"});
}

TEST(ReadSubmissions, SkipsFilesThatAreNoSource) {
  FakeFiles files;
  files.contents = {{"/class/README.md", "Graded by Friday"}, {"/class/bob.cu", "int y;"}};
  EXPECT_EQ(summary(files, "/class"), Lines{"bob: ok"});
  EXPECT_EQ(read_submissions(files, "/class", kFile)->skipped,
            std::vector<fs::path>{"/class/README.md"});
  files.contents.erase("/class/bob.cu");
  EXPECT_EQ(summary(files, "/class"), Lines{"error: /class holds no submissions"});
}

TEST(ReadSubmissions, ExplainsWhatCannotBeGraded) {
  FakeFiles files;
  files.contents = {{"/class/binary/matmul.cu", std::string("\x7f"
                                                            "ELF\0",
                                                            5)},
                    {"/class/blank/matmul.cu", " \n"},
                    {"/class/huge/matmul.cu", std::string((1 << 20) + 1, 'x')},
                    {"/class/latin/matmul.cu", "// caf\xe9"},
                    {"/class/lost/a.txt", ""},
                    {"/class/lost/report.pdf", "x"},
                    {"/class/nested/matmul.cu/deep", "x"},
                    {"/class/thief/readme", ""}};
  files.folders = {"/class/bare"};
  files.links = {"/class/thief/matmul.cu"};
  EXPECT_EQ(summary(files, "/class"),
            (Lines{"bare: matmul.cu is missing; the folder is empty",
                   "binary: matmul.cu is not text (UTF-8); hand in the source file itself",
                   "blank: matmul.cu is empty", "huge: matmul.cu is larger than 1048576 bytes",
                   "latin: matmul.cu is not text (UTF-8); hand in the source file itself",
                   "lost: matmul.cu is missing; the folder holds a.txt, report.pdf",
                   "nested: matmul.cu is missing; the folder holds matmul.cu/deep",
                   "thief: matmul.cu is a link"}));
}

TEST(ReadSubmissions, GivesEachReasonItsIdAndArguments) {
  FakeFiles files;
  files.contents = {{"/class/bin/matmul.cu", "// caf\xe9"},
                    {"/class/blank/matmul.cu", " \n"},
                    {"/class/huge/matmul.cu", std::string((1 << 20) + 1, 'x')},
                    {"/class/lost/a.txt", ""},
                    {"/class/many/a.cu", "x"},
                    {"/class/many/b.cu", "x"},
                    {"/class/thief/readme", ""}};
  files.folders = {"/class/bare"};
  files.links = {"/class/thief/matmul.cu"};
  const Result<Submissions> read = read_submissions(files, "/class", "matmul.cu");
  ASSERT_TRUE(read.ok());
  Lines keys;
  for (const Submission& each : read->all) keys.push_back(each.problem.key());
  EXPECT_EQ(
      keys,
      (Lines{"intake.nothing(name=matmul.cu)", "intake.no_text(name=matmul.cu)",
             "intake.empty(name=matmul.cu)", "intake.too_large(bytes=1048576, name=matmul.cu)",
             "intake.absent(files=a.txt, name=matmul.cu)",
             "intake.several(files=a.cu, b.cu, name=matmul.cu)", "intake.link(name=matmul.cu)"}));
}

TEST(ReadSubmissions, KeepsItsOwnFailuresApart) {
  FakeFiles files;
  files.contents = {{"/class/ann/x", ""}};
  files.broken = {"/class/ann/matmul.cu"};
  EXPECT_EQ(summary(files, "/class/ann"),
            Lines{"ann: system: cannot read /class/ann/matmul.cu: Input/output error"});
}

TEST(ReadSubmissions, MakesSafeAndStableIds) {
  FakeFiles files;
  const std::string longest(80, 'a');
  files.contents = {{"/class/Ann Lee/matmul.cu", "x"},   {"/class/Ann_Lee/matmul.cu", "x"},
                    {"/class/$(rm -rf)/matmul.cu", "x"}, {"/class/-rf/matmul.cu", "x"},
                    {"/class/Иванов/matmul.cu", "x"},    {"/class/" + longest + ".cu", "x"},
                    {"/class/bob/matmul.cu", "x"},       {"/class/bob.cu", "x"}};
  EXPECT_EQ(
      summary(files, "/class"),
      (Lines{"__rm_-rf_-57e670ef: ok", "_-rf-686c39ac: ok", "Ann_Lee-a36e143c: ok", "Ann_Lee: ok",
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-0f45e858: ok", "bob: ok",
             "bob-cf071d20: ok", "Ivanov-37f3ddd4: ok"}));
}

TEST(ReadSubmissions, LetsNoNameTakeAnIdThatWasMadeForAnother) {
  FakeFiles files;
  files.contents = {{"/class/café/matmul.cu", "x"},
                    {"/class/cafe-850f7dc4/matmul.cu", "x"},
                    {"/class/lee-20231234/matmul.cu", "x"}};
  EXPECT_EQ(summary(files, "/class"),
            (Lines{"cafe-850f7dc4-db56f73f: ok", "cafe-850f7dc4: ok", "lee-20231234: ok"}));
}

TEST(ReadSubmissions, GivesThreeSubmissionsThreeIdsWhereOneIsCalledAsATwinWouldBe) {
  FakeFiles files;
  files.contents = {{"/class/bob/matmul.cu", "x"},
                    {"/class/bob.cu", "x"},
                    {"/class/bob-cf071d20/matmul.cu", "x"}};
  EXPECT_EQ(summary(files, "/class"),
            (Lines{"bob: ok", "bob-cf071d20: ok", "bob-cf071d20-cf071d20: ok"}));
}

/// The notes of the only submission.
std::vector<std::string> notes(const FakeFiles& files, const IntakeOptions& options) {
  const Result<Submissions> read = read_submissions(files, "/class", options);
  if (!read) return {read.error().message};
  return read->all.at(0).notes;
}

TEST(ReadSubmissions, FindsTheFileInFoldersInsideTheStudentsOwn) {
  FakeFiles files;
  files.contents = {{"/class/ann/lab1/src/matmul.cu", "int x;"},
                    {"/class/ann/lab1/build/old/matmul.cu", "int y;"},
                    {"/class/ann/__MACOSX/matmul.cu", "x"}};
  const auto read = read_submissions(files, "/class", kFile);
  ASSERT_EQ(read->all.size(), 1u);
  EXPECT_EQ(read->all[0].source, "int x;") << "the uppermost counts";
  EXPECT_EQ(read->all[0].identity.handed_in, "ann/lab1/src/matmul.cu");
}

TEST(ReadSubmissions, TakesANameInOtherLettersAndAnOnlySourceFileWithANote) {
  FakeFiles files;
  files.contents = {{"/class/ann/MatMul.CU", "int x;"}, {"/class/ann/notes.txt", ""}};
  EXPECT_EQ(summary(files, "/class"), Lines{"ann: ok"});
  EXPECT_EQ(notes(files, {kFile}), Lines{"MatMul.CU was taken for matmul.cu"});
  files.contents = {{"/class/ann/final/lab.cu", "int x;"}};
  EXPECT_EQ(notes(files, {kFile}), Lines{"final/lab.cu was taken for matmul.cu"});
}

TEST(ReadSubmissions, DoesNotGuessBetweenSeveralFiles) {
  FakeFiles files;
  files.contents = {{"/class/ann/a.cu", "int x;"}, {"/class/ann/b.cu", "int y;"}};
  EXPECT_EQ(
      summary(files, "/class"),
      Lines{"ann: the grader cannot tell which file is matmul.cu: a.cu, b.cu may be meant; hand "
            "in one file of this name"});
  files.contents = {{"/class/ann/1/matmul.cu", "int x;"}, {"/class/ann/2/matmul.cu", "int y;"}};
  EXPECT_EQ(
      summary(files, "/class"),
      Lines{"ann: the grader cannot tell which file is matmul.cu: 1/matmul.cu, 2/matmul.cu may be "
            "meant; hand in one file of this name"});
}

TEST(ReadSubmissions, NotesAnEditedCopyOfAStaffFileAndIgnoresIt) {
  FakeFiles files;
  const IntakeOptions options{kFile, {{"driver.cu", "main\n"}, {"matmul.h", "x\n"}}};
  files.contents = {{"/class/ann/lab.cu", "int x;"}, {"/class/ann/driver.cu", "main\r\n"}};
  EXPECT_EQ(notes(files, options), Lines{"lab.cu was taken for matmul.cu"});
  files.contents["/class/ann/driver.cu"] = "cheat";
  EXPECT_EQ(notes(files, options),
            (Lines{"lab.cu was taken for matmul.cu",
                   "the student's driver.cu differs from the course's, which is used instead"}));
}

TEST(ReadSubmissions, LooksIntoNoLinkedFolder) {
  FakeFiles files;
  files.contents = {{"/class/ann/matmul.cu", "int x;"}, {"/class/eve/matmul.cu", "int y;"}};
  files.links = {"/class/eve"};
  EXPECT_EQ(summary(files, "/class"), (Lines{"ann: ok", "eve: eve is a link"}));
}

TEST(ReadSubmissions, CallsAMissingOrEmptyPathAnError) {
  FakeFiles files;
  files.folders = {"/empty"};
  EXPECT_EQ(summary(files, "/nowhere"), Lines{"error: /nowhere does not exist"});
  EXPECT_EQ(summary(files, "/empty"), Lines{"error: /empty holds no submissions"});
}

}  // namespace
}  // namespace warpgrade
