// SPDX-License-Identifier: MIT
#include "report/passage.h"

#include <gtest/gtest.h>

#include "report/sample_results.h"

namespace warpgrade {
namespace {

constexpr const char* kProgramOfPassages =
    "#include \"dot.h\"\n"
    "\n"
    "__global__ void\n"
    "sum(const float* a) {\n"
    "  sum_of(a);\n"
    "}\n"
    "void run() { sum<<<1, 1>>>(nullptr); }\n";

/// A class of one whose item was lost by `message`.
std::vector<SubmissionResult> class_that_lost(const std::string& message) {
  SubmissionResult result;
  result.student = "ann";
  result.items = {sample_item("product", ItemKind::kCorrectness, 10, Outcome::kFailed, message)};
  result.items[0].reason = {"launch.none", {}};
  return {result};
}

size_t line_for(const std::vector<SubmissionResult>& results) {
  const FailureGroup group{{"product"}, {"launch.none", "edges"}, "", {0}};
  const auto found =
      representative_passage(results, group, [](const auto&) { return kProgramOfPassages; });
  return found ? found->line : 0;
}

TEST(RepresentativePassage, IsWhatTheReasonNames) {
  EXPECT_EQ(line_for(class_that_lost("does not build: dot.cu:5: error: no such name")), 5u);
  EXPECT_EQ(line_for(class_that_lost("driver.cu:5: the driver's line")), 0u);
  EXPECT_EQ(line_for(class_that_lost("dot.cu:99: no such line")), 0u);
}

TEST(RepresentativePassage, IsElseTheFindingInTheGroupsCase) {
  auto results = class_that_lost("case 'edges': wrong");
  results[0].findings = {sample_finding("other", 2), sample_finding("edges", 5)};
  EXPECT_EQ(line_for(results), 5u);
}

TEST(RepresentativePassage, IsElseTheKernelsDefinition) {
  auto results = class_that_lost("case 'edges': wrong");
  results[0].kernels = {sample_kernel("edges", "void sum<float>(float const*)")};
  EXPECT_EQ(line_for(results), 4u) << "neither the launch nor sum_of";
}

TEST(RepresentativePassage, EndsWithTheSource) {
  const auto results = class_that_lost("dot.cu:7: here");
  const FailureGroup group{{"product"}, {"launch.none", "edges"}, "", {0}};
  const auto found =
      representative_passage(results, group, [](const auto&) { return kProgramOfPassages; });
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first_line, 5u);
  EXPECT_EQ(found->lines.size(), 4u) << "two before, and the empty rest after the last newline";
}

}  // namespace
}  // namespace warpgrade
