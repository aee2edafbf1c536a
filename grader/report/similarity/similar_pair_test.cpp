// SPDX-License-Identifier: MIT
#include "report/similarity/similar_pair.h"

#include <gtest/gtest.h>

#include "report/class_page.h"
#include "report/sample_results.h"

namespace warpgrade {
namespace {

const std::string kCopiedProgram =
    "int sum(const int* a, int n) {\n"
    "  int total = 0;\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    if (a[i] % 2 == 0) total += a[i] * 3;\n"
    "    else total -= a[i] / 2;\n"
    "  }\n"
    "  return total > 100 ? total : -total;\n"
    "}\n"
    "void run() { }\n";

SubmissionResult result_by(const std::string& student) {
  SubmissionResult result = rich_result(student);
  result.inputs["submission"] = "hash of " + student;
  return result;
}

std::vector<SimilarPair> pairs_of(const std::vector<SubmissionResult>& results) {
  return similar_pairs(results, std::vector<std::string>(results.size(), kCopiedProgram), {});
}

std::string page_of(const std::vector<SubmissionResult>& results,
                    const std::vector<SimilarPair>& pairs) {
  return format_class_page(results, {[](const auto&) { return kCopiedProgram; }, pairs, {}});
}

TEST(SimilarPairs, AreReadBackAsTheyWereWritten) {
  const std::vector<SimilarPair> pairs = pairs_of({result_by("ann"), result_by("bob")});
  ASSERT_EQ(pairs.size(), 1u);
  const Result<std::vector<SimilarPair>> read = parse_similar_pairs(format_similar_pairs(pairs));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(format_similar_pairs(*read), format_similar_pairs(pairs));
  EXPECT_EQ(read->at(0).b, (ComparedSubmission{"bob", "hash of bob"}));
}

TEST(SimilarPairs, AreNotReadFromADamagedFile) {
  for (const char* text :
       {"", "{", "{}", R"({"schema": 2, "pairs": []})", R"({"schema": 1, "pairs": [{"a": 1}]})"})
    EXPECT_FALSE(parse_similar_pairs(text).ok()) << text;
}

TEST(SimilarPairs, AreNotMembersOfOneGroup) {
  SubmissionResult ann = result_by("ann"), bob = result_by("bob");
  ann.identity.group = bob.identity.group = {"ann", "bob"};
  EXPECT_TRUE(pairs_of({ann, bob}).empty());
}

TEST(ClassPage, ShowsSimilarProgramsSideBySide) {
  const std::vector<SubmissionResult> results = {result_by("ann"), result_by("bob")};
  const std::string page = page_of(results, pairs_of(results));
  EXPECT_NE(page.find("<td class=\"number\" data-value=\"1\">100 %</td>"), std::string::npos);
  EXPECT_NE(page.find("aria-label=\"Pair 1: source of bob\">"), std::string::npos);
  EXPECT_NE(page.find("<mark>  1    2    int total = 0;</mark>"), std::string::npos);
}

TEST(ClassPage, ShowsNoPairOfWhatWasHandedInAgain) {
  std::vector<SubmissionResult> results = {result_by("ann"), result_by("bob")};
  const std::vector<SimilarPair> pairs = pairs_of(results);
  results[1].inputs["submission"] = "another";
  const std::string page = page_of(results, pairs);
  EXPECT_EQ(page.find("side by side"), std::string::npos);
  EXPECT_NE(page.find("1 pair is not shown, since a submission has changed"), std::string::npos);
}

TEST(ClassPage, KeepsHostileSourcesOfPairsText) {
  const std::vector<SubmissionResult> results = {result_by("ann"), result_by("bob")};
  const std::string page =
      format_class_page(results, {[](const auto&) { return kHostile; }, pairs_of(results), {}});
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpgrade
