// SPDX-License-Identifier: MIT
#include "report/student_test.h"

#include <gtest/gtest.h>

#include "report/sample_results.h"

namespace warpgrade {
namespace {

ItemResult item(const char* id, double points, double most, Outcome status, const char* message) {
  ItemResult made;
  made.id = id;
  made.title = std::string("The item ") + id;
  made.points = points;
  made.max_points = most;
  made.status = status;
  made.message = message;
  made.case_id = case_quoted_in(made.message);
  return made;
}

SubmissionResult failing() {
  SubmissionResult result;
  result.assignment = "vecadd";
  result.student = "you";
  result.score = 10;
  result.max_score = 50;
  result.items = {
      item("a", 10, 10, Outcome::kPassed, ""),
      item("b", 0, 20, Outcome::kFailed, "case 'edge': C is wrong\nHint: the last block"),
      item("c", 0, 20, Outcome::kFailed, "case 'edge': D is wrong")};
  Finding finding;
  finding.checker = "memory";
  finding.message = "reads past the end";
  finding.kernel = "add(float*)";
  finding.file = "vecadd.cu";
  finding.line = 2;
  result.findings = {{"edge", finding}};
  return result;
}

TestView view() {
  TestView made;
  made.source = "first\n  c[i] = a[i];\nthird\n";
  made.command = "warpgrade test vecadd";
  made.printed = {{"whole", "not this"}, {"edge", "n is 7\n\x1b[31mred\n"}};
  return made;
}

TEST(FormatTest, EndsWithWhatToLookAtFirstAndItsLineOfTheSource) {
  EXPECT_EQ(format_test(failing(), view()),
            "vecadd, you: 10 of 50\n"
            "passed  1 item, 10 points\n"
            "failed    0/20  The item b\n"
            "failed    0/20  The item c\n"
            "                case 'edge': D is wrong\n"
            "\n"
            "Your program printed in case 'edge'\n"
            "  n is 7\n"
            "  \\x1b[31mred\n"
            "\n"
            "Look here first\n"
            "  The item b\n"
            "    case 'edge': C is wrong\n"
            "    Hint: the last block\n"
            "  vecadd.cu:2: reads past the end (checker memory, case 'edge')\n"
            "     2 | c[i] = a[i];\n"
            "\n"
            "This case alone, with all that it prints: warpgrade test vecadd edge\n"
            "Every reason in full: warpgrade test vecadd --full\n");
}

TEST(FormatTest, ShowsThePassageOfTheHandoutThatTellsWhatTheItemAsks) {
  TestView asked = view();
  asked.handout = handout_passages("<!-- items: b -->\nEach element of C is the sum.\n");
  EXPECT_NE(format_test(failing(), asked)
                .find("     2 | c[i] = a[i];\n"
                      "  The handout says\n"
                      "    Each element of C is the sum.\n\n"),
            std::string::npos);
}

TEST(FormatTest, ShowsThePassageOfTheConditionThatFailedByTheSameFinding) {
  SubmissionResult result = failing();
  result.findings[0].finding.message = "races";
  const std::string key = result.findings[0].finding.key();
  result.items[1].because = {"because.finding", {{"finding", key}}, "races"};
  result.items.push_back(item("free", 0, 0, Outcome::kFailed, "case 'edge': races"));
  result.items.back().reason = {"findings.some", {{"finding", key}}, "races"};
  TestView asked = view();
  asked.handout = handout_passages(
      "<!-- items: b -->\nThe sums meet.\n\n<!-- items: free -->\nA barrier stands between.\n");
  const auto says = [&](const char* text) {
    return format_test(result, asked).find(std::string("says\n    ") + text) != std::string::npos;
  };
  EXPECT_TRUE(says("A barrier stands between.\n"));
  result.items.back().reason = {"findings.some", {{"finding", "another"}}, "races"};
  EXPECT_TRUE(says("The sums meet.\n"));
}

TEST(FormatTest, EndsALongPassageWithItsLastWholeSentenceThatFits) {
  TestView asked = view();
  std::string text = "<!-- items: b -->\nA whole sentence.";
  for (int i = 0; i < 100; ++i) text += " The other sentence";
  asked.handout = handout_passages(text);
  EXPECT_NE(format_test(failing(), asked).find("says\n    A whole sentence.\n\n"),
            std::string::npos);
}

TEST(FormatTest, PutsFirstWhatCostsMostWithAllThatIsLostThroughIt) {
  SubmissionResult result = failing();
  result.items[1].max_points = 1;
  result.items.push_back(item("d", 0, 20, Outcome::kFailed, "needs c"));
  result.items.back().cause = "c";
  const auto first = [&] {
    const std::string text = format_test(result, view());
    return text.substr(text.find("Look here first"), 29);
  };
  EXPECT_EQ(first(), "Look here first\n  The item c\n");
  result.items[1].max_points = 40;
  EXPECT_EQ(first(), "Look here first\n  The item b\n") << "as much as the other, and earlier";
}

TEST(FormatTest, ShowsAllThatIsPrintedInNamedCasesAndTheEndOfOthers) {
  TestView asked = view();
  asked.printed = {{"edge", "1\n2\n3\n4\n5\n6\n7\n8\n"}};
  EXPECT_NE(format_test(failing(), asked).find("(the last 6 of 8 lines)\n  3\n"),
            std::string::npos);
  asked.has_named_cases = true;
  EXPECT_NE(format_test(failing(), asked).find("in case 'edge'\n  1\n"), std::string::npos);
}

TEST(FormatTest, ShowsTheFirstErrorOfTheCompilerLast) {
  SubmissionResult result = failing();
  ItemResult build = item("builds", 0, 0, Outcome::kFailed, "does not build");
  build.kind = ItemKind::kBuild;
  result.items.insert(result.items.begin(), build);
  result.diagnostics =
      "vecadd.cu:1: warning: unused\nvecadd.cu:2: error: expected a \";\"\nvecadd.cu:3: error: b\n"
      "vecadd.cu:3: error: c\nvecadd.cu:3: error: d\n";
  EXPECT_EQ(format_test(result, view()),
            "vecadd, you: 10 of 50\n"
            "does not build\n"
            "  4 errors; these come first, and others may follow from them\n"
            "  vecadd.cu:3: error: c\n"
            "     3 | third\n"
            "  vecadd.cu:3: error: b\n"
            "     3 | third\n"
            "  vecadd.cu:2: error: expected a \";\"\n"
            "     2 | c[i] = a[i];\n");
}

TEST(FormatTest, WrapsAtTheTerminalsWidth) {
  SubmissionResult result = failing();
  result.items[1].message = "case 'edge': " + std::string(20, 'x') + " " + std::string(30, 'y');
  TestView narrow = view();
  narrow.columns = 40;
  for (const std::string& line : {std::string("    case 'edge': xxxxxxxxxxxxxxxxxxxx\n    yyyy")})
    EXPECT_NE(format_test(result, narrow).find(line), std::string::npos);
}

TEST(FormatTest, ColoursOnlyWhereAsked) {
  EXPECT_EQ(format_test(failing(), view()).find('\x1b'), std::string::npos);
  TestView coloured = view();
  coloured.colour = Colour::kAlways;
  EXPECT_NE(format_test(failing(), coloured).find("\x1b[31mfailed\x1b[0m"), std::string::npos);
}

TEST(FormatTest, ShowsSpeedsAndWhatWaitsForAGpu) {
  SubmissionResult result = failing();
  result.items = {item("a", 20, 20, Outcome::kPassed, "3 times as fast as 'naive'"),
                  item("b", 0, 20, Outcome::kPending, "waits to be timed on a GPU")};
  result.items[0].kind = result.items[1].kind = ItemKind::kPerformance;
  result.provisional = true;
  EXPECT_EQ(format_test(result, view()),
            "vecadd, you: 10 of 50, provisional\n"
            "passed  2 items, 20 points\n"
            "passed   20/20  The item a\n"
            "                3 times as fast as 'naive'\n"
            "waits     0/20  The item b\n"
            "                waits to be timed on a GPU\n");
}

TEST(FormatTest, CallsNothingFailedThatTheMachineCouldNotJudge) {
  SubmissionResult result = failing();
  result.findings.clear();
  result.items.clear();
  for (const char* const id : {"a", "b", "c", "d", "e", "f", "g"})
    result.items.push_back(
        item(id, 0, 10, Outcome::kSystemError, "oracle-vecadd cannot be started"));
  const std::string text = format_test(result, view());
  EXPECT_NE(text.find("not judged    -/10  The item a\n"), std::string::npos) << text;
  EXPECT_NE(text.find("        1 more could not be judged\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("failed"), std::string::npos) << text;
}

TEST(FormatTest, ListsAConditionThatCostsOthersAndCountsAnyOther) {
  SubmissionResult result = failing();
  result.items.push_back(item("condition", 0, 0, Outcome::kFailed, "case 'edge': one adds all"));
  EXPECT_NE(format_test(result, view()).find("        1 more failed\n"), std::string::npos);
  result.items[2].cause = "condition";
  const std::string text = format_test(result, view());
  EXPECT_NE(text.find("failed     0/0  The item condition\n"
                      "                case 'edge': one adds all\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("more failed"), std::string::npos) << text;
}

TEST(FormatTest, IsShortWhereAllPassed) {
  SubmissionResult result = failing();
  result.items = {item("a", 50, 50, Outcome::kPassed, "")};
  result.score = 50;
  result.findings.clear();
  EXPECT_EQ(format_test(result, view()),
            "vecadd, you: 50 of 50\npassed  1 item, 50 points\n"
            "        0 problems found by the checkers\n");
  result.items.push_back(item("speed", 0, 10, Outcome::kPending, "waits"));
  EXPECT_NE(format_test(result, view()).find("0 problems"), std::string::npos);
  result.findings.emplace_back();
  EXPECT_EQ(format_test(result, view()).find("0 problems"), std::string::npos);
}

SubmissionResult failing_at(const std::string& item_id, const std::vector<bool>& wrong) {
  SubmissionResult result = failing();
  result.wrong_outputs = {{"edge", item_id, make_wrong_map("C", 4, wrong)}};
  return result;
}

TEST(FormatTest, DrawsWhereTheOutputOfTheFirstFailureIsWrong) {
  const std::vector<bool> last_row = {false, false, false, false, true, true, true, true};
  EXPECT_NE(format_test(failing_at("b", last_row), view())
                .find("    Wrong in C: all of the last row, 1 ('.' right, '#' wrong, a digit for "
                      "tenths between)\n      ....\n      ####\n"),
            std::string::npos);
  EXPECT_EQ(format_test(failing_at("c", last_row), view()), format_test(failing(), view()));
}

TEST(FormatTest, DrawsNothingOfAnOutputThatIsAllWrong) {
  EXPECT_EQ(format_test(failing_at("b", std::vector<bool>(8, true)), view()),
            format_test(failing(), view()));
}

}  // namespace
}  // namespace warpgrade
