// SPDX-License-Identifier: MIT
#include "intake/downloads/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "intake/submission.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

Submissions read(const FakeFiles& files, const NamePattern* pattern = nullptr) {
  IntakeOptions options{"matmul.cu"};
  options.pattern = pattern;
  const Result<Submissions> submissions = read_submissions(files, "/class", options);
  EXPECT_TRUE(submissions.ok()) << submissions.error().message;
  return submissions ? *submissions : Submissions();
}

/// "student name kind=id...: source or problem" for each submission.
Lines lines_of(const Submissions& submissions) {
  Lines lines;
  for (const Submission& each : submissions.all) {
    std::string line = each.student + " [" + each.identity.name + "]";
    for (const auto& [kind, id] : each.identity.ids) line += " " + kind + "=" + id;
    lines.push_back(line + ": " + (each.problem.empty() ? each.source : each.problem.text));
  }
  return lines;
}

TEST(CanvasDownload, NamesStudentsByTheirNumbersAndMarksTheLate) {
  FakeFiles files;
  files.contents = {{"/class/doeann_12345_67890_matmul.cu", "a"},
                    {"/class/doeann_12345_67891_report.pdf", "pdf"},
                    {"/class/leebob_LATE_222_333_matmul.cu", "b"},
                    {"/class/kaycy_77_text.html", "<p>see my repository"}};
  const Submissions submissions = read(files);
  EXPECT_EQ(submissions.format, "a Canvas download");
  EXPECT_EQ(
      lines_of(submissions),
      (Lines{"doeann_12345 [doeann] attachment=67890 canvas=12345: a",
             "leebob_222 [leebob] attachment=333 canvas=222: b",
             "kaycy_77 [kaycy] canvas=77: matmul.cu is missing; the folder holds text.html"}));
  EXPECT_EQ(submissions.all[0].identity.handed_in, "doeann_12345_67890_matmul.cu");
  EXPECT_FALSE(submissions.all[0].is_marked_late);
  EXPECT_TRUE(submissions.all[1].is_marked_late);
}

TEST(CanvasDownload, TakesTheLatestUploadAndListsTheOthers) {
  FakeFiles files;
  files.contents = {{"/class/doeann_1_20_matmul.cu", "first"},
                    {"/class/doeann_1_30_matmul-10.cu", "last"},
                    {"/class/doeann_1_40_matmul-2.cu", "second"}};
  const Submissions submissions = read(files);
  EXPECT_EQ(lines_of(submissions), Lines{"doeann_1 [doeann] attachment=40 canvas=1: last"});
  EXPECT_EQ(submissions.all[0].notes, (Lines{"a later upload replaces an earlier matmul.cu",
                                             "a later upload replaces an earlier matmul.cu"}));
}

TEST(CanvasDownload, IsNotSeenInDatesThatManyNamesShare) {
  FakeFiles files;
  files.contents = {{"/class/ann_2026_10_matmul.cu", "a"}, {"/class/bob_2026_10_matmul.cu", "b"}};
  EXPECT_EQ(lines_of(read(files)), (Lines{"ann_2026_10_matmul []: a", "bob_2026_10_matmul []: b"}));
}

TEST(CanvasDownload, KeepsWhatHasAnotherNameAndSaysSo) {
  FakeFiles files;
  files.contents = {{"/class/doeann_1_2_matmul.cu", "a"},
                    {"/class/leebob_3_4_matmul.cu", "b"},
                    {"/class/by mail.cu", "c"},
                    {"/class/grades.csv", "d"}};
  const Submissions submissions = read(files);
  EXPECT_EQ(lines_of(submissions).back(), "by_mail-427ae075 []: c");
  EXPECT_EQ(submissions.notes,
            Lines{"by mail.cu has another name than the rest of a Canvas download: "
                  "taken as the work of 'by mail'"});
  EXPECT_EQ(submissions.skipped, std::vector<fs::path>{"/class/grades.csv"});
}

TEST(MoodleDownload, NamesStudentsByParticipantAndKeepsTheirNames) {
  FakeFiles files;
  files.contents = {{"/class/Ana Anić_12345_assignsubmission_file_/lab/matmul.cu", "a"},
                    {"/class/Ana Anić_12345_assignsubmission_onlinetext_/onlinetext.html", "t"},
                    {"/class/Bo_b Lee_7_assignsubmission_file_matmul.cu", "b"}};
  files.folders = {"/class/Cy Kay_9_assignsubmission_file_"};
  const Submissions submissions = read(files);
  EXPECT_EQ(submissions.format, "a Moodle download");
  EXPECT_EQ(lines_of(submissions),
            (Lines{"Ana_Anic_12345 [Ana Anić] moodle=12345: a", "Bo_b_Lee_7 [Bo_b Lee] moodle=7: b",
                   "Cy_Kay_9 [Cy Kay] moodle=9: matmul.cu is missing; the folder is empty"}));
}

TEST(MoodleDownload, GivesNobodyTheFileWhoseNameIsThatOfTwo) {
  FakeFiles files;
  files.contents = {
      {"/class/Ann Lee_4711_assignsubmission_file_matmul.cu", "a"},
      {"/class/Bob_7_assignsubmission_file_Bob_7_assignsubmission_file_matmul.cu", "b"},
      {"/class/Eve_222_assignsubmission_file_Ann Lee_4711_assignsubmission_file_matmul.cu", "e"}};
  const Submissions submissions = read(files);
  const Lines lines = lines_of(submissions);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "Ann_Lee_4711 [Ann Lee] moodle=4711: a");
  EXPECT_EQ(lines[1], "Bob_7 [Bob] moodle=7: b");
  EXPECT_EQ(lines[2].substr(0, 7), "Eve_222");
  EXPECT_EQ(lines[2].find("moodle="), std::string::npos);
  EXPECT_EQ(submissions.notes.size(), 1u);
}

TEST(MoodleDownload, IsNotMadeOfACanvasDownloadByOneFilesName) {
  FakeFiles files;
  files.contents = {{"/class/annlee_1_2_matmul.cu", "a"},
                    {"/class/eve_3_4_Ann Lee_1_assignsubmission_file_matmul.cu", "e"}};
  files.contents["/class/leebob_5_6_matmul.cu"] = "b";
  const Submissions submissions = read(files);
  EXPECT_EQ(submissions.format, "a Canvas download");
  EXPECT_EQ(lines_of(submissions).size(), 3u);
}

TEST(Downloads, AreNotSeenInAStudentsOwnFolderWhoMayChooseItsNames) {
  FakeFiles files;
  files.contents = {{"/class/eve/Ann_1_assignsubmission_file_/matmul.cu", "e"}};
  EXPECT_EQ(lines_of(read(files)), Lines{"eve []: e"});
  files.contents = {{"/class/eve/annlee_1_2_matmul.cu", "e"}};
  EXPECT_EQ(lines_of(read(files)), Lines{"eve []: e"});
}

TEST(Downloads, AreSeenInTheFolderThatAnArchiveMayPutAroundThem) {
  const Listing listing =
      list_archive("/lab.zip", {{{"lab 1/Ann_1_assignsubmission_file_/matmul.cu", "a", {}}}});
  const Claims claims = read_claims(listing, ".cu", true);
  ASSERT_EQ(claims.all.size(), 1u);
  EXPECT_EQ(claims.all[0].student, "Ann_1");
  EXPECT_EQ(claims.all[0].places, std::vector<fs::path>{"lab 1/Ann_1_assignsubmission_file_"});
}

constexpr const char* kGradescope = R"(---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '30001'
    :email: ann@x.edu
  - :name: Bob Kay
    :sid:
    :email: bob@x.edu
  :created_at: 2026-10-05 21:58:11.123456000 Z
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests:
    - name: "a \n b"
      created_at: 1999-01-01 00:00:00 Z
submission_12:
  :submitters:
  - :name: Ann Lee
    :sid: '30001'
    :email: ann@x.edu
  :created_at: 2026-10-06 08:00:00.5 -07:00
submission_13:
  :submitters:
  - :name: Cy Day
    :email: cy@x.edu
  :created_at: 2026-10-01 08:00:00 Z
)";

TEST(GradescopeExport, TakesEachMembersLatestSubmissionWithItsTime) {
  FakeFiles files;
  files.contents = {{"/class/submission_metadata.yml", kGradescope},
                    {"/class/submission_11/matmul.cu", "group's"},
                    {"/class/submission_12/matmul.cu", "ann's"}};
  const Submissions submissions = read(files);
  EXPECT_EQ(submissions.format, "a Gradescope export");
  EXPECT_EQ(lines_of(submissions),
            (Lines{"30001 [Ann Lee] email=ann@x.edu gradescope=12 sis=30001: ann's",
                   "bob [Bob Kay] email=bob@x.edu gradescope=11: group's",
                   "cy [Cy Day] email=cy@x.edu gradescope=13: matmul.cu is missing; the folder is "
                   "empty"}));
  EXPECT_EQ(submissions.all[0].submitted->format(), "2026-10-06 08:00 -07:00");
  EXPECT_EQ(submissions.all[0].notes, Lines{"submission_12 replaces the earlier submission_11"});
  EXPECT_TRUE(submissions.all[0].identity.group.empty());
  EXPECT_EQ(submissions.all[1].submitted->format(), "2026-10-05 21:58:11 +00:00");
  EXPECT_EQ(submissions.all[1].identity.group, (Lines{"30001", "bob"}));
}

TEST(GradescopeExport, IsRefusedWhereItsListIsDamaged) {
  FakeFiles files;
  files.contents = {{"/class/submission_metadata.yml", "submission_1:\n  - ]\n"},
                    {"/class/submission_1/matmul.cu", "x"}};
  const Result<Submissions> damaged = read_submissions(files, "/class", "matmul.cu");
  ASSERT_FALSE(damaged.ok());
  EXPECT_TRUE(
      damaged.error().message.starts_with("/class/submission_metadata.yml:2: the list is no YAML"))
      << damaged.error().message;
  files.contents["/class/submission_metadata.yml"] = std::string(100'000, '[');
  EXPECT_EQ(read_submissions(files, "/class", "matmul.cu").error().message,
            "/class/submission_metadata.yml:1: the values are nested too deeply");
}

TEST(ClassroomClones, AreCalledAfterTheLoginBehindTheAssignment) {
  FakeFiles files;
  files.contents = {{"/class/lab-1-annlee/.git/HEAD", "x"},
                    {"/class/lab-1-annlee/matmul.cu", "a"},
                    {"/class/lab-1-bob-kay/.git/HEAD", "x"},
                    {"/class/lab-1-bob-kay/src/matmul.cu", "b"}};
  const Submissions submissions = read(files);
  EXPECT_EQ(submissions.format, "clones of GitHub Classroom's repositories lab-1-*");
  EXPECT_EQ(lines_of(submissions),
            (Lines{"annlee [] github=annlee: a", "bob-kay [] github=bob-kay: b"}));
  EXPECT_EQ(submissions.all[1].repository, "/class/lab-1-bob-kay");
}

TEST(NamePattern, TakesNamesOfAnyShapeByItsGroups) {
  const Result<NamePattern> pattern = NamePattern::parse(
      "(?<id>\\d+)-(?P<student>[a-z]+)(?:-try(?<attempt>\\d+))?(?<late>-late)?[.]cu");
  ASSERT_TRUE(pattern.ok()) << pattern.error().message;
  FakeFiles files;
  files.contents = {{"/class/7-ann.cu", "first"},
                    {"/class/7-ann-try2.cu", "second"},
                    {"/class/7-ann-try10-late.cu", "tenth"},
                    {"/class/readme.txt", "x"}};
  const Submissions submissions = read(files, &*pattern);
  EXPECT_EQ(lines_of(submissions), Lines{"ann [] id=7: tenth"});
  EXPECT_TRUE(submissions.all[0].is_marked_late);
  EXPECT_EQ(submissions.all[0].notes,
            (Lines{"7-ann-try10-late.cu replaces the earlier 7-ann.cu",
                   "7-ann-try10-late.cu replaces the earlier 7-ann-try2.cu"}));
  EXPECT_EQ(submissions.skipped, std::vector<fs::path>{"/class/readme.txt"});
}

TEST(NamePattern, IsRefusedWithWhatToWriteInstead) {
  const auto error = [](const char* text) { return NamePattern::parse(text).error().message; };
  EXPECT_EQ(error("(.*)[.]cu"),
            "--name-pattern needs a group for the student, such as '(?<student>[^/]+)/.*'");
  EXPECT_EQ(error("(?<stud>.*)"),
            "--name-pattern has no group 'stud'; its groups are attempt, id, late, name, student");
  EXPECT_TRUE(error("(?<student>[a-").starts_with("--name-pattern is no regular expression ("));
}

TEST(NamePattern, EndsSoonOnNamesThatStudentsChose) {
  const Result<NamePattern> pattern = NamePattern::parse("(?<student>(a|aa|a+)+)[.]cu");
  ASSERT_TRUE(pattern.ok());
  EXPECT_FALSE(pattern->match(std::string(200, 'a')));
}

/// Pieces that the formats are made of, and characters that mean something to a shell, a path or a terminal.
std::string hostile_name(uint32_t seed) {
  const Lines pieces = {"doe",    "_12",      "_LATE",   "_",    "345",
                        ".cu",    "matmul",   "-1",      "anon", "_assignsubmission_",
                        "file",   "\n",       "\x1b[2J", "\xff", "\xe2\x80\xae",
                        "=cmd()", "<script>", ",",       "..",   "text.html"};
  std::string name;
  for (int i = 0; i < 6; ++i) {
    seed = seed * 1664525u + 1013904223u;
    name += pieces[(seed >> 16) % pieces.size()];
  }
  return name;
}

TEST(EveryFormat, GivesEachStudentASafeNameOfItsOwn) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    FakeFiles files;
    for (uint32_t i = 0; i < 8; ++i)
      files.contents["/class/" + hostile_name(seed * 8 + i) + (i % 2 == 0 ? ".cu" : "/matmul.cu")] =
          "int x;";
    const Result<Submissions> submissions = read_submissions(files, "/class", "matmul.cu");
    if (!submissions) continue;
    std::set<std::string> students;
    for (const Submission& each : submissions->all) {
      EXPECT_TRUE(students.insert(each.student).second) << each.student;
      EXPECT_LE(each.student.size(), 64u);
      EXPECT_EQ(each.student.find_first_not_of(
                    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"),
                std::string::npos)
          << each.student;
      EXPECT_NE(each.student[0], '.');
    }
    for (const std::string& note : submissions->notes) EXPECT_EQ(note, printable(note));
  }
}

}  // namespace
}  // namespace warpgrade
