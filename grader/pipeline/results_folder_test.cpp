// SPDX-License-Identifier: MIT
#include "pipeline/results_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/hash.h"
#include "base/parallel.h"

namespace warpgrade {
namespace {

class ResultsFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/warpgrade-results-folder-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static SubmissionResult result_of(const std::string& student, const std::string& assignment) {
    SubmissionResult result;
    result.assignment = assignment;
    result.student = student;
    result.score = 70;
    return result;
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(RealFiles().write(folder_ / name, text).ok());
  }
  std::string read(const std::string& name) const { return *RealFiles().read(folder_ / name); }
  ResultsFolder of(const std::string& assignment) const { return {folder_, assignment}; }

  fs::path folder_;
};

TEST_F(ResultsFolderTest, GivesBackWhatWasWritten) {
  ASSERT_TRUE(of("dot").write(result_of("ann", "dot")).ok());
  const StoredResult found = of("dot").stored("ann");
  ASSERT_TRUE(found.result.has_value()) << found.damage;
  EXPECT_EQ(found.result->score, 70);
  EXPECT_EQ(of("dot").stored("bob").damage, "") << "nothing is there";
}

TEST_F(ResultsFolderTest, RefusesAFolderOfAnotherAssignment) {
  EXPECT_TRUE(of("pi").refuse_others().ok()) << "nothing is there";
  ASSERT_TRUE(of("dot").write(result_of("ann", "dot")).ok());
  EXPECT_TRUE(of("dot").refuse_others().ok());
  const Status refused = of("pi").refuse_others();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            folder_.string() +
                " holds results of dot (ann's for one), and each assignment needs a folder of its "
                "own: name another one with -o; without -o it is results/pi");
}

TEST_F(ResultsFolderTest, RefusesItThoughTheResultHasNoHash) {
  write("results/ann.json", format_json(result_of("ann", "dot")));
  EXPECT_FALSE(of("pi").refuse_others().ok());
}

TEST_F(ResultsFolderTest, SeesAnEditedResult) {
  ASSERT_TRUE(of("dot").write(result_of("ann", "dot")).ok());
  std::string text = read("results/ann.json");
  text.replace(text.find("70"), 2, "90");
  write("results/ann.json", text);
  const StoredResult found = of("dot").stored("ann");
  EXPECT_FALSE(found.result.has_value());
  EXPECT_EQ(found.damage, "its hash does not fit its contents: it was edited or damaged");
}

TEST_F(ResultsFolderTest, SeesATornResultAndOneWithoutAHash) {
  ASSERT_TRUE(of("dot").write(result_of("ann", "dot")).ok());
  const std::string text = read("results/ann.json");
  for (const std::string& torn : {text.substr(0, text.size() / 2), std::string()}) {
    write("results/ann.json", torn);
    EXPECT_EQ(of("dot").stored("ann").damage, "it is no whole JSON object");
  }
  write("results/ann.json", format_json(result_of("ann", "dot")));
  EXPECT_EQ(of("dot").stored("ann").damage,
            "it has no hash: an earlier version of the grader wrote it, or it was edited");
}

TEST_F(ResultsFolderTest, SeesAResultThatIsACopyOfAnotherStudents) {
  ASSERT_TRUE(of("dot").write(result_of("ann", "dot")).ok());
  write("results/bob.json", read("results/ann.json"));
  EXPECT_EQ(of("dot").stored("bob").damage, "it is a copy of the result of ann");
}

TEST_F(ResultsFolderTest, KeepsDamagedFilesUnderOtherNames) {
  for (const char* text : {"first", "second"}) {
    write("results/ann.json", text);
    ASSERT_TRUE(of("dot").put_aside("ann").ok());
  }
  EXPECT_EQ(read("results/ann.json.damaged-1"), "first");
  EXPECT_EQ(read("results/ann.json.damaged-2"), "second");
  EXPECT_TRUE(of("dot").students().empty());
}

TEST_F(ResultsFolderTest, KeepsItsSeed) {
  const Result<uint64_t> first = of("dot").seed();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*of("dot").seed(), *first);
}

TEST_F(ResultsFolderTest, HasOneSeedForAllWhoAskAtOnce) {
  constexpr size_t kAsking = 16;
  std::vector<uint64_t> seeds(kAsking);
  in_parallel(kAsking, static_cast<int>(kAsking), [&](size_t index, int) {
    const Result<uint64_t> seed = of("dot").seed();
    seeds[index] = seed ? *seed : index;
  });
  EXPECT_EQ(std::set<uint64_t>(seeds.begin(), seeds.end()).size(), 1u);
  EXPECT_EQ(*RealFiles().list(folder_), std::vector<std::string>{"seed"}) << "nothing is left over";
}

TEST_F(ResultsFolderTest, RefusesADamagedSeed) {
  for (const char* text : {"", "\n", "0123456789abcde\n", "0123456789abcdef", "xyz",
                           "0123456789abcdeg\n", "0123456789abcdef\nmore\n"}) {
    write("seed", text);
    const Result<uint64_t> seed = of("dot").seed();
    ASSERT_FALSE(seed.ok()) << text;
    EXPECT_EQ(seed.error().message,
              (folder_ / "seed").string() +
                  " is damaged: it must hold 16 hexadecimal digits in one line, from which all "
                  "inputs are made. Put back a copy of it; or remove it, and everyone is graded "
                  "again on new inputs");
    EXPECT_EQ(read("seed"), text) << "it stays as it is";
  }
  write("seed", "0123456789abcdef\n");
  EXPECT_EQ(*of("dot").seed(), 0x0123456789abcdefu);
}

TEST_F(ResultsFolderTest, WritesThePagesAgainFromTheKeptSource) {
  SubmissionResult result = result_of("ann", "dot");
  result.inputs["submission"] = sha256_hex("int kept;");
  write("submissions/ann/dot.cu", "int kept;");
  ASSERT_TRUE(of("dot").write_report(result).ok());
  EXPECT_NE(read("students/ann.html").find("int kept;"), std::string::npos);
  EXPECT_NE(read("students/ann.txt").find("dot, ann"), std::string::npos);
  write("submissions/ann/dot.cu", "int edited;");
  ASSERT_TRUE(of("dot").write_report(result).ok());
  EXPECT_EQ(read("students/ann.html").find("int edited;"), std::string::npos)
      << "the result is not of that text";
}

TEST_F(ResultsFolderTest, WritesThePageOfTheClass) {
  ASSERT_TRUE(of("dot").write_class_page({result_of("ann", "dot")}).ok());
  EXPECT_NE(read("index.html").find("students/ann.html"), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
