// SPDX-License-Identifier: MIT
#include "course/public_rubric.h"

#include <gtest/gtest.h>

#include "rubric/rubric.h"

namespace warpgrade {
namespace {

constexpr const char* kRubricWithSecrets = R"yaml(# secret comment
assignment: sum
title: "It's a: sum"
submission: sum.cu
cases:
  - {id: small, visibility: public, family: integers, args: {N: 7}}
  - {id: secret, family: integers, args: {N: 123}}  # secret
plots:
  - {shows: time, against: N, cases: [small, secret]}
  - {shows: sectors, against: N*3, cases: [secret]}
  - {shows: bandwidth, against: N, cases: all}
items:
  - {id: right, title: Right, kind: correctness, points: 60.5, cases: [small, secret], outputs: [{array: s}],
     hint: "Mind # the guard"}
  - {id: edges, title: Edges, kind: correctness, points: 30, cases: [secret], outputs: [{array: s}]}
  - {id: launched, title: Launched, kind: requirement, points: 9.5, cases: all, needs: [right, edges],
     leaves_out: {single: a secret case},
     rules: [{launches: {range: sum, at_least: "ceil_div(N, 256)"}}]}
)yaml";

TEST(PublicRubric, HoldsNothingOfWhatIsHidden) {
  const Result<std::string> text = public_rubric(kRubricWithSecrets, "sum.yaml");
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text->find("secret"), std::string::npos) << *text;
  EXPECT_EQ(text->find("123"), std::string::npos) << *text;
  EXPECT_EQ(text->find("edges"), std::string::npos) << *text;
  EXPECT_EQ(text->find("N*3"), std::string::npos) << "a plot of hidden cases alone";
  const Result<Rubric> rubric = parse_rubric(*text, "sum.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->plots.size(), 2u);
}

TEST(PublicRubric, IsARightRubricThatGradesTheSame) {
  const Result<Rubric> rubric =
      parse_rubric(*public_rubric(kRubricWithSecrets, "sum.yaml"), "sum.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->title, "It's a: sum");
  ASSERT_EQ(rubric->cases.size(), 1u);
  ASSERT_EQ(rubric->items.size(), 2u);
  EXPECT_EQ(rubric->items[0].hints.at(0).text, "Mind # the guard");
  EXPECT_EQ(rubric->items[1].needs, std::vector<std::string>{"right"});
  EXPECT_EQ(rubric->hidden_points, 30);
}

TEST(PublicRubric, KeepsWhatIsAskedOfGpusAndTheSizesThere) {
  std::string text = kRubricWithSecrets;
  const auto replace = [&](std::string_view from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("cases:\n", "requires: {compute_capability: \">=8.0 <10.0\", binary: [sm_90]}\ncases:\n");
  replace("{N: 7}}", "{N: 7}, on_gpu: {N: 4096}}");
  replace(
      "points: 30, cases: [secret], outputs: [{array: s}]}",
      "points: 30, cases: [secret], outputs: [{array: s}]}\n"
      "  - {id: fast, title: Fast, kind: performance, points: 0, cases: [small], needs: [right],\n"
      "     metric: {range: sum, name: speedup, over: copy, least_bytes: 8*N},\n"
      "     curve: {interpolation: log, points: [[1, 0], [2, 1]]}, without_gpu: model}\n"
      "  - {id: clean, title: Clean, kind: requirement, points: 0, cases: all,\n"
      "     rules: [{sanitizer: {tools: [memcheck]}}]}");
  const Result<std::string> handed_out = public_rubric(text, "sum.yaml");
  ASSERT_TRUE(handed_out.ok()) << handed_out.error().message;
  const Result<Rubric> rubric = parse_rubric(*handed_out, "sum.yaml");
  ASSERT_TRUE(rubric.ok()) << rubric.error().message;
  EXPECT_EQ(rubric->required.compute_capability, ">=8.0 <10.0");
  EXPECT_EQ(rubric->required.binary, std::vector<std::string>{"sm_90"});
  EXPECT_EQ(rubric->cases.at(0).timed_on_gpu().words(), std::vector<std::string>{"4096"});
  EXPECT_EQ(rubric->find_item("fast")->metric->least_bytes->text(), "8*N");
  EXPECT_NE(rubric->find_item("clean"), nullptr);
}

TEST(PublicRubric, RefusesARubricWithoutAPublicCase) {
  std::string text = kRubricWithSecrets;
  text.replace(text.find("visibility: public, "), 20, "");
  const Result<std::string> hidden = public_rubric(text, "sum.yaml");
  ASSERT_FALSE(hidden.ok());
  EXPECT_EQ(hidden.error().message,
            "sum.yaml: no public case judges any item, so students would have nothing to test by; "
            "make one 'visibility: public'");
}

TEST(PublicCourse, HasDevicesAndLimitsAndNobodysExtension) {
  const Result<Course> course = parse_course(
      "title: T\ndevices: [H100, RTX 3090]\nlimits: {wall_s: 20}\n"
      "late: {extensions: [{student: anna, days: 7}]}\n",
      "course.yaml");
  ASSERT_TRUE(course.ok()) << course.error().message;
  const std::string text = public_course(*course, "it");
  EXPECT_EQ(text,
            "language: it\n"
            "devices: [H100, RTX 3090]\n"
            "limits: {wall_s: 20, memory_mb: 2048, output_kb: 64, processes: 64, compile_s: 60, "
            "launch_instructions: 20000000}\n");
  const Result<Course> read = parse_course(text, "course.yaml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->devices, course->devices);
  EXPECT_EQ(read->language, "it");
}

}  // namespace
}  // namespace warpgrade
