// SPDX-License-Identifier: MIT
#include "report/decisions.h"

#include <gtest/gtest.h>

#include "report/csv.h"
#include "report/fault.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr const char* kHeader = "student,item,points,note,by,date\n";

Rubric sample_rubric() {
  Rubric rubric;
  rubric.assignment = "dot";
  rubric.items.resize(2);
  rubric.items[0].id = "product";
  rubric.items[0].points = 60;
  rubric.items[1].id = "speed";
  rubric.items[1].points = 40;
  rubric.cases.resize(1);
  rubric.cases[0].id = "edges";
  return rubric;
}

SubmissionResult decided_result() {
  SubmissionResult result;
  result.assignment = "dot";
  result.student = "ann";
  Score score;
  score.items.resize(2);
  score.items[0] = {"product", "The product is right", ItemKind::kCorrectness, 0,
                    60,        Outcome::kFailed};
  score.items[0].message = score.items[0].student_message = "wrong at [0]";
  score.items[1] = {"speed", "It is fast", ItemKind::kPerformance, 30, 40, Outcome::kPartial};
  score.items[1].provisional = true;
  score.points = 30;
  score.max_points = 100;
  score.provisional = true;
  result.set_score(std::move(score));
  return result;
}

Result<Decisions> parse(const std::string& lines) {
  static const Rubric rubric = sample_rubric();
  return parse_decisions(kHeader + lines, "decisions.csv", {rubric, {"ann", "bob"}});
}

std::vector<Decision> of_ann(const std::string& lines) {
  const Result<Decisions> decisions = parse(lines);
  EXPECT_TRUE(decisions.ok()) << decisions.error().message;
  return decisions->at("ann");
}

std::string mistake_of(const std::string& line) {
  const Result<Decisions> decisions = parse(line + '\n');
  return decisions ? "" : decisions.error().message;
}

TEST(ParseDecisions, FindsStudentsByTheirNames) {
  const Rubric rubric = sample_rubric();
  const Decidable about{rubric, {"ann_1", "bo_2", "bo_3"}, [](const std::string& name) {
                          using Found = std::vector<std::string>;
                          return name == "Lee, Ann" ? Found{"ann_1"}
                                 : name == "Bo Kay" ? Found{"bo_2", "bo_3"}
                                                    : Found();
                        }};
  const Result<Decisions> found = parse_decisions(
      std::string(kHeader) + "\"Lee, Ann\",product,8,n,Mira,\n", "decisions.csv", about);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->at("ann_1").front().student, "ann_1");
  EXPECT_EQ(
      parse_decisions(std::string(kHeader) + "Bo Kay,product,8,n,Mira,\n", "decisions.csv", about)
          .error()
          .message,
      "decisions.csv:2: 'Bo Kay' may be bo_2 or bo_3; write one of these");
}

TEST(ParseDecisions, NamesEachLineThatIsWrongWithARemedy) {
  EXPECT_EQ(mistake_of("anm,product,8,n,Mira,"),
            "decisions.csv:2: no submission is called 'anm'; did you mean 'ann'?");
  EXPECT_EQ(mistake_of("ann,prodct,8,n,Mira,"),
            "decisions.csv:2: dot has no item 'prodct'; did you mean 'product'?");
  EXPECT_EQ(mistake_of("ann,zzzzzzzzz,8,n,Mira,"),
            "decisions.csv:2: dot has no item 'zzzzzzzzz'; its items are product, speed; leave it "
            "empty for the whole score");
  EXPECT_EQ(mistake_of("ann,product,61,n,Mira,"),
            "decisions.csv:2: item 'product' is worth 60 points, and 61 is more; write at most 60");
  EXPECT_EQ(mistake_of("ann,,+101,n,Mira,"),
            "decisions.csv:2: the assignment is worth 100 points, and +101 is more; write at most "
            "100");
  EXPECT_EQ(mistake_of("ann,product,8,n,,"),
            "decisions.csv:2: nobody decided this: write who did in the column 'by'");
  EXPECT_EQ(mistake_of("ann,product,8,,Mira,"),
            "decisions.csv:2: a reason is missing: write it in the column 'note'");
  for (const char* points : {"eight", "+", "+-2", "8 p", "nan", "inf", "8,5"})
    EXPECT_NE(
        mistake_of(std::string("ann,product,\"") + points + "\",n,Mira,").find("are no points"),
        std::string::npos)
        << points;
  EXPECT_EQ(parse("x,,1,n,M,\ny,,1,n,M,\n").error().message,
            "decisions.csv:2: no submission is called 'x'; write the name of the student's file in "
            "results/\n"
            "decisions.csv:3: no submission is called 'y'; write the name of the student's file in "
            "results/");
}

TEST(ParseDecisions, NamesAColumnThatIsMissing) {
  const Rubric rubric = sample_rubric();
  const Result<Decisions> decisions =
      parse_decisions("student,item,points\n", "decisions.csv", {rubric, {}});
  ASSERT_FALSE(decisions.ok());
  EXPECT_EQ(decisions.error().message,
            "decisions.csv:1: the column 'note' is missing; the first line must be "
            "student,item,points,note,by,date");
}

TEST(ApplyDecisions, SetsPointsAndSaysWhoAndWhy) {
  SubmissionResult result = decided_result();
  apply_decisions(result, of_ann("ann,product,45,right but for one element,Mira,2026-11-20\n"));
  EXPECT_EQ(result.score, 75);
  EXPECT_EQ(result.items[0].points, 45);
  EXPECT_EQ(result.items[0].status, Outcome::kPartial);
  EXPECT_EQ(result.items[0].student_message,
            "decided by Mira, 2026-11-20: 45 instead of 0 points: right but for one element\n"
            "wrong at [0]");
  EXPECT_NE(format_csv({result}).find("product: decided by Mira, 2026-11-20: 45 instead of 0"),
            std::string::npos);
}

TEST(ApplyDecisions, AddsAndTakesPointsWithinWhatTheItemHas) {
  SubmissionResult result = decided_result();
  apply_decisions(result, of_ann("ann,speed,+15,n,Mira,\nann,product,-5,n,Mira,\n"));
  EXPECT_EQ(result.items[1].points, 40);
  EXPECT_EQ(result.items[1].status, Outcome::kPassed);
  EXPECT_EQ(result.items[0].points, 0);
  EXPECT_EQ(result.score, 40);
  EXPECT_EQ(describe(result.decisions[0], "en"), "decided by Mira: 40 instead of 30 points: n");
}

TEST(ApplyDecisions, MovesTheWholeScore) {
  SubmissionResult result = decided_result();
  apply_decisions(result, of_ann("ann,,+5,explained it well,Mira,\nann,,,see me,Mira,\n"));
  EXPECT_EQ(result.score, 35);
  const std::string report = format_report(for_student(result));
  EXPECT_NE(report.find("\nScore: decided by Mira: 35 instead of 30 points: explained it well\n"
                        "Score: note by Mira: see me\n"),
            std::string::npos)
      << report;
}

TEST(ApplyDecisions, MakesAProvisionalScoreFinal) {
  for (const char* line :
       {"ann,,final,no GPU in sight,Mira,\n", "ann,speed,final,as it is,Mira,\n"}) {
    SubmissionResult result = decided_result();
    apply_decisions(result, of_ann(line));
    EXPECT_FALSE(result.provisional) << line;
    EXPECT_EQ(result.score, 30);
  }
}

TEST(ApplyDecisions, LeavesWhatWaitsProvisional) {
  SubmissionResult result = decided_result();
  result.items[1].status = Outcome::kPending;
  apply_decisions(result, of_ann("ann,,final,n,Mira,\n"));
  EXPECT_TRUE(result.provisional) << "it has no points yet";
  apply_decisions(result, of_ann("ann,speed,20,n,Mira,\n"));
  EXPECT_FALSE(result.provisional);
}

TEST(ApplyDecisions, GivesBackWhatTheGraderJudgedWhenTheyAreGone) {
  const SubmissionResult judged = decided_result();
  SubmissionResult result = judged;
  const std::vector<Decision> decisions = of_ann(
      "ann,product,45,n,Mira,\nann,product,+5,n,Mira,\nann,,-1,n,Mira,\nann,,final,n,Mira,\n");
  apply_decisions(result, decisions);
  const std::string once = format_json(result);
  EXPECT_EQ(result.score, 79);
  Result<SubmissionResult> read = parse_result(once);
  ASSERT_TRUE(read.ok()) << read.error().message;
  apply_decisions(*read, decisions);
  EXPECT_EQ(format_json(*read), once) << "doing it again changes nothing";
  apply_decisions(*read, {});
  EXPECT_EQ(format_json(*read), format_json(judged));
}

TEST(ApplyDecisions, KeepsHostileNotesText) {
  SubmissionResult result = decided_result();
  apply_decisions(result, of_ann("ann,product,1,\"=cmd()\x1b[2J\",\"=Mira\",\n"));
  EXPECT_EQ(format_report(result).find('\x1b'), std::string::npos);
  EXPECT_EQ(format_csv({result}).find("\n="), std::string::npos);
  EXPECT_EQ(format_csv({result}).find('\x1b'), std::string::npos);
}

/// decided_result, of a program that launched no kernel in the case.
SubmissionResult without_kernel(const std::string& student) {
  SubmissionResult result = decided_result();
  result.student = student;
  result.items[0].reason = {"launch.none", {}};
  result.items[0].message = "case 'edges': no kernel was launched";
  result.items[0].case_id = "edges";
  return result;
}

TEST(ParseDecisions, NamesAGroupThatCannotBe) {
  EXPECT_EQ(mistake_of("group:launch.nnoe@edges,product,8,n,Mira,"),
            "decisions.csv:2: no reason is called 'launch.nnoe'; did you mean 'launch.none'?");
  EXPECT_EQ(mistake_of("group:launch.none@egdes,product,8,n,Mira,"),
            "decisions.csv:2: dot has no case 'egdes'; did you mean 'edges'?");
  EXPECT_EQ(mistake_of("group:launch.none@edges,,8,n,Mira,"),
            "decisions.csv:2: points for a group need the item that it lost: write it in the "
            "column 'item'");
  EXPECT_EQ(mistake_of("group:launch.none@edges,,,see lecture 2,Mira,"), "");
  EXPECT_EQ(mistake_of("group:launch.none,product,+1,n,Mira,"), "") << "a reason without a case";
}

TEST(ApplyDecisions, AnswerAGroupAndNobodyElse) {
  const Result<Decisions> decisions =
      parse("group:launch.none@edges,product,20,the handout was unclear,Mira,\n");
  ASSERT_TRUE(decisions.ok());
  SubmissionResult member = without_kernel("ann"), other = decided_result();
  apply_decisions(member, decisions_for(*decisions, "ann"));
  apply_decisions(other, decisions_for(*decisions, "bob"));
  EXPECT_EQ(member.score, 50);
  EXPECT_EQ(member.items[0].student_message.substr(0, 68),
            "decided by Mira: 20 instead of 0 points: the handout was unclear\nwro");
  EXPECT_EQ(format_json(other), format_json(decided_result()));
}

TEST(ApplyDecisions, AnswerOneCauseOfNothingToGradeOrAll) {
  SubmissionResult empty = decided_result();
  for (ItemResult& item : empty.items) item.reason = {"item.everything", {{"why", "empty"}}, ""};
  const std::string own = fault_of(empty.items[0])->group_id();
  EXPECT_TRUE(own.starts_with("group:item.everything#")) << own;
  for (const auto& [group, is_answered] :
       std::map<std::string, bool>{{own, true},
                                   {"group:item.everything", true},
                                   {"group:item.everything#0123abcd", false}}) {
    SubmissionResult member = empty;
    const Result<Decisions> decisions = parse(group + ",product,20,n,Mira,\n");
    ASSERT_TRUE(decisions.ok());
    apply_decisions(member, decisions_for(*decisions, "ann"));
    EXPECT_EQ(member.decisions.size() == 1, is_answered) << group;
  }
}

TEST(ApplyDecisions, TellAGroupSomethingWithoutAnItem) {
  const Result<Decisions> decisions = parse("group:launch.none@edges,,,see lecture 2,Mira,\n");
  SubmissionResult member = without_kernel("ann");
  apply_decisions(member, decisions_for(*decisions, "ann"));
  ASSERT_EQ(member.decisions.size(), 1u);
  EXPECT_EQ(describe(member.decisions[0], "en"), "note by Mira: see lecture 2");
}

TEST(ApplyDecisions, LetAStudentsOwnLineHaveTheLastWord) {
  const Result<Decisions> decisions = parse(
      "ann,product,55,and explained it well,Jon,\ngroup:launch.none@edges,product,20,n,Mira,\n");
  SubmissionResult member = without_kernel("ann");
  apply_decisions(member, decisions_for(*decisions, "ann"));
  EXPECT_EQ(member.items[0].points, 55);
}

TEST(ApplyDecisions, AnswerTheSameGroupWhenDoneAgain) {
  const Result<Decisions> decisions = parse("group:launch.none@edges,product,60,n,Mira,\n");
  SubmissionResult member = without_kernel("ann");
  apply_decisions(member, decisions_for(*decisions, "ann"));
  const std::string once = format_json(member);
  Result<SubmissionResult> read = parse_result(once);
  ASSERT_TRUE(read.ok()) << read.error().message;
  apply_decisions(*read, decisions_for(*decisions, "ann"));
  EXPECT_EQ(format_json(*read), once) << "a passed item still has the fault that the grader saw";
}

}  // namespace
}  // namespace warpgrade
