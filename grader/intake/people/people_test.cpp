// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "intake/people/name_key.h"
#include "intake/people/roster.h"
#include "intake/people/student_index.h"
#include "intake/people/table.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

TEST(NameKey, IsTheSameForComposedAndDecomposedLettersInAnyCase) {
  EXPECT_EQ(name_key("Ani\xc4\x87"), name_key("ANIC\xcc\x81"));
  EXPECT_EQ(name_key("  Ann \t Lee "), "ann lee");
  EXPECT_EQ(name_key("STRASSE"), name_key("Stra\xc3\x9f"
                                          "e"));
  // Vietnamese, with the two accents typed in either order.
  EXPECT_EQ(name_key("\xe1\xbb\x87"), name_key("e\xcc\x82\xcc\xa3"));
  EXPECT_EQ(name_key("\xea\xb9\x80"), name_key("\xe1\x84\x80\xe1\x85\xb5\xe1\x86\xb7")) << "Kim";
  EXPECT_NE(name_key("Anic"), name_key("Ani\xc4\x87"));
  EXPECT_EQ(name_key("\xff\xfe"), "\xff\xfe");
}

TEST(PersonKey, TurnsALastNameInFrontAround) {
  EXPECT_EQ(person_key("Lee, Ann"), person_key("ann LEE"));
  EXPECT_NE(person_key("Ann, Lee"), person_key("Ann Lee"));
}

TEST(AsciiName, DropsAccentsAndMakesTheRestSafe) {
  EXPECT_EQ(ascii_name("Ana Ani\xc4\x87"), "Ana_Anic");
  EXPECT_EQ(ascii_name("a/../b"), "a_.._b");
  EXPECT_EQ(ascii_name("\xe7\x8e\x8b\xe5\xb0\x8f"), "_");
}

TEST(AsciiName, WritesCyrillicAndGreekInLatinLetters) {
  EXPECT_EQ(ascii_name("Дмитрий Иванов"), "Dmitrii_Ivanov");
  EXPECT_EQ(ascii_name("Дмитри\xd0\xb8\xcc\x86"), "Dmitrii") << "decomposed";
  EXPECT_EQ(ascii_name("Щукина Юлия"), "Shchukina_Yuliya");
  EXPECT_EQ(ascii_name("Ђорђе Љубичић"), "Djordje_Ljubichic");
  EXPECT_EQ(ascii_name("Νίκος Θεοδωράκης"), "Nikos_Theodorakis");
  EXPECT_EQ(ascii_name("Łukasz Weiß Đorđević"), "Lukasz_Weiss_Dordevic");
  EXPECT_EQ(name_key("ИВАНОВ"), "иванов") << "two scripts are two spellings";
}

TEST(NumberedId, IsTheNumberAloneWhereNoLetterIsLeft) {
  EXPECT_EQ(numbered_id("Дмитрий Иванов", "70006"), "Dmitrii_Ivanov_70006");
  EXPECT_EQ(numbered_id("Bo_b Lee", "7"), "Bo_b_Lee_7");
  EXPECT_EQ(numbered_id("王小", "77"), "77");
  EXPECT_EQ(numbered_id("王 Xiao", "77"), "Xiao_77");
}

TEST(ParseTable, ReadsWhatSpreadsheetsWrite) {
  const Table table =
      parse_table("\xef\xbb\xbfName;Email\r\n\"Lee; \"\"A\"\"\nB\";a@x\r\n;\r\nBob;b@x");
  EXPECT_EQ(table.header, (Lines{"Name", "Email"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells, (Lines{"Lee; \"A\"\nB", "a@x"}));
  EXPECT_EQ(table.rows[1].line, 5);
  EXPECT_EQ(table.column({"E-mail", "EMAIL"}), 1u);
}

Submission submission(const std::string& student, Identity identity = {}) {
  Submission each{student, "/x", "int x;", {}, ""};
  each.identity = std::move(identity);
  return each;
}

TEST(Roster, IsReadFromCanvassGradebook) {
  const Result<Roster> roster = parse_roster(
      "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (99)\n"
      "    Points Possible,,,,,100\n"
      "\"Doe, Ann\",12345,s1,ann@x.edu,A,\n"
      "\"Student, Test\",9,,,A,\n",
      "grades.csv");
  ASSERT_TRUE(roster.ok()) << roster.error().message;
  ASSERT_EQ(roster->people.size(), 1u);
  EXPECT_EQ(roster->people[0].place, "grades.csv:3");
  EXPECT_EQ(roster->people[0].identity,
            (Identity{"Doe, Ann", {{"canvas", "12345"}, {"sis", "s1"}, {"login", "ann@x.edu"}}}));
}

TEST(Roster, IsReadFromMoodlesWorksheetAndFromGitHubClassroom) {
  const Result<Roster> moodle = parse_roster(
      "Identifier,Full name,ID number,Email address,Grade\nTeilnehmer/in 77,Ana "
      "Anić,s2,ana@x.edu,\n",
      "m.csv");
  ASSERT_TRUE(moodle.ok()) << moodle.error().message;
  EXPECT_EQ(moodle->people[0].identity,
            (Identity{"Ana Anić", {{"moodle", "77"}, {"sis", "s2"}, {"email", "ana@x.edu"}}}));
  const Result<Roster> github = parse_roster(
      "\"identifier\",\"github_username\",\"github_id\",\"name\"\nann,al99,4,\n", "c.csv");
  ASSERT_TRUE(github.ok()) << github.error().message;
  EXPECT_EQ(github->people[0].student, "ann");
  EXPECT_EQ(github->people[0].identity.ids.at("github"), "al99");
}

TEST(Roster, IsRefusedWhereNoColumnNamesAStudent) {
  EXPECT_EQ(
      parse_roster("a,b\n1,2\n", "r.csv").error().message,
      "r.csv:1: no column names the student; call one 'student', 'name' or 'email' (its columns "
      "are a, b)");
  EXPECT_EQ(parse_roster("student\n", "r.csv").error().message,
            "r.csv: the roster lists no student");
  EXPECT_EQ(parse_roster("student\n\xff\n", "r.csv").error().message,
            "r.csv:1: the file is not UTF-8 text; save it as \"CSV UTF-8\"");
}

TEST(MatchRoster, CountsAndListsEverybodyAndFillsNamesAndIds) {
  const Result<Roster> roster = parse_roster(
      "student,name,email,canvas\nann,Ann Lee,ann@x.edu,1\nbob,Bob Kay,bob@x.edu,2\ncy,Cy "
      "Day,cy@x.edu,3\n"
      "d1,Di Roe,,4\nd2,Di Roe,,5\n",
      "r.csv");
  std::vector<Submission> class_of = {submission("leeann_1", {"leeann", {{"canvas", "1"}}}),
                                      submission("BOB"), submission("bob-2", {"bob kay", {}}),
                                      submission("x", {"DI ROE", {}}), submission("zoe")};
  const RosterMatch match = match_roster(*roster, class_of);
  EXPECT_EQ(class_of[0].identity,
            (Identity{"Ann Lee", {{"canvas", "1"}, {"email", "ann@x.edu"}, {"student", "ann"}}}));
  EXPECT_EQ(match.format(*roster),
            "2 of 5 students on r.csv handed in\n"
            "  Cy Day (r.csv:4) handed nothing in\n"
            "  Di Roe (r.csv:5) handed nothing in\n"
            "  Di Roe (r.csv:6) handed nothing in\n"
            "  x may be Di Roe (r.csv:5) or Di Roe (r.csv:6)\n"
            "  zoe is not on the roster\n"
            "  BOB, bob-2 are all submissions of Bob Kay (r.csv:3)\n");
}

TEST(StudentIndex, FindsStudentsByIdOrNameWhereOneAloneIsMeant) {
  const StudentIndex index(
      {submission("ann_1", {"Lee, Ann", {{"canvas", "1"}, {"email", "ann@x.edu"}}}),
       submission("bo_2", {"Bo Kay", {{"canvas", "2"}}}),
       submission("bo_3", {"Bo Kay", {{"canvas", "3"}}})});
  EXPECT_EQ(index.find("ann_1"), Lines{"ann_1"});
  EXPECT_EQ(index.find("ANN@x.edu"), Lines{"ann_1"});
  EXPECT_EQ(index.find("ann lee"), Lines{"ann_1"});
  EXPECT_EQ(index.find("3"), Lines{"bo_3"});
  EXPECT_EQ(index.find("Kay, Bo"), (Lines{"bo_2", "bo_3"}));
  EXPECT_TRUE(index.find("nobody").empty());
}

}  // namespace
}  // namespace warpgrade
