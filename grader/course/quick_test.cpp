// SPDX-License-Identifier: MIT
#include "course/quick.h"

#include <gtest/gtest.h>

#include "course/sample_course.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

KnownSubmission known(Role role, const std::string& name, Strings lost = {}) {
  KnownSubmission one;
  one.role = role;
  one.submission.student = name;
  one.expectation.items = std::move(lost);
  return one;
}

Strings names(const std::vector<KnownSubmission>& all) {
  Strings names;
  for (const KnownSubmission& one : all) names.push_back(one.name());
  return names;
}

/// Items without needs among each other: a, b, c.
Rubric flat_rubric() {
  Rubric rubric;
  for (const char* id : {"a", "b", "c"}) {
    rubric.items.emplace_back();
    rubric.items.back().id = id;
    rubric.items.back().kind = ItemKind::kCorrectness;
  }
  return rubric;
}

TEST(QuickSet, TakesFewMutantsThatLoseEveryItem) {
  EXPECT_EQ(
      names(quick_set(flat_rubric(),
                      {known(Role::kMutant, "one", {"a"}), known(Role::kMutant, "two", {"a", "b"}),
                       known(Role::kMutant, "three", {"c"}), known(Role::kMutant, "four", {"b"})})),
      (Strings{"two", "three"}));
}

TEST(QuickSet, CountsNoItemThatIsLostThroughAnother) {
  const Rubric rubric = sample_course_rubric();
  EXPECT_EQ(names(quick_set(rubric, {known(Role::kMutant, "all", {"product", "pitch", "speed"}),
                                     known(Role::kMutant, "slow", {"speed"}),
                                     known(Role::kMutant, "flat", {"pitch"}),
                                     known(Role::kMutant, "flatter", {"pitch"})})),
            (Strings{"all", "slow", "flat"}))
      << "pitch and speed need product, so that the first loses product alone by itself";
}

TEST(QuickSet, TakesNoProgramThatLosesAllForAProof) {
  EXPECT_EQ(names(quick_set(flat_rubric(), {known(Role::kClass, "empty", {"a", "b", "c"}),
                                            known(Role::kMutant, "one", {"a"})})),
            Strings{"one"});
}

TEST(QuickSet, PrefersAMutantToAStudent) {
  EXPECT_EQ(names(quick_set(flat_rubric(), {known(Role::kClass, "anna", {"a"}),
                                            known(Role::kMutant, "one", {"a"})})),
            Strings{"one"});
}

TEST(QuickSet, KeepsWhatMustEarnAllOrNothing) {
  EXPECT_EQ(names(quick_set(flat_rubric(),
                            {known(Role::kReference, "r"), known(Role::kSkeleton, "s"),
                             known(Role::kBroken, "b"), known(Role::kAccepted, "odd", {"a"}),
                             known(Role::kExploit, "cheat", {"a"})})),
            (Strings{"r", "s", "b", "odd"}));
}

}  // namespace
}  // namespace warpgrade
