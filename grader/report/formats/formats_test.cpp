// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/class_status.h"
#include "report/formats/github.h"
#include "report/formats/grade_sheet.h"
#include "report/formats/gradescope.h"
#include "report/formats/junit.h"
#include "report/formats/moodle_feedback.h"
#include "report/formats/problem_lines.h"
#include "report/formats/sample_results.h"
#include "report/formats/sarif.h"

namespace warpgrade {
namespace {

using Json = nlohmann::json;

/// A hidden case's name, its numbers and what it found.
void expect_no_secret(const std::string& text) {
  for (const char* secret : {"secret-17", "4242", "wrong.value"})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in:\n" << text;
}

SubmissionResult with_findings(SubmissionResult result) {
  result.findings = {sample_finding("open"), sample_finding("open"), sample_finding("secret-17")};
  result.findings[2].finding.message = "of case secret-17: 4242";
  result.findings[2].finding.line = 99;
  result.speeds = {{"speed", "open", 1.5, {}}, {"speed", "secret-17", 9.5, 8.5}};
  return result;
}

TEST(Gradescope, WritesEachItemAsATestWithoutWhatIsHidden) {
  const Result<std::string> text =
      format_gradescope(with_findings(sample_result("ana", 75)), {"after_due_date", true, {}});
  ASSERT_TRUE(text.ok());
  expect_no_secret(*text);
  const Json json = Json::parse(*text);
  EXPECT_EQ(json["score"], 75);
  ASSERT_EQ(json["tests"].size(), 2u);
  EXPECT_EQ(json["tests"][0]["status"], "passed");
  EXPECT_EQ(json["tests"][0]["visibility"], "visible");
  EXPECT_EQ(json["tests"][1],
            Json::parse(R"({"name": "Odd sizes", "name_format": "text", "status": "failed",
              "score": 15.0, "max_score": 40.0, "output": "1 hidden case: the result is wrong",
              "output_format": "text", "visibility": "after_due_date"})"));
  EXPECT_EQ(json["leaderboard"], Json::parse(R"([{"name": "Score", "value": 75.0},
                            {"name": "speed, case open", "value": 1.5}])"));
  EXPECT_EQ(json["extra_data"]["warpgrade"]["best"], 75);
  EXPECT_EQ(json["stdout_visibility"], "hidden");
}

TEST(Gradescope, GivesNoScoreForAFailureOfTheMachine) {
  const Result<std::string> text = format_gradescope(ungraded_result("ana"), {});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message,
            "ana could not be graded, and a failure of the machine is no score");
}

TEST(Gradescope, KeepsTheBestOfEarlierSubmissions) {
  const SubmissionResult result = sample_result("ana", 75);
  const auto best = [&](const std::string& earlier) {
    const Result<std::optional<double>> found =
        best_earlier_score(R"({"previous_submissions": [)" + earlier + "]}", result);
    return found ? found->value_or(-1) : -2;
  };
  EXPECT_EQ(best(R"({"score": "88.5"}, {"score": 40})"), 88.5);
  EXPECT_EQ(best(R"({"score": 90, "autograder_error": true}, {"score": 12})"), 12);
  EXPECT_EQ(best(R"({"score": 10, "results": {"extra_data": {"warpgrade":
                 {"assignment": "vecadd", "best": 95}}}})"),
            95);
  EXPECT_EQ(best(R"({"score": 10, "results": {"extra_data": {"warpgrade":
                 {"assignment": "dot", "best": 95}}}})"),
            10);
  // Nothing here is a score that this assignment gives.
  EXPECT_EQ(best(R"({"score": 1e9}, {"score": "NaN"}, {"score": -3}, 7, null, {"results": [1]})"),
            -1);
  EXPECT_EQ(best(""), -1);
  EXPECT_FALSE(best_earlier_score("[]", result).ok());
  EXPECT_FALSE(best_earlier_score("{", result).ok());

  const Result<std::string> kept = format_gradescope(result, {"visible", false, 88.5});
  ASSERT_TRUE(kept.ok());
  const Json json = Json::parse(*kept);
  EXPECT_EQ(json["score"], 88.5);
  EXPECT_EQ(json["extra_data"]["warpgrade"]["score"], 75);
  EXPECT_EQ(json["output"],
            "This submission earns 75 of 100. Your best one so far counts: 88.5.\n");
}

TEST(Junit, CountsWhatFailedWaitsAndCouldNotBeJudged) {
  SubmissionResult waiting = sample_result("<b>&\"", 60);
  waiting.items[1].status = Outcome::kPending;
  waiting.items[1].message = "a \x1b[31m \xef\xbf\xbf\nGPU";
  const std::string text =
      format_junit({sample_result("ana", 75), waiting, ungraded_result("carl")});
  EXPECT_NE(text.find("<testsuites name=\"vecadd\" tests=\"6\" failures=\"1\" errors=\"2\" "
                      "skipped=\"1\">"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<testsuite name=\"&lt;b&gt;&amp;&quot;\" tests=\"2\""), std::string::npos);
  EXPECT_NE(text.find("<skipped message=\"a \\x1b[31m \\u{ffff}\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("<property name=\"score\" value=\"75\"/>"), std::string::npos);
  const std::string ungraded = text.substr(text.find("<testsuite name=\"carl\""));
  EXPECT_EQ(ungraded.find("name=\"score\""), std::string::npos) << ungraded;
}

TEST(Github, AnnotatesLinesAndEndsWithThePoints) {
  EXPECT_EQ(format_github_annotations({with_findings(sample_result("ana", 75))}),
            "::error title=Odd sizes (15/40)::1 hidden case: the result is wrong\n"
            "::warning file=vecadd.cu,line=12,title=race::reads tile[0], which thread (0,0,0) "
            "writes\n"
            "::notice title=Autograding complete::Points 75/100\n");
}

TEST(Github, LetsNoWordOfAStudentBecomeACommandOrALink) {
  SubmissionResult hostile = sample_result("ana", 100);
  hostile.findings = {sample_finding("open")};
  hostile.findings[0].finding.file = "a,line=1::b.cu\n::error::x";
  hostile.findings[0].finding.message = "100%\n::set-output name=x::y <img src=x> [a](http://b) |";
  const std::string commands = format_github_annotations({hostile});
  EXPECT_EQ(commands.substr(0, commands.find('\n')),
            "::warning file=a%2Cline=1%3A%3Ab.cu%0A%3A%3Aerror%3A%3Ax,line=12,title=race::100%25%0A"
            "::set-output name=x::y <img src=x> [a](http://b) |");
  const std::string summary = format_github_summary({hostile});
  for (const char* live : {"<img", "](", "http:", "| |"})
    EXPECT_EQ(summary.find(live), std::string::npos) << live << " in:\n" << summary;
  EXPECT_NE(summary.find("| The sum is right | 60/60 | passed |  |"), std::string::npos) << summary;
}

TEST(Github, ShowsNothingHiddenAndNoScoreForAFailureOfTheMachine) {
  const std::vector<SubmissionResult> results = {with_findings(sample_result("ana", 75)),
                                                 ungraded_result("bob")};
  for (const std::string& text :
       {format_github_annotations(results), format_github_summary(results)}) {
    expect_no_secret(text);
    EXPECT_EQ(text.find("0/100"), std::string::npos) << text;
    EXPECT_NE(text.find("not graded, through no fault of this answer"), std::string::npos);
  }
}

TEST(Sarif, PutsEachMistakeOnceAtItsLine) {
  const Json json = Json::parse(format_sarif({with_findings(sample_result("ana", 75))}, "1.2.3"));
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["version"], "1.2.3");
  ASSERT_EQ(run["results"].size(), 2u);
  const Json& first = run["results"][0];
  EXPECT_EQ(first["ruleId"], "race");
  EXPECT_EQ(first["occurrenceCount"], 6);
  EXPECT_EQ(
      first["locations"][0]["physicalLocation"],
      Json::parse(R"({"artifactLocation": {"uri": "vecadd.cu"}, "region": {"startLine": 12}})"));
}

TEST(Sarif, EscapesFileNamesAndKeepsStudentsApart) {
  SubmissionResult odd = with_findings(sample_result("ana", 75));
  odd.findings[0].finding.file = "a b\"\xc4\x87.cu";
  odd.findings[1].finding.file.clear();
  const Json json = Json::parse(format_sarif({odd, sample_result("bob", 100)}, "1"));
  const Json& results = json["runs"][0]["results"];
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "ana/a%20b%22%C4%87.cu");
}

TEST(Sarif, ShowsAFindingWithoutAPlaceAtTheTopOfTheSubmission) {
  SubmissionResult nowhere = with_findings(sample_result("ana", 75));
  for (auto& each : nowhere.findings) {
    each.finding.file.clear();
    each.finding.kernel.clear();
    each.finding.line = 0;
  }
  const Json json = Json::parse(format_sarif({nowhere}, "1"));
  for (const Json& result : json["runs"][0]["results"]) {
    EXPECT_EQ(result["locations"][0]["physicalLocation"],
              Json::parse(R"({"artifactLocation": {"uri": "vecadd.cu"},
                              "region": {"startLine": 1}})"));
  }
}

TEST(ProblemLines, NameTheFileAsAnEditorOpensItAndTheLineOfEachMistake) {
  SubmissionResult result = sample_result("you", 60);
  result.findings = {sample_finding("edge"), sample_finding("whole")};
  EXPECT_EQ(format_problem_lines(result, "/week/vecadd.cu"),
            "/week/vecadd.cu:12: warning: reads tile[0], which thread (0,0,0) writes\n"
            "/week/vecadd.cu:1: error: Odd sizes: case 'secret-17': the result is wrong at 4242\n");
  EXPECT_EQ(format_problem_lines(sample_result("you", 100), "vecadd.cu"), "");
}

TEST(ProblemLines, PutAFindingOfAnotherFileAtTheFirstLine) {
  SubmissionResult result = sample_result("you", 100);
  result.findings = {sample_finding("edge")};
  EXPECT_EQ(format_problem_lines(result, "pi.cu"),
            "pi.cu:1: warning: reads tile[0], which thread (0,0,0) writes\n");
}

TEST(ProblemLines, PutAnItemAtTheLineOfTheFindingThatExplainsIt) {
  SubmissionResult result = sample_result("you", 75);
  ItemResult& lost = result.items[1];
  lost.because = {"finding.race", {{"place", "vecadd.cu:5: "}}, ""};
  EXPECT_TRUE(format_problem_lines(result, "a/vecadd.cu").starts_with("a/vecadd.cu:5: error: "));
  EXPECT_TRUE(format_problem_lines(result, "a/pi.cu").starts_with("a/pi.cu:1: error: "));
  lost.because = {};
  lost.reason = {"launch.failed", {{"place", "place.at(file=vecadd.cu, line=7)"}}, ""};
  EXPECT_TRUE(format_problem_lines(result, "a/vecadd.cu").starts_with("a/vecadd.cu:7: error: "));
  lost.reason = {"output.wrong", {{"place", "[31]"}}, ""};
  EXPECT_TRUE(format_problem_lines(result, "a/vecadd.cu").starts_with("a/vecadd.cu:1: error: "));
}

TEST(ProblemLines, LeaveTheItemOutWhereTheCompilerSpeaks) {
  SubmissionResult result = sample_result("you", 100);
  result.items[0].kind = ItemKind::kBuild;
  result.items[0].status = Outcome::kFailed;
  result.diagnostics = "vecadd.cu:9: error: expected a \033[2J\nnvcc: error: something else\n";
  EXPECT_EQ(format_problem_lines(result, "a/vecadd.cu"),
            "a/vecadd.cu:9: error: expected a \\x1b[2J\n");
}

TEST(MoodleFeedback, NamesEachPageByTheParticipantAndSaysWhoGetsNone) {
  SubmissionResult ana = sample_result("Ana_Anic_70006", 75), bob = sample_result("bob", 50),
                   eve = sample_result("eve", 100);
  ana.identity.ids = {{"moodle", "70006"}};
  bob.identity.ids = {{"canvas", "1001"}};
  SubmissionResult cem = bob;
  cem.student = "cem";
  eve.identity.ids = {{"moodle", "70008"}};
  SubmissionResult dan = ungraded_result("dan");
  dan.identity.ids = {{"moodle", "70009"}};
  const MoodleFeedback feedback =
      moodle_feedback({ana, bob, cem, dan, eve}, [](const SubmissionResult& result) {
        return result.student == "eve" ? Result<std::string>(Error{"eve.html is missing"})
                                       : Result<std::string>("of " + result.student);
      });
  EXPECT_EQ(feedback.files,
            (std::map<fs::path, std::string>{
                {"Ana-Anic-70006_70006_assignfeedback_file_vecadd.html", "of Ana_Anic_70006"}}));
  EXPECT_EQ(feedback.left_out,
            (std::map<std::string, std::vector<std::string>>{
                {"no participant number of Moodle is known: grade with --roster worksheet.csv",
                 {"bob", "cem"}},
                {"the submission could not be graded, so there is no feedback", {"dan"}},
                {"eve.html is missing; warpgrade report writes the pages again", {"eve"}}}));
}

/// What Moodle's reader of such an archive makes of a file: the participant, the plug-in and the file's name there. It
/// passes over hidden files, and takes the first part of a path that has four underscores' worth of words, a number second.
std::string as_moodle_reads(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with('.') || name.starts_with('~')) return "hidden";
  constexpr size_t kWords = 5;
  std::vector<std::string> words = split(name, '_');
  if (words.size() < kWords - 1) return "nobody's";
  const std::string file = join(
      {words.begin() + static_cast<long>(std::min(words.size(), kWords - 1)), words.end()}, "_");
  const bool is_number = words[1].find_first_not_of("0123456789") == std::string::npos;
  return is_number ? fmt::format("{} {}/{} {}", words[1], words[2], words[3], file) : "nobody's";
}

TEST(MoodleFeedback, IsReadByMoodlesRulesWhateverAStudentIsCalled) {
  std::vector<SubmissionResult> all;
  for (const char* const student :
       {"Ana_Anic_12345", "12_assignsubmission_file_x", "_-rf-686c39ac", "a.b~c", "___", "7"}) {
    all.push_back(sample_result(student, 75));
    all.back().assignment = "my_lab";
    all.back().identity.ids = {{"moodle", std::to_string(70000 + all.size())}};
  }
  const MoodleFeedback feedback =
      moodle_feedback(all, [](const SubmissionResult& result) { return result.student; });
  ASSERT_EQ(feedback.files.size(), all.size());
  std::map<std::string, std::string> read;
  for (const auto& [path, page] : feedback.files) {
    EXPECT_FALSE(path.has_parent_path()) << path;
    read[as_moodle_reads(path)] = page;
  }
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(read[fmt::format("{} assignfeedback/file my_lab.html", 70001 + i)], all[i].student);
}

TEST(GradeSheet, ListsEveryMemberWithIdsAndNoScoreForAFailureOfTheMachine) {
  SubmissionResult ana = sample_result("ana", 75);
  ana.identity.name = "=Ana, \"A\"";
  ana.identity.ids = {{"canvas", "1001"}, {"attachment", "7"}};
  ana.identity.group = {"ana", "eve"};
  EXPECT_EQ(format_grade_sheet({ana, ungraded_result("bob")}),
            "student,name,canvas,score,max_score,status,late_points,sum,edges\n"
            "ana,\"'=Ana, \"\"A\"\"\",1001,75,100,graded,,60,15\n"
            "eve,,,75,100,graded,,60,15\n"
            "bob,,,,100,not graded,,,\n");
}

TEST(ClassStatus, CountsAndNamesWhoIsNotDone) {
  SubmissionResult late = sample_result("carl", 50), modelled = sample_result("dora", 100);
  late.late.emplace().late_minutes = 10;
  late.inputs = {{"rubric", "0123456789abcdef"}, {"toolkit", "11.8"}};
  modelled.provisional = true;
  modelled.items[0].flags = {{"faster than this device can be", ""}};
  EXPECT_EQ(format_status({sample_result("ana", 75), ungraded_result("bob"), late, modelled}),
            "final           2\n"
            "provisional     1: dora\n"
            "not gradable    1: bob\n"
            "late            1: carl\n"
            "flagged         1: dora\n"
            "no sandbox      0\n"
            "rubric          cd34 for 3, 01234567 for 1 (carl)\n"
            "grader          unknown\n"
            "toolkit         unknown for 3, 11.8 for 1 (carl)\n"
            "toolchain       unknown\n"
            "seed            unknown\n");
}

}  // namespace
}  // namespace warpgrade
