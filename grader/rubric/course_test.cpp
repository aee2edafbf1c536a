// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

#include "rubric/rubric.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

std::string rubric_text(const std::string& slug, const std::string& more = "") {
  return "assignment: " + slug + "\ntitle: A\nsubmission: a.cu\n" + more +
         "cases: [{id: s, family: i, args: {n: 17}}]\n"
         "items: [{id: b, title: B, kind: build, points: 100}]\n";
}

FakeFiles course_files() {
  FakeFiles files;
  files.contents = {
      {"rubrics/course.yaml",
       "devices: [H100]\nlimits: {wall_s: 20, memory_mb: 512}\n"
       "late: {points_per_day: 10, grace_minutes: 15}\n"
       "assignments:\n  - {slug: transpose}\n  - {slug: sum, weight: 2, due: 2026-10-05 23:59 "
       "Z}\n"},
      {"rubrics/sum.yaml", rubric_text("sum",
                                       "limits: {wall_s: 5}\n"
                                       "late: {curve: {interpolation: linear, points: [[0, "
                                       "1], [7, 0]]}}\n")},
      {"rubrics/transpose.yaml", rubric_text("transpose", "devices: [T4]\n")},
      {"rubrics/extra.yaml", rubric_text("extra")}};
  return files;
}

TEST(Course, HoldsForEachRubricWhereThatIsSilent) {
  const FakeFiles files = course_files();
  const Result<Rubric> sum = read_rubric(files, "rubrics/sum.yaml");
  ASSERT_TRUE(sum.ok()) << sum.error().message;
  EXPECT_EQ(sum->limits.wall_s, 5);
  EXPECT_EQ(sum->limits.memory_mb, 512);
  EXPECT_EQ(sum->limits.processes, 64);
  EXPECT_EQ(sum->devices, std::vector<std::string>{"H100"});
  EXPECT_EQ(sum->cases[0].devices, std::vector<std::string>{"H100"});
  EXPECT_EQ(sum->weight, 2);
  EXPECT_EQ(sum->late.due->format(), "2026-10-05 23:59 +00:00");
  EXPECT_EQ(sum->late.grace_minutes, 15);
  EXPECT_TRUE(sum->late.curve.has_value());
  EXPECT_EQ(sum->late.points_per_day, 0) << "a curve replaces it";
  EXPECT_EQ(sum->origins.at("limits.wall_s"), SettingOrigin::kRubric);
  EXPECT_EQ(sum->origins.at("limits.memory_mb"), SettingOrigin::kCourse);
  EXPECT_EQ(sum->origins.count("limits.processes"), 0u);
  EXPECT_EQ(read_rubric(files, "rubrics/transpose.yaml")->devices, std::vector<std::string>{"T4"});
}

TEST(Course, KnowsWhereAnExtensionStandsAndThatItsAssignmentExists) {
  FakeFiles files = course_files();
  std::string& text = files.contents.at("rubrics/course.yaml");
  const std::string late = "late: {points_per_day: 10, grace_minutes: 15}\n";
  text.replace(text.find(late), late.size(),
               "late:\n  extensions:\n    - {student: anna, days: 7}\n"
               "    - {student: boris, assignment: transpose, days: 7}\n");
  const Result<Course> course = read_course(files, "rubrics");
  ASSERT_TRUE(course.ok()) << course.error().message;
  ASSERT_EQ(course->late.extensions.size(), 2u);
  EXPECT_EQ(course->late.extensions[1].place, "rubrics/course.yaml:6");
  text.replace(text.find("assignment: transpose"), 21, "assignment: tranpsose");
  EXPECT_EQ(read_course(files, "rubrics").error().message,
            "rubrics/course.yaml:6:36: error: there is no assignment 'tranpsose'; did you mean "
            "'transpose'?\n    - {student: boris, assignment: tranpsose, days: 7}\n"
            "                                   ^\n");
}

TEST(Course, NamesTheLineOfTheFirstOfTwoEntries) {
  EXPECT_EQ(parse_course("assignments:\n  - {slug: a}\n  - {slug: b}\n  - {slug: a}\n", "c.yaml")
                .error()
                .message,
            "c.yaml:4:12: error: 'a' is listed in line 2 already; remove one of them\n"
            "  - {slug: a}\n           ^\n");
}

TEST(Course, IsNotNeeded) {
  FakeFiles files = course_files();
  files.contents.erase("rubrics/course.yaml");
  const Result<Rubric> rubric = read_rubric(files, "rubrics/extra.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->devices, std::vector<std::string>{"RTX 3090"});
  EXPECT_FALSE(rubric->late.due.has_value());
}

TEST(Course, OrdersTheAssignments) {
  EXPECT_EQ(assignments_of(course_files(), "rubrics"),
            (std::vector<std::string>{"transpose", "sum", "extra"}));
}

TEST(Course, TellsOfAnAssignmentWithoutARubric) {
  FakeFiles files = course_files();
  files.contents["rubrics/course.yaml"] = "assignments:\n  - {slug: tranpose}\n";
  const std::vector<Mistake> mistakes = lint(files, "rubrics/course.yaml");
  EXPECT_EQ(format_text(mistakes),
            "rubrics/course.yaml:2:12: error: there is no tranpose.yaml beside this file; did you "
            "mean 'transpose'?\n"
            "  - {slug: tranpose}\n"
            "           ^\n");
  EXPECT_EQ(read_rubric(files, "rubrics/sum.yaml").error().message, format_text(mistakes))
      << "nothing is graded by settings that are wrong";
}

TEST(Lint, GivesEditorsEveryMistakeAsJson) {
  FakeFiles files;
  files.contents = {{"a.yaml", "assignment: a\ntitle: 7\nsubmission: a.cu\ncases: []\n"}};
  EXPECT_EQ(format_json(lint(files, "a.yaml")), R"([
  {
    "file": "a.yaml",
    "line": 1,
    "column": 1,
    "severity": "error",
    "message": "the rubric has no 'items'; add 'items:' with a list of at least one",
    "source": "assignment: a"
  },
  {
    "file": "a.yaml",
    "line": 2,
    "column": 8,
    "severity": "error",
    "message": "'7' is a number; to make it a text, put it into quotes",
    "source": "title: 7"
  },
  {
    "file": "a.yaml",
    "line": 4,
    "column": 8,
    "severity": "error",
    "message": "'cases' must be a list of at least one, not an empty list",
    "source": "cases: []"
  }
]
)");
  EXPECT_EQ(format_json({}), "[]\n");
}

TEST(ReadRubric, TakesNoSecondForAsManyFormulasAndCasesAsAFileMayHave) {
  std::string text = "assignment: a\ntitle: A\nsubmission: a.cu\ncases:\n";
  for (int i = 0; i < 256; ++i)
    text += fmt::format("  - {{id: c{}, family: i, args: {{n: 9}}}}\n", i);
  text += "items:\n  - {id: r, title: R, kind: requirement, points: 100, cases: all, rules: [";
  for (int i = 0; i < 25; ++i) {
    text += "{block: {range: r, x: [n";
    for (int j = 0; j < 255; ++j) text += ", n*2+1";
    text += "]}}, ";
  }
  text += "]}\n";
  const std::clock_t start = std::clock();
  const Result<Rubric> rubric = parse_rubric(text, "a.yaml");
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
  EXPECT_TRUE(rubric.ok()) << rubric.error().message;
}

TEST(Lint, CountsColumnsInCharacters) {
  FakeFiles files;
  files.contents = {{"a.yaml", "assignment: a\ntitle: {\xc3\xa4: @}\n"}};
  const std::vector<Mistake> mistakes = lint(files, "a.yaml");
  ASSERT_EQ(mistakes.size(), 1u);
  EXPECT_EQ(mistakes[0].line, 2);
  EXPECT_EQ(mistakes[0].column, 12);
}

}  // namespace
}  // namespace warpgrade
