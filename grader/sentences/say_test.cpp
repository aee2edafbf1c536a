// SPDX-License-Identifier: MIT
#include "sentences/say.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Say, FillsASentenceOfTheCatalogue) {
  const Sentence sentence =
      say("calls.too_few", {{"api", "cudaFree"}, {"count", 1}, {"range", "add"}, {"wanted", 3}});
  EXPECT_EQ(sentence.key(), "calls.too_few(api=cudaFree, count=1, range=add, wanted=3)");
  EXPECT_NE(sentence.text.find("1 time "), std::string::npos);
}

TEST(HiddenForm, HoldsNoWordOfTheArguments) {
  const Sentence hidden =
      hidden_form(say("times.not_written", {{"array", "secret"}, {"index", 0}}));
  EXPECT_EQ(hidden.id, "times.not_written@hidden");
  EXPECT_EQ(hidden.text.find("secret"), std::string::npos);
  EXPECT_TRUE(hidden_form(Sentence()).empty());
}

TEST(Counter, IsSaidInWordsWhereThereAreAnyAndKeptByItsName) {
  EXPECT_EQ(counter("l1tex__unknown.sum").text, "l1tex__unknown.sum");
  EXPECT_NE(counter("shared_load_conflicts").text, "shared_load_conflicts");
  EXPECT_EQ(counter("shared_load_conflicts").kept, "shared_load_conflicts");
}

}  // namespace
}  // namespace warpgrade
