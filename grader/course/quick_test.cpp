// SPDX-License-Identifier: MIT
#include "course/quick.h"

#include <gtest/gtest.h>

#include "course/sample_course.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

KnownSubmission known_as(Role role, const std::string& name, Strings lost = {}) {
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
  EXPECT_EQ(names(quick_set(
                flat_rubric(),
                {known_as(Role::kMutant, "one", {"a"}), known_as(Role::kMutant, "two", {"a", "b"}),
                 known_as(Role::kMutant, "three", {"c"}), known_as(Role::kMutant, "four", {"b"})})),
            (Strings{"two", "three"}));
}

TEST(QuickSet, CountsNoItemThatIsLostThroughAnother) {
  const Rubric rubric = sample_course_rubric();
  EXPECT_EQ(names(quick_set(rubric, {known_as(Role::kMutant, "all", {"product", "pitch", "speed"}),
                                     known_as(Role::kMutant, "slow", {"speed"}),
                                     known_as(Role::kMutant, "flat", {"pitch"}),
                                     known_as(Role::kMutant, "flatter", {"pitch"})})),
            (Strings{"all", "slow", "flat"}))
      << "pitch and speed need product, so that the first loses product alone by itself";
}

TEST(QuickSet, TakesNoProgramThatLosesAllForAProof) {
  EXPECT_EQ(names(quick_set(flat_rubric(), {known_as(Role::kClass, "empty", {"a", "b", "c"}),
                                            known_as(Role::kMutant, "one", {"a"})})),
            Strings{"one"});
}

TEST(QuickSet, PrefersAMutantToAStudent) {
  EXPECT_EQ(names(quick_set(flat_rubric(), {known_as(Role::kClass, "anna", {"a"}),
                                            known_as(Role::kMutant, "one", {"a"})})),
            Strings{"one"});
}

TEST(QuickSet, KeepsWhatMustEarnAllOrNothing) {
  EXPECT_EQ(names(quick_set(flat_rubric(),
                            {known_as(Role::kReference, "r"), known_as(Role::kSkeleton, "s"),
                             known_as(Role::kBroken, "b"), known_as(Role::kAccepted, "odd", {"a"}),
                             known_as(Role::kExploit, "cheat", {"a"})})),
            (Strings{"r", "s", "b", "odd"}));
}

}  // namespace
}  // namespace warpgrade
