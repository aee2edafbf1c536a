// SPDX-License-Identifier: MIT
#include "rubric/handout_passages.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(HandoutPassages, AreTheParagraphsBelowTheLinesThatNameItems) {
  const auto passages = handout_passages(
      "# Sum\n\nAnother text.\n\n"
      "<!-- items: product, product-edges -->\n"
      "**Add** all `a ** b` numbers\nof the [contract](sum.h).\n\nNot this.\n\n"
      "<!-- items: timed -->\n<!-- items: freed -->\n"
      "1. Time the kernel,\n   and nothing else.\n2. Not this.\n");
  EXPECT_EQ(passage_for(passages, "product-edges"), "Add all `a ** b` numbers of the contract.");
  EXPECT_EQ(passage_for(passages, "product"), passage_for(passages, "product-edges"));
  EXPECT_EQ(passage_for(passages, "timed"), "Time the kernel, and nothing else.");
  EXPECT_EQ(passage_for(passages, "freed"), passage_for(passages, "timed"));
  EXPECT_EQ(passage_for(passages, "another"), "");
}

TEST(HandoutPassages, KeepStarsThatMultiplyAndDropThoseOfEmphasis) {
  const auto text_of = [](const std::string& words) {
    return handout_passages("<!-- items: a -->\n" + words + "\n").at(0).text;
  };
  EXPECT_EQ(text_of("The rule is *store, barrier, load*: what (*one*) thread stores."),
            "The rule is store, barrier, load: what (one) thread stores.");
  EXPECT_EQ(text_of("Row r * pitch, `a*b *c`, n*m of *p alone."),
            "Row r * pitch, `a*b *c`, n*m of *p alone.");
  EXPECT_EQ(text_of("*It* is **bold**."), "It is bold.");
}

TEST(HandoutPassages, EndWhereCodeTablesHeadingsAndOtherPassagesBegin) {
  for (const char* const next :
       {"```cpp\nint x;\n```\n", "| a | b |\n", "## Next\n", "<!-- items: other -->\nOther.\n"}) {
    EXPECT_EQ(
        passage_for(handout_passages(std::string("<!-- items: one -->\nText.\n") + next), "one"),
        "Text.")
        << next;
  }
}

TEST(HandoutPassages, HoldTheCodeThatTheyAnnounceByAColon) {
  const auto text = [](const std::string& markdown) {
    return passage_for(handout_passages("<!-- items: one -->\n" + markdown), "one");
  };
  EXPECT_EQ(text("Add:\n\n    c = a + b;\n      return;\n\nMore.\n\n    not this\n"),
            "Add:\nc = a + b;\n  return;");
  EXPECT_EQ(text("Add:\n\n```cpp\nc = a + b;\n\nreturn;\n```\nMore.\n"), "Add:\nc = a + b;");
  EXPECT_EQ(text("Add:\n\nMore.\n\n    not this\n"), "Add:");
  EXPECT_EQ(text("Add.\n\n    not this\n"), "Add.");
}

TEST(HandoutPassages, MayBeLaterItemsOfAList) {
  const auto passages =
      handout_passages("- first\n  <!-- items: one -->\n- second\n  line\n- third\n");
  EXPECT_EQ(passage_for(passages, "one"), "second line");
}

TEST(HandoutPassages, GoOnBelowALineThatBeginsWithANumberAndAStop) {
  const auto passages = handout_passages("<!-- items: one -->\nBlocks of\n8. More.\n- second\n");
  EXPECT_EQ(passage_for(passages, "one"), "Blocks of 8. More.");
}

TEST(HandoutPassages, AreNotNamedByLinesOfCode) {
  EXPECT_TRUE(handout_passages("```\n<!-- items: one -->\n```\nText.\n").empty());
}

TEST(HandoutPassages, AreHeldAgainstTheRubric) {
  const std::string text =
      "<!-- items: one, produkt -->\nText.\n\n<!-- items: one -->\nMore.\n\n<!-- items: three "
      "-->\n\n";
  Diagnostics errors("handout.md", text);
  check_passages(handout_passages(text), {"one", "product", "three"}, errors);
  const std::vector<Mistake> all = errors.mistakes();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].message, "the rubric has no item 'produkt'; did you mean 'product'?");
  EXPECT_EQ(all[0].line, 1);
  EXPECT_EQ(all[0].column, 18);
  EXPECT_EQ(all[1].message, "another passage is item 'one''s already; name it once");
  EXPECT_EQ(all[1].line, 4);
  EXPECT_EQ(all[2].line, 7);
  EXPECT_EQ(all[2].message.substr(0, 20), "no paragraph follows");
}

}  // namespace
}  // namespace warpgrade
