// SPDX-License-Identifier: MIT
#include "report/leaderboard.h"

#include <gtest/gtest.h>

#include <set>

#include "report/class_page.h"
#include "report/pseudonym.h"
#include "report/sample_results.h"

namespace warpgrade {
namespace {

/// A student who reached this speed.
SubmissionResult racer(const std::string& student, Speed speed) {
  SubmissionResult result;
  result.assignment = "matmul";
  result.student = student;
  result.items = {sample_item("fast", ItemKind::kPerformance, 30, Outcome::kPassed)};
  speed.item_id = "fast";
  speed.case_id = "secret-case";
  result.speeds = {{"fast", "small", 99, {}}, std::move(speed)};
  return result;
}

Speed modelled(double value) { return {"", "", value, {}}; }

const LeaderboardTerms kSpeedups{7, {}}, kTimes{7, {"fast"}};

TEST(Pseudonym, IsTheSameForAStudentAndAnAssignmentUnderOneSeed) {
  EXPECT_EQ(pseudonym_of(7, "dot", "ann"), pseudonym_of(7, "dot", "ann"));
  EXPECT_NE(pseudonym_of(7, "dot", "ann"), pseudonym_of(8, "dot", "ann"));
  EXPECT_NE(pseudonym_of(7, "dot", "ann"), pseudonym_of(7, "pi", "ann"));
  EXPECT_NE(pseudonym_of(7, "dot", "ann"), pseudonym_of(7, "dot", "bob"));
}

TEST(Pseudonym, IsAnotherForEachOfAClass) {
  std::set<std::string> names;
  for (int i = 0; i < 500; ++i) names.insert(pseudonym_of(7, "dot", fmt::format("s{}", i)));
  EXPECT_EQ(names.size(), 500u);
}

TEST(Leaderboard, RanksByTheLastCaseAndSharesRanks) {
  const auto rankings = rankings_of({racer("ann", modelled(2)), racer("bob", modelled(5)),
                                     racer("cat", modelled(2)), racer("dan", modelled(1))},
                                    kSpeedups);
  ASSERT_EQ(rankings.size(), 1u);
  std::vector<std::pair<size_t, size_t>> ranks;
  for (const Ranked& row : rankings[0].rows) ranks.emplace_back(row.rank, row.student);
  EXPECT_EQ(ranks, (std::vector<std::pair<size_t, size_t>>{{1, 1}, {2, 0}, {2, 2}, {4, 3}}));
}

TEST(Leaderboard, PutsTheLeastTimeFirst) {
  const auto rankings =
      rankings_of({racer("slow", modelled(3)), racer("quick", modelled(1))}, kTimes);
  EXPECT_EQ(rankings.at(0).rows.at(0).student, 1u);
}

TEST(Leaderboard, PutsWhatWasMeasuredBeforeWhatWasModelled) {
  Speed measured = modelled(9);
  measured.measured = 1.5;
  const auto rankings = rankings_of({racer("ann", modelled(7)), racer("bob", measured)}, kSpeedups);
  EXPECT_EQ(rankings.at(0).rows.at(0).student, 1u);
  EXPECT_EQ(rankings.at(0).rows.at(0).value, 1.5);
}

TEST(Leaderboard, LeavesOutWhoEarnedNothing) {
  SubmissionResult wrong = racer("ann", modelled(50));
  wrong.items[0].points = 0;
  const auto rankings = rankings_of({wrong, racer("bob", modelled(1))}, kSpeedups);
  ASSERT_EQ(rankings.at(0).rows.size(), 1u);
  EXPECT_EQ(rankings[0].rows[0].student, 1u);
  EXPECT_TRUE(rankings_of({wrong}, kSpeedups).empty());
}

TEST(Leaderboard, ShowsStudentsPseudonymsAlone) {
  const std::vector<SubmissionResult> results = {racer("annika", modelled(2))};
  const std::string open = format_leaderboard(results, kSpeedups);
  const std::string name = pseudonym_of(7, "matmul", "annika");
  EXPECT_NE(open.find("<th scope=\"row\">" + name + "</th><td class=\"number\" data-value=\"2\">2"),
            std::string::npos);
  EXPECT_EQ(open.find("annika"), std::string::npos);
  EXPECT_EQ(open.find("secret-case"), std::string::npos);
  const std::string page = format_class_page(results, {{}, {}, kSpeedups});
  EXPECT_NE(page.find(name), std::string::npos);
  EXPECT_NE(page.find("students/annika.html\">annika</a></td></tr>"), std::string::npos);
}

TEST(Leaderboard, IsAbsentWhereNobodyAskedForOne) {
  EXPECT_EQ(format_leaderboard({}, kSpeedups), "");
  EXPECT_EQ(format_class_page({racer("ann", modelled(2))}).find("Leaderboard"), std::string::npos);
}

TEST(Leaderboard, ReadsItsTermsBack) {
  const auto read = parse_less_is_better(format_less_is_better({"fast"}));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, std::vector<std::string>{"fast"});
  for (const char* damaged : {"", "{", "[]", R"({"schema": 9, "less_is_better": []})"})
    EXPECT_FALSE(parse_less_is_better(damaged).ok()) << damaged;
}

}  // namespace
}  // namespace warpgrade
