// SPDX-License-Identifier: MIT
#include "pipeline/merge.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace warpgrade {
namespace {

class MergeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-merge-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static SubmissionResult result_of(const std::string& student, double score) {
    SubmissionResult result;
    result.assignment = "dot";
    result.student = student;
    result.score = score;
    result.max_score = 100;
    result.inputs = {{"submission", student}, {"rubric", "r1"}, {"grader", "g1"}, {"seed", "s1"}};
    return result;
  }
  /// Into `folder`, as if written `age` hours ago.
  void store(const char* folder, const SubmissionResult& result, int age = 0) const {
    ASSERT_TRUE(ResultsFolder(folder_ / folder, "dot").write(result).ok());
    fs::last_write_time(folder_ / folder / "results" / (result.student + ".json"),
                        fs::file_time_type::clock::now() - std::chrono::hours(age));
  }
  Result<Merged> merge_all(std::vector<std::string> from, bool mixed = false) const {
    std::vector<fs::path> folders;
    for (const std::string& each : from) folders.push_back(folder_ / each);
    return merge(folders, folder_ / "all", mixed);
  }
  std::string read(const std::string& name) const {
    const Result<std::string> text = RealFiles().read(folder_ / name);
    return text ? *text : text.error().message;
  }
  double score_of(const std::string& student) const {
    const StoredResult stored = ResultsFolder(folder_ / "all", "dot").stored(student);
    return stored.result ? stored.result->score : -1;
  }

  fs::path folder_;
};

TEST_F(MergeTest, BringsAllStudentsTogetherWithOneTableAndTheirSeed) {
  store("a", result_of("ann", 10));
  store("b", result_of("bob", 20));
  ASSERT_TRUE(RealFiles().write(folder_ / "b/seed", "0123456789abcdef\n").ok());
  const Result<Merged> merged = merge_all({"a", "b"});
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->assignment, "dot");
  EXPECT_TRUE(merged->choices.empty());
  EXPECT_EQ(read("all/grades.csv"), "student,score,max_score,lost\nann,10,100,\nbob,20,100,\n");
  EXPECT_EQ(read("all/seed"), "0123456789abcdef\n");
  EXPECT_EQ(read("all/results/ann.json"), read("a/results/ann.json"));
  EXPECT_TRUE(fs::exists(folder_ / "all/students/bob.txt"));
}

TEST_F(MergeTest, ChangesNothingWhenItIsDoneAgain) {
  store("a", result_of("ann", 10), 2);
  store("b", result_of("ann", 20), 1);
  ASSERT_TRUE(merge_all({"a", "b"}).ok());
  const fs::file_time_type time = fs::last_write_time(folder_ / "all/results/ann.json");
  const Result<Merged> again = merge_all({"a", "b"});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(score_of("ann"), 20);
  EXPECT_EQ(fs::last_write_time(folder_ / "all/results/ann.json"), time);
  EXPECT_FALSE(fs::exists(folder_ / "all/earlier"));
}

TEST_F(MergeTest, TakesTheNewerOfTwoResultsAndSaysSo) {
  store("a", result_of("ann", 10), 1);
  store("b", result_of("ann", 20), 2);
  const Result<Merged> merged = merge_all({"b", "a"});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(score_of("ann"), 10);
  ASSERT_EQ(merged->choices.size(), 1u);
  EXPECT_EQ(merged->choices[0].taken, folder_ / "a");
  EXPECT_EQ(merged->choices[0].left, folder_ / "b");
  EXPECT_EQ(merged->choices[0].why, "it is newer");
}

TEST_F(MergeTest, TakesTheFinalResultThoughItIsOlder) {
  SubmissionResult provisional = result_of("ann", 30);
  provisional.provisional = true;
  SubmissionResult failed = result_of("bob", 0);
  failed.items.push_back({});
  failed.items[0].status = Outcome::kSystemError;
  store("a", result_of("ann", 10), 5);
  store("b", provisional, 1);
  store("a", failed, 1);
  store("b", result_of("bob", 50), 5);
  const Result<Merged> merged = merge_all({"a", "b"});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(score_of("ann"), 10);
  EXPECT_EQ(score_of("bob"), 50);
  ASSERT_EQ(merged->choices.size(), 2u);
  EXPECT_EQ(merged->choices[0].why, "it is final");
  EXPECT_EQ(merged->choices[1].why, "it could be graded");
}

TEST_F(MergeTest, RefusesTwoAssignments) {
  store("a", result_of("ann", 10));
  SubmissionResult other = result_of("bob", 20);
  other.assignment = "pi";
  store("b", other);
  const Result<Merged> merged = merge_all({"a", "b"}, true);
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().message, (folder_ / "a").string() + " holds results of dot, and " +
                                        (folder_ / "b").string() +
                                        " of pi: merge each assignment into a folder of its own");
  EXPECT_FALSE(fs::exists(folder_ / "all"));
}

TEST_F(MergeTest, RefusesAnotherRubricUnlessTheyMayBeMixed) {
  store("a", result_of("ann", 10));
  SubmissionResult other = result_of("bob", 20);
  other.inputs["rubric"] = "r2";
  store("b", other);
  const Result<Merged> refused = merge_all({"a", "b"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "bob in " + (folder_ / "b").string() + " was graded with another rubric than ann in " +
                (folder_ / "a").string() +
                ": grade the older ones again there, or merge them as they are by --mixed");
  EXPECT_FALSE(fs::exists(folder_ / "all"));
  ASSERT_TRUE(merge_all({"a", "b"}, true).ok());
  EXPECT_NE(read("all/grades.csv").find("bob,20,100,another rubric,"), std::string::npos)
      << read("all/grades.csv");
}

TEST_F(MergeTest, NamesADamagedResultThatNoOtherFolderHolds) {
  store("a", result_of("ann", 10));
  ASSERT_TRUE(RealFiles().write(folder_ / "a/results/bob.json", "torn").ok());
  ASSERT_TRUE(RealFiles().write(folder_ / "a/results/carol.json", "torn").ok());
  store("b", result_of("carol", 30));
  const Result<Merged> merged = merge_all({"a", "b"});
  ASSERT_TRUE(merged.ok());
  ASSERT_EQ(merged->graded.unread.size(), 1u);
  EXPECT_EQ(merged->graded.unread[0].student, "bob");
  EXPECT_EQ(score_of("carol"), 30);
}

TEST_F(MergeTest, TakesDecisionsAlongAndRefusesToChooseBetweenTwoFiles) {
  store("a", result_of("ann", 10));
  store("b", result_of("bob", 20));
  RealFiles files;
  ASSERT_TRUE(files.write(folder_ / "b/decisions.csv", "theirs\n").ok());
  ASSERT_TRUE(merge_all({"a", "b"}).ok());
  EXPECT_EQ(read("all/decisions.csv"), "theirs\n");
  fs::remove(folder_ / "all/decisions.csv");
  ASSERT_TRUE(files.write(folder_ / "a/decisions.csv", "ours\n").ok());
  const Result<Merged> refused = merge_all({"a", "b"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, (folder_ / "a/decisions.csv").string() + " and " +
                                         (folder_ / "b/decisions.csv").string() +
                                         " hold different decisions: write the lines of both to " +
                                         (folder_ / "all/decisions.csv").string() +
                                         ", which is then taken");
  ASSERT_TRUE(files.write(folder_ / "all/decisions.csv", "both\n").ok());
  ASSERT_TRUE(merge_all({"a", "b"}).ok());
  EXPECT_EQ(read("all/decisions.csv"), "both\n");
}

TEST_F(MergeTest, RefusesAFolderWithoutResults) {
  store("a", result_of("ann", 10));
  const Result<Merged> merged = merge_all({"a", "elsewhere"});
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().message, (folder_ / "elsewhere").string() +
                                        " holds no results: name folders that grade -o wrote");
}

}  // namespace
}  // namespace warpgrade
