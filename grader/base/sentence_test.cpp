// SPDX-License-Identifier: MIT
#include "base/sentence.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace warpgrade {
namespace {

TEST(Catalogue, FillsThePlacesOfASentence) {
  const Catalogue catalogue("# places\nran: kernel {kernel} ran {count:time|times}\n");
  const Sentence sentence = catalogue.say("ran", {{"kernel", "f"}, {"count", 2}});
  EXPECT_EQ(sentence.text, "kernel f ran 2 times");
  EXPECT_EQ(sentence.key(), "ran(count=2, kernel=f)");
  EXPECT_EQ(catalogue.say("ran", {{"kernel", "{x}"}, {"count", 1}}).text, "kernel {x} ran 1 time");
}

TEST(Catalogue, RefusesUnknownSentencesAndFillingsThatDoNotFit) {
  const Catalogue catalogue("ran: kernel {kernel} ran\n");
  EXPECT_THROW(catalogue.say("runs"), std::invalid_argument);
  EXPECT_THROW(catalogue.say("ran"), std::invalid_argument);
  EXPECT_THROW(catalogue.say("ran", {{"kernel", "f"}, {"count", 1}}), std::invalid_argument);
  EXPECT_THROW(Catalogue("a: one\na: two\n"), std::invalid_argument);
  EXPECT_THROW(Catalogue("a sentence without an id\n"), std::invalid_argument);
}

TEST(Catalogue, KeepsASentenceWithinASentenceByItsKey) {
  const Catalogue catalogue("in: in case {case}: {what}\nran: kernel {kernel} ran\n");
  const Sentence outer =
      catalogue.say("in", {{"case", "small"}, {"what", catalogue.say("ran", {{"kernel", "f"}})}});
  EXPECT_EQ(outer.text, "in case small: kernel f ran");
  EXPECT_EQ(outer.key(), "in(case=small, what=ran(kernel=f))");
}

TEST(Sentence, IsEmptyWhereThereIsNothingToSay) {
  EXPECT_TRUE(Sentence().empty());
  EXPECT_EQ(Sentence().text, "");
}

}  // namespace
}  // namespace warpgrade
