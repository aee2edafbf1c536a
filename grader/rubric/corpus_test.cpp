// SPDX-License-Identifier: MIT
// The reader on each file of testdata/: what is called good is accepted, and nothing else. schema_test.py
// does the same with the schemas.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "rubric/page.h"
#include "rubric/rubric.h"
#include "testing/golden.h"

namespace warpgrade {
namespace {

struct Sample {
  std::string verdict;
  std::string name;
  std::string text;
};

std::vector<Sample> samples(const std::string& file) {
  const fs::path folder = std::getenv("WARPGRADE_GOLDEN");
  const Result<std::string> all = RealFiles().read(folder / "grader/rubric/testdata" / file);
  EXPECT_TRUE(all.ok());
  std::vector<Sample> samples;
  for (const std::string& line : split(all.ok() ? *all : "", '\n')) {
    if (line.starts_with("##### ")) {
      const std::vector<std::string> words = split(line.substr(0, line.find(':')), ' ');
      samples.push_back({words.at(1), words.at(2), ""});
    } else if (!samples.empty()) {
      samples.back().text += line + '\n';
    }
  }
  // The last piece of a file that ends with a line break is no line.
  if (!samples.empty()) samples.back().text.pop_back();
  return samples;
}

TEST(Corpus, HasTheRubricsThatAreGoodAcceptedAndNoOthers) {
  const std::vector<Sample> all = samples("rubrics.txt");
  EXPECT_GE(all.size(), 150u);
  for (const Sample& sample : all) {
    const Result<Rubric> rubric = parse_rubric(sample.text, sample.name);
    EXPECT_EQ(rubric.ok(), sample.verdict == "good")
        << sample.name << "\n"
        << (rubric.ok() ? "was accepted" : rubric.error().message);
  }
}

TEST(Corpus, HasTheCoursesThatAreGoodAcceptedAndNoOthers) {
  for (const Sample& sample : samples("courses.txt")) {
    const Result<Course> course =
        parse_course(sample.text, sample.name, std::vector<std::string>{"a", "b"});
    EXPECT_EQ(course.ok(), sample.verdict == "good")
        << sample.name << "\n"
        << (course.ok() ? "was accepted" : course.error().message);
  }
}

TEST(Schema, IsTheOneThatEditorsAreGiven) {
  EXPECT_TRUE(matches_golden(rubric_schema(), "rubrics/rubric.schema.json"));
  EXPECT_TRUE(matches_golden(course_schema(), "rubrics/course.schema.json"));
}

TEST(Page, IsUpToDate) { EXPECT_TRUE(matches_golden(rubric_page(), "docs/rubric.md")); }

TEST(Page, ExplainsEveryCounterOfAGpu) {
  const std::string page = rubric_page();
  const std::string table = page.substr(page.find("## Counters of a GPU"));
  for (const std::string& name : hardware_counters())
    EXPECT_NE(table.find("`" + name + "`"), std::string::npos) << name;
}

TEST(Schema, DescribesEveryKey) {
  for (const std::string& text : {rubric_schema(), course_schema()}) {
    size_t keys = 0, descriptions = 0;
    for (const std::string& line : split(text, '\n')) {
      keys += line.find("\"$comment\"") != std::string::npos;
      descriptions += line.find("\"description\"") != std::string::npos;
      EXPECT_EQ(line.find("\"description\": \"\""), std::string::npos);
    }
    EXPECT_GT(descriptions, 15u);
    EXPECT_GT(keys, descriptions) << "elements of lists have none";
  }
}

}  // namespace
}  // namespace warpgrade
