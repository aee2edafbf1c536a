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

TEST(Catalogue, TakesTheFormOfANounThatFollowsTheNumber) {
  const Catalogue catalogue("ran: {count:блок|блока|блоков}\n");
  const auto said = [&](const char* count) {
    return catalogue.say("ran", {{"count", count}}).text;
  };
  for (const char* const count : {"1", "21", "101", "1001"})
    EXPECT_EQ(said(count), std::string(count) + " блок");
  for (const char* const count : {"2", "3", "4", "22", "1.5", "104"})
    EXPECT_EQ(said(count), std::string(count) + " блока");
  for (const char* const count : {"0", "5", "11", "12", "14", "111", "212", "100"})
    EXPECT_EQ(said(count), std::string(count) + " блоков");
}

TEST(Languages, SpeakEnglishUntilTheyAreAskedForAnother) {
  const char* const texts[] = {"en", "ran: it ran\n", "it", "ran: girava\n", nullptr};
  Languages languages(texts);
  EXPECT_EQ(languages.codes(), (std::vector<std::string>{"en", "it"}));
  EXPECT_EQ(languages.catalogue().say("ran").text, "it ran");
  EXPECT_FALSE(languages.speak("xx"));
  EXPECT_EQ(languages.spoken(), "en");
  EXPECT_TRUE(languages.speak("it"));
  EXPECT_EQ(languages.catalogue().say("ran").text, "girava");
  EXPECT_EQ(languages.catalogue("en").say("ran").text, "it ran");
  EXPECT_EQ(languages.catalogue("xx").say("ran").text, "it ran");
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

TEST(Catalogue, ListsSentencesInOnePlace) {
  const Catalogue catalogue("wait: for ever: {who}\nof: {count:thread|threads} in line {line}\n");
  const std::vector<Sentence> who = {catalogue.say("of", {{"count", 1}, {"line", 7}}),
                                     catalogue.say("of", {{"count", 2}, {"line", 9}})};
  const Sentence all = catalogue.say("wait", {listed("who", who, " and ")});
  EXPECT_EQ(all.text, "for ever: 1 thread in line 7 and 2 threads in line 9");
  EXPECT_EQ(all.key(), "wait(who=of(count=1, line=7); of(count=2, line=9))");
}

TEST(Sentence, NamesItselfAndWhatFillsItsPlaces) {
  const Sentence sentence{
      "a.whole",
      {{"file", "x"}, {"parts", "a.part(n=1); a.rest"}, {"what", "b.outer(in=b.inner, at=3.5)"}},
      "text"};
  EXPECT_EQ(ids_of(sentence),
            (std::vector<std::string>{"a.whole", "a.part", "a.rest", "b.outer", "b.inner"}));
  EXPECT_TRUE(ids_of(Sentence()).empty());
}

TEST(Sentence, IsEmptyWhereThereIsNothingToSay) {
  EXPECT_TRUE(Sentence().empty());
  EXPECT_EQ(Sentence().text, "");
}

}  // namespace
}  // namespace warpgrade
