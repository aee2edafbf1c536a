// SPDX-License-Identifier: MIT
#include "rubric/translation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rubric/rubric.h"
#include "testing/fake_files.h"

namespace warpgrade {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kTranslatedRubric = R"(assignment: sum
title: The sum
submission: sum.cu
cases:
  - {id: small, family: integers, args: {N: 17}}
items:
  - {id: builds, title: Builds, kind: build, points: 10}
  - id: right
    title: The sum is right
    kind: correctness
    points: 80
    cases: [small]
    outputs:
      - {array: out}
    hint:
      - {fits: [pattern.zeros], text: Copy it back.}
      - {text: Look at the edges.}
  - {id: never, title: Never freed, kind: requirement, points: 10, cases: [small], rules: [{freed: {range: add}}]}
)";

constexpr const char* kItalian = R"(title: La somma
items:
  builds: {title: "Si compila"}
  right:
    title: "La somma è giusta: sempre"
    hint: ["Copiala indietro.", "Guarda i bordi."]
)";

Translation italian(const std::string& text = kItalian) {
  const Result<Translation> parsed = parse_translation(text, "rubric.it.yaml");
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  return *parsed;
}

std::string mistakes_in(const std::string& text) {
  const Result<Translation> parsed = parse_translation(text, "rubric.it.yaml");
  return parsed ? "" : parsed.error().message.substr(0, parsed.error().message.find('\n'));
}

/// "line:column: message" of each.
Strings told(const std::vector<Mistake>& mistakes) {
  Strings lines;
  for (const Mistake& each : mistakes)
    lines.push_back(fmt::format("{}:{}: {}", each.line, each.column, each.message));
  return lines;
}

TEST(Translation, TakesThePlaceOfTitlesAndHintsAndOfNothingElse) {
  const Translation translation = italian();
  const Result<Rubric> rubric = parse_rubric(kTranslatedRubric, "sum.yaml", {}, &translation);
  ASSERT_TRUE(rubric) << rubric.error().message;
  EXPECT_EQ(rubric->title, "La somma");
  EXPECT_EQ(rubric->items[0].title, "Si compila");
  EXPECT_EQ(rubric->items[1].title, "La somma è giusta: sempre");
  EXPECT_EQ(rubric->items[1].hints,
            (std::vector<Hint>{{{"pattern.zeros"}, "Copiala indietro."}, {{}, "Guarda i bordi."}}));
  EXPECT_EQ(rubric->items[2].title, "Never freed") << "it has no translation";
}

TEST(Translation, LeavesHintsAloneOfWhichItHasAnotherNumber) {
  const Translation translation = italian("items: {right: {title: Giusta, hint: Guarda}}\n");
  const Result<Rubric> rubric = parse_rubric(kTranslatedRubric, "sum.yaml", {}, &translation);
  ASSERT_TRUE(rubric) << rubric.error().message;
  EXPECT_EQ(rubric->items[1].hints[1].text, "Look at the edges.");
  EXPECT_EQ(
      told(gaps_in(translation, kTranslatedRubric)),
      (Strings{"1:1: the assignment has no title: write \"title: ...\"",
               "1:8: item builds has no title: write \"builds: {title: ...}\" below items",
               "1:8: item never has no title: write \"never: {title: ...}\" below items",
               "1:9: item right has 1 hint, and 2 in the rubric: write as many, in the rubric's "
               "order"}));
}

/// The sample rubric, whose output tells two kinds of elements and three values.
std::string with_words() {
  std::string text = kTranslatedRubric;
  const std::string output = "{array: out}";
  return text.replace(text.find(output), output.size(),
                      "{array: out, elements: [the first call, the second call], "
                      "values: {0: cudaSuccess, 1: refused, 2: another error}}");
}

TEST(Translation, TakesThePlaceOfWordsForElementsAndValues) {
  const Translation translation = italian(
      "words: {the second call: la seconda chiamata, refused: rifiutato, another error: altro}\n");
  const Result<Rubric> rubric = parse_rubric(with_words(), "sum.yaml", {}, &translation);
  ASSERT_TRUE(rubric) << rubric.error().message;
  const OutputRule& output = rubric->items[1].outputs.at(0);
  EXPECT_EQ(output.elements, (Strings{"the first call", "la seconda chiamata"}));
  EXPECT_EQ(output.values, (std::map<std::string, std::string>{
                               {"0", "cudaSuccess"}, {"1", "rifiutato"}, {"2", "altro"}}));
}

TEST(Translation, LacksWordsThatAreNoNamesAndTellsOfThoseThatTheRubricDoesNotHave) {
  const Translation translation = italian(
      std::string(kItalian) + "  never: {title: Mai}\nwords: {the second cal: x, refused: y}\n");
  const std::string stranger =
      "8:9: the rubric has no element and no value 'the second cal'; did you mean 'the second "
      "call'?";
  const auto lacks = [](const char* text) {
    return fmt::format("8:8: '{0}' has no translation: write \"{0}\": \"...\" below words", text);
  };
  EXPECT_EQ(told(gaps_in(translation, with_words())),
            (Strings{lacks("the first call"), lacks("the second call"), lacks("another error"),
                     stranger}));
  EXPECT_EQ(told(strangers_in(translation, with_words())), Strings{stranger});
}

TEST(Translation, TellsOfItemsThatTheRubricDoesNotHave) {
  const Translation translation =
      italian(std::string(kItalian) + "  never: {title: Mai}\n  nevre: {title: Mai}\n");
  const Strings stranger = {"8:3: the rubric has no item 'nevre'; did you mean 'never'?"};
  EXPECT_EQ(told(gaps_in(translation, kTranslatedRubric)), stranger);
  EXPECT_EQ(told(strangers_in(translation, kTranslatedRubric)), stranger);
}

TEST(Translation, IsReadAsStrictlyAsARubric) {
  EXPECT_EQ(mistakes_in("- a\n"),
            "rubric.it.yaml:1:1: error: a translation takes title, items and words");
  EXPECT_EQ(
      mistakes_in("tilte: a\n"),
      "rubric.it.yaml:1:1: error: unknown key 'tilte' in a translation; did you mean 'title'?");
  EXPECT_EQ(
      mistakes_in("items: [a]\n"),
      "rubric.it.yaml:1:8: error: 'items' is a map from ids of items to their title and hint");
  EXPECT_EQ(mistakes_in("items: {a: {points: 5}}\n"),
            "rubric.it.yaml:1:13: error: unknown key 'points' in 'a'; it takes title, hint");
  EXPECT_EQ(mistakes_in("items: {a: {title: [b]}}\n"),
            "rubric.it.yaml:1:20: error: 'title' is a text");
  EXPECT_EQ(mistakes_in("words: [a]\n"),
            "rubric.it.yaml:1:8: error: 'words' is a map from texts of 'elements' and 'values' to "
            "their translations");
  EXPECT_EQ(mistakes_in("words: {a: [b]}\n"),
            "rubric.it.yaml:1:12: error: each translation is a text");
}

TEST(Translation, IsLintedBesideItsRubric) {
  FakeFiles files;
  files.contents = {{"c/rubrics/sum.yaml", kTranslatedRubric},
                    {"c/assignments/sum/handout.it.md", ""},
                    {"c/assignments/sum/rubric.it.yaml", "items:\n  rigth: {title: Giusta}\n"},
                    {"c/assignments/sum/rubric.ru.yaml", "items: {right: {titel: x}}\n"}};
  const std::vector<fs::path> both = translations_of(files, "c/rubrics/sum.yaml");
  EXPECT_EQ(both, (std::vector<fs::path>{"c/assignments/sum/rubric.it.yaml",
                                         "c/assignments/sum/rubric.ru.yaml"}));
  EXPECT_EQ(told(lint(files, both.at(0))),
            Strings{"2:3: the rubric has no item 'rigth'; did you mean 'right'?"});
  EXPECT_EQ(told(lint(files, both.at(1))),
            Strings{"1:17: unknown key 'titel' in 'right'; did you mean 'title'?"});
}

TEST(Translation, IsKnownByItsPath) {
  EXPECT_EQ(translated_rubric("c/assignments/sum/rubric.it.yaml"), "c/rubrics/sum.yaml");
  EXPECT_EQ(translated_rubric("c/rubrics/sum.yaml"), std::nullopt);
  EXPECT_EQ(translated_rubric("c/rubrics/rubric.yaml"), std::nullopt);
}

TEST(ReadRubric, IsInTheLanguageThatTheAssignmentHas) {
  FakeFiles files;
  files.contents = {{"c/rubrics/sum.yaml", kTranslatedRubric},
                    {"c/assignments/sum/rubric.it.yaml", kItalian}};
  EXPECT_EQ(read_rubric(files, "c/rubrics/sum.yaml", "it")->title, "La somma");
  EXPECT_EQ(read_rubric(files, "c/rubrics/sum.yaml", "ru")->title, "The sum");
  EXPECT_EQ(read_rubric(files, "c/rubrics/sum.yaml")->title, "The sum");
}

}  // namespace
}  // namespace warpgrade
