// SPDX-License-Identifier: MIT
#include "report/formats/lms_sheet.h"

#include <gtest/gtest.h>

#include "report/formats/sample_results.h"
#include "report/formats/sheet.h"

namespace warpgrade {
namespace {

using Lines = std::vector<std::string>;

SubmissionResult known_as(SubmissionResult result, const std::string& kind, const std::string& id) {
  result.identity.ids[kind] = id;
  return result;
}

SubmissionResult named(SubmissionResult result, const std::string& name) {
  result.identity.name = name;
  return result;
}

FilledSheet fill(const std::string& bytes, const std::vector<SubmissionResult>& results,
                 SheetRequest request) {
  request.name = "sheet.csv";
  const Result<FilledSheet> filled = fill_sheet(bytes, results, request);
  EXPECT_TRUE(filled.ok()) << filled.error().message;
  return filled ? *filled : FilledSheet();
}

std::string error_of(const std::string& bytes, const std::vector<SubmissionResult>& results,
                     SheetRequest request) {
  request.name = "sheet.csv";
  const Result<FilledSheet> filled = fill_sheet(bytes, results, request);
  return filled ? "" : filled.error().message;
}

const std::string kCanvasHead =
    "\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Lab 1 (12345),Lab 2 (12346),Current "
    "Score\r\n"
    "    Points Possible,,,,,100,50,(read only)\r\n";

TEST(FilledSheet, IsSummedUpInWords) {
  FilledSheet filled;
  filled.column = "Grade";
  filled.filled = 11;
  EXPECT_EQ(describe(filled, "w.csv"),
            "w.csv: 11 scores in the column 'Grade'; every result is in the sheet");
  filled.unplaced = {"ann: no row"};
  EXPECT_EQ(describe(filled, "w.csv"),
            "w.csv: 11 scores in the column 'Grade'; 1 result not in the sheet");
}

TEST(Sheet, GivesBackEveryByteThatNobodyFilled) {
  for (const std::string bytes : {"a,b\n1,2\n", "a;b\r\n\"1\";\"2;\"\"3\"\r\n",
                                  "\xef\xbb\xbf"
                                  "a\tb\r\n=1\t\"x\ny\"",
                                  "a\n\n,\n"}) {
    const Result<Sheet> sheet = Sheet::parse(bytes, "x");
    ASSERT_TRUE(sheet.ok());
    EXPECT_EQ(sheet->bytes(), bytes);
  }
}

/// Every text of up to `length` signs that matter.
std::vector<std::string> short_texts(size_t length) {
  std::vector<std::string> all = {""};
  for (size_t begin = 0; length > 0; --length) {
    const size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const char c : std::string_view("a,\"\n\r")) all.push_back(all[begin] + c);
    }
  }
  return all;
}

TEST(Sheet, ChangesNoOtherCellWhateverTheFileIs) {
  for (const std::string& text : short_texts(5)) {
    Result<Sheet> sheet = Sheet::parse("x,y\n" + text, "x");
    if (!sheet) continue;
    ASSERT_EQ(sheet->bytes(), "x,y\n" + text);
    if (!sheet->fill(1, 0, "7")) continue;
    const Result<Sheet> again = Sheet::parse(sheet->bytes(), "x");
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->rows().size(), sheet->rows().size()) << sheet->bytes();
    for (size_t row = 0; row < again->rows().size(); ++row) {
      for (size_t column = 0; column < again->rows()[row].size(); ++column)
        ASSERT_EQ(again->text(row, column), sheet->text(row, column)) << sheet->bytes();
    }
  }
}

TEST(Sheet, ReadsQuotedCellsWithSeparatorsLineEndsAndQuotes) {
  const Result<Sheet> sheet = Sheet::parse("n;v\r\n\"An;a \"\"x\"\"\nB\";1\r\n", "x");
  ASSERT_TRUE(sheet.ok());
  ASSERT_EQ(sheet->rows().size(), 2u);
  EXPECT_EQ(sheet->text(1, 0), "An;a \"x\"\nB");
  EXPECT_EQ(sheet->text(1, 1), "1");
  EXPECT_EQ(sheet->text(1, 2), "");
}

TEST(Sheet, RefusesAFileThatIsCutOffOrNoText) {
  EXPECT_EQ(Sheet::parse("a,b\n1,\"2", "x.csv").error().message,
            "x.csv: the quote that opens in row 2 is never closed: the file is cut off");
  EXPECT_EQ(
      Sheet::parse(std::string("a\0b\0", 4), "x.csv").error().message,
      "x.csv is no CSV file in UTF-8: take the file as the LMS gives it, before a spreadsheet "
      "has saved it");
  EXPECT_EQ(Sheet::parse("", "x.csv").error().message, "x.csv is empty");
}

TEST(FillSheet, ChangesOneColumnOfACanvasGradebookAndNoOtherByte) {
  const std::string before = kCanvasHead +
                             "\"Ani\xc4\x87, Ana\",1001,u1,ana@x.edu,CS,,7,70\r\n"
                             "\"=cmd(), Bob\",1002,u2,bob@x.edu,CS,\"55\",,\r\n"
                             "\"Student, Test\",1009,,deadbeef,CS,,,\r\n";
  const std::string after = kCanvasHead +
                            "\"Ani\xc4\x87, Ana\",1001,u1,ana@x.edu,CS,87.5,7,70\r\n"
                            "\"=cmd(), Bob\",1002,u2,bob@x.edu,CS,\"60\",,\r\n"
                            "\"Student, Test\",1009,,deadbeef,CS,,,\r\n";
  const FilledSheet filled =
      fill(before,
           {known_as(sample_result("anicana", 87.5), "canvas", "1001"), sample_result("bob", 60)},
           {Lms::kCanvas, "", "Lab 1"});
  EXPECT_EQ(filled.bytes, after);
  EXPECT_EQ(filled.filled, 2u);
  EXPECT_EQ(filled.column, "Lab 1 (12345)");
  EXPECT_EQ(filled.unplaced, Lines());
  EXPECT_EQ(filled.notes, (Lines{"bob: 60 replaces 55", "row 5, Student, Test: no result"}));
}

TEST(FillSheet, LeavesExcusedUngradedAndUnknownStudentsAlone) {
  const std::string sheet = kCanvasHead + "Ana,1001,,ana,CS,EX,,\r\nBob,1002,,bob,CS,,,\r\n";
  const FilledSheet filled =
      fill(sheet, {sample_result("ana", 90), ungraded_result("bob"), sample_result("eve", 10)},
           {Lms::kCanvas, "", "12345"});
  EXPECT_EQ(filled.bytes, sheet);
  EXPECT_EQ(filled.unplaced, (Lines{"ana: excused in the sheet (EX), which stays",
                                    "bob: could not be graded, which is no 0", "eve: no row"}));
}

TEST(FillSheet, LeavesNamesThatFitSeveralRowsOrResultsEmpty) {
  const std::string sheet = kCanvasHead +
                            "\"Smith, Ann\",1001,,a1,CS,,,\r\n\"Smith, Ann\",1002,,a2,CS,,,\r\n"
                            "\"Jones, Tom\",1003,,t1,CS,,,\r\n";
  const FilledSheet filled =
      fill(sheet,
           {named(sample_result("x", 90), "Ann Smith"), named(sample_result("y", 80), "Tom Jones"),
            named(sample_result("z", 70), "tom  jones")},
           {Lms::kCanvas, "", "Lab 1"});
  EXPECT_EQ(filled.bytes, sheet);
  EXPECT_EQ(filled.unplaced, (Lines{"x: the name fits row 3 and row 4",
                                    "y: the name fits row 5 and so does that of z",
                                    "z: the name fits row 5 and so does that of y"}));
}

TEST(FillSheet, LetsNoNameStandAgainstTheIdOfTheLms) {
  const std::string sheet = kCanvasHead + "Bob Best,1002,,bob,CS,,,\r\n";
  const FilledSheet filled =
      fill(sheet, {named(known_as(sample_result("bob", 10), "canvas", "1001"), "Bob Best")},
           {Lms::kCanvas, "", "Lab 1"});
  EXPECT_EQ(filled.bytes, sheet);
  EXPECT_EQ(filled.unplaced, Lines{"bob: no row"});
}

TEST(FillSheet, GivesEachMemberOfAGroupItsScore) {
  SubmissionResult group = known_as(sample_result("ana", 75), "canvas", "1001");
  group.identity.group = {"ana", "bob"};
  const FilledSheet filled = fill(kCanvasHead + "Ana,1001,,ana,CS,,,\r\nBob,1002,,bob,CS,,,\r\n",
                                  {group}, {Lms::kCanvas, "", "Lab 1"});
  EXPECT_EQ(filled.bytes, kCanvasHead + "Ana,1001,,ana,CS,75,,\r\nBob,1002,,bob,CS,75,,\r\n");
  EXPECT_EQ(filled.unplaced, Lines());
}

TEST(FillSheet, AsksForAColumnWhereSeveralFit) {
  const std::string sheet = kCanvasHead + "Ana,1001,,ana,CS,,,\r\n";
  EXPECT_EQ(error_of(sheet, {}, {Lms::kCanvas, ""}),
            "sheet.csv: name the assignment's column with --column: 'Lab 1 (12345)', 'Lab 2 "
            "(12346)'");
  EXPECT_EQ(error_of(sheet, {}, {Lms::kCanvas, "", "Lab 3"}),
            "sheet.csv: nothing is called 'Lab 3' as an assignment's column: 'Lab 1 (12345)', 'Lab "
            "2 (12346)'");
  EXPECT_NE(error_of(sheet, {}, {Lms::kCanvas, "", "ID"}), "");
}

TEST(FillSheet, RefusesOtherPointsThanTheRubricsUnlessItMayConvert) {
  const std::string sheet = kCanvasHead + "Ana,1001,,ana,CS,,,\r\n";
  const std::vector<SubmissionResult> results = {sample_result("ana", 85)};
  EXPECT_EQ(error_of(sheet, results, {Lms::kCanvas, "", "Lab 2"}),
            "sheet.csv gives 50 points for 'Lab 2 (12346)', and the rubric 100: set 100 points in "
            "the LMS and export the sheet again, or let --scale convert the scores");
  EXPECT_EQ(fill(sheet, results, {Lms::kCanvas, "", "Lab 2", true}).bytes,
            kCanvasHead + "Ana,1001,,ana,CS,,42.5,\r\n");
}

TEST(FillSheet, FillsAMoodleWorksheetInAnyLanguageByParticipant) {
  const std::string head = "Identificativo,Nome completo,Indirizzo email,Voto,Ultima modifica\n";
  const FilledSheet filled =
      fill(head +
               "Partecipante 31,\"Ana Ani\xc4\x87\",ana@x.edu,-,\"lunedi, 3\"\n"
               "Partecipante 32,Bob,bob@x.edu,,-\n",
           {known_as(sample_result("Ana", 87.25), "moodle", "31"),
            known_as(sample_result("b", 60), "email", "BOB@x.edu")},
           {Lms::kMoodle, "", "Voto"});
  EXPECT_EQ(filled.bytes, head +
                              "Partecipante 31,\"Ana Ani\xc4\x87\",ana@x.edu,87.25,\"lunedi, 3\"\n"
                              "Partecipante 32,Bob,bob@x.edu,60,-\n");
  EXPECT_EQ(filled.notes, Lines());
}

TEST(FillSheet, FillsAMoodleGradebookWithDecimalCommas) {
  const std::string head =
      "First name;Surname;Email address;Quiz (Real);Assignment: vecadd (Real);Course total "
      "(Real)\n";
  EXPECT_EQ(fill(head + "Ana;Anic;ana@x.edu;7,5;-;80\n", {sample_result("ana", 62.5)},
                 {Lms::kMoodle, "", "Assignment: vecadd"})
                .bytes,
            head + "Ana;Anic;ana@x.edu;7,5;62,5;80\n");
  EXPECT_EQ(error_of(head + "Ana;Anic;ana@x.edu;7,5;-;80\n", {}, {Lms::kMoodle, ""}),
            "sheet.csv: name the assignment's column with --column: 'Quiz (Real)', 'Assignment: "
            "vecadd (Real)'");
}

TEST(FillSheet, SaysWhichSheetItWantsWhereItGotAnother) {
  EXPECT_EQ(
      error_of("a,b\n1,2\n", {}, {Lms::kCanvas, ""}),
      "sheet.csv is no gradebook of Canvas: the first line has no columns 'ID' and 'Section'. "
      "Export it in Canvas by Grades, Export, Export Entire Gradebook, with English as your "
      "language");
  EXPECT_EQ(
      error_of("a,b\n1,2\n", {}, {Lms::kMoodle, ""}),
      "sheet.csv is no sheet of Moodle: it has neither a column of 'Participant 123' nor one "
      "of e-mail addresses. Take the assignment's grading worksheet, or the gradebook exported "
      "as plain text");
  EXPECT_EQ(error_of(kCanvasHead, {}, {Lms::kCanvas, ""}), "sheet.csv has no row of a student");
}

}  // namespace
}  // namespace warpgrade
