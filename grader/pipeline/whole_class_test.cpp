// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "pipeline/grade.h"

namespace warpgrade {
namespace {

SubmissionResult result_of(const std::string& student, double score,
                           const std::string& assignment = "dot") {
  SubmissionResult result;
  result.assignment = assignment;
  result.student = student;
  result.score = score;
  return result;
}

TEST(WholeClass, AddsWhatTheFolderHoldsOfOtherStudents) {
  const fs::path output = fs::path(testing::TempDir()) / "warpgrade-whole-class";
  fs::remove_all(output);
  RealFiles files;
  for (const SubmissionResult& each :
       {result_of("ann", 1), result_of("bob", 2), result_of("carol", 3, "pi")})
    ASSERT_TRUE(
        files.write(output / "results" / (each.student + ".json"), seal_result(format_json(each)))
            .ok());
  ASSERT_TRUE(files.write(output / "results/dan.json", "torn").ok());
  std::vector<DamagedResult> unread;
  const std::vector<SubmissionResult> all =
      whole_class(output, "dot", {result_of("bob", 20), result_of("eve", 4)}, &unread);
  fs::remove_all(output);
  std::vector<std::pair<std::string, double>> scores;
  for (const SubmissionResult& each : all) scores.emplace_back(each.student, each.score);
  EXPECT_EQ(scores,
            (std::vector<std::pair<std::string, double>>{{"ann", 1}, {"bob", 20}, {"eve", 4}}));
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_EQ(unread[0].student, "dan");
}

}  // namespace
}  // namespace warpgrade
