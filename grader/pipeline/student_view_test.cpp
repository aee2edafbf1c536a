// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "pipeline/grade.h"

namespace warpgrade {
namespace {

Rubric rubric_with_secrets() {
  Rubric rubric;
  rubric.cases.resize(3);
  rubric.cases[0].id = "open";
  rubric.cases[0].visibility = Visibility::kPublic;
  rubric.cases[1].id = "also-open";
  rubric.cases[1].visibility = Visibility::kPublic;
  rubric.cases[2].id = "secret";
  rubric.items.resize(3);
  rubric.items[0].id = "builds";
  rubric.items[0].kind = ItemKind::kBuild;
  rubric.items[1].id = "mixed";
  rubric.items[1].cases = {"open", "also-open", "secret"};
  rubric.items[2].id = "hidden";
  rubric.items[2].cases = {"secret"};
  return rubric;
}

TEST(StudentView, ShowsPublicCasesOnly) {
  const Rubric view = student_view(rubric_with_secrets(), {});
  EXPECT_EQ(view.cases.size(), 2u);
  ASSERT_EQ(view.items.size(), 2u);
  EXPECT_EQ(view.items[1].cases, (std::vector<std::string>{"open", "also-open"}));
}

TEST(StudentView, NarrowsToTheCasesNamed) {
  const Rubric view = student_view(rubric_with_secrets(), {"also-open", "secret"});
  ASSERT_EQ(view.cases.size(), 1u);
  EXPECT_EQ(view.items[1].cases, (std::vector<std::string>{"also-open"}));
}

}  // namespace
}  // namespace warpgrade
