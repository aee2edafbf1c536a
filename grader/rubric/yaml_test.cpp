// SPDX-License-Identifier: MIT
#include "rubric/yaml.h"

#include <gtest/gtest.h>

#include <ctime>

namespace warpgrade {
namespace {

std::string errors_in(std::string_view text) {
  Diagnostics errors("a.yaml", text);
  parse_yaml(text, errors);
  return errors.format();
}

/// A text that is easily written by mistake, and all that is said about it.
struct Trap {
  const char* name;
  std::string_view text;
  std::string_view message;
};

class YamlTrap : public testing::TestWithParam<Trap> {};

TEST_P(YamlTrap, IsExplainedWithItsRemedy) {
  EXPECT_EQ(errors_in(GetParam().text), GetParam().message);
}

const Trap kTraps[] = {
    {"ColonInAText", "a: 1\nb: Part 2: right\n",
     "a.yaml:2:10: error: a second ':' on this line; a text with ': ' in it needs quotes around "
     "it\n"
     "b: Part 2: right\n         ^\n"},
    {"TooMuchIndentation", "a: x\n  b: y\n",
     "a.yaml:2:3: error: this line is indented by 2 spaces; indent it by 0, like its neighbours\n"
     "  b: y\n  ^\n"},
    {"TooLittleIndentation", "- a: x\n b: y\n",
     "a.yaml:2:2: error: this line is indented by 1 space; indent it by 2, like its neighbours\n"
     " b: y\n ^\n"},
    {"LineThatIsNoKey", "a: x\nb\n",
     "a.yaml:2:1: error: there is no ':' after 'b'; write 'key: value'\nb\n^\n"},
    {"KeyThatSwallowsItsList", "a: x\nb\n  - c\n",
     "a.yaml:2:1: error: there is no ':' after 'b'; write 'key: value'\nb\n^\n"},
    {"SetInBraces", "a: {b, c: d}\n",
     "a.yaml:1:5: error: there is no ':' after 'b'; write 'key: value'\na: {b, c: d}\n    ^\n"},
    {"NoSpaceAfterColon", "a:x\nb: y\n",
     "a.yaml:2:2: error: this line goes on with 'a:x' of a line above; write a space after its "
     "':'\nb: y\n ^\n"},
    {"NoSpaceAfterColonInBraces", "a: {N:1}\n",
     "a.yaml:1:5: error: there is no space after the ':' of 'N:1'; write 'key: value'\na: {N:1}\n  "
     "  ^\n"},
    {"NoSpaceAfterDash", "-a\nb: y\n",
     "a.yaml:2:2: error: this line goes on with '-a' of a line above; write a space after its "
     "'-'\nb: y\n ^\n"},
    {"OpenBrace", "a: {b: 1\nc: d\n",
     "a.yaml:1:4: error: this '{' is not closed before line 2; add the '}'\na: {b: 1\n   ^\n"},
    {"OpenBracket", "a: [b, c\nd: e\n",
     "a.yaml:1:4: error: this '[' is not closed before line 2; add the ']'\na: [b, c\n   ^\n"},
    {"OpenBracketBeforeAList", "a: [b, c\nd:\n  - e\n",
     "a.yaml:1:4: error: this '[' is not closed before line 2; add the ']'\na: [b, c\n   ^\n"},
    {"WrongBracket", "a: [b, c}\n",
     "a.yaml:1:9: error: '}' closes what was not opened with '{'; add the missing ']' before it, "
     "or "
     "remove one too many\na: [b, c}\n        ^\n"},
    {"OneBracketTooMany", "a: [b, c]]\n",
     "a.yaml:1:10: error: ']' closes what was not opened with '['; add the missing '}' before it, "
     "or remove one too many\na: [b, c]]\n         ^\n"},
    {"QuoteInsideQuotes", "a: 'It's'\n",
     "a.yaml:1:8: error: the text in quotes ends before this; write '' for a ' inside it\n"
     "a: 'It's'\n       ^\n"},
    {"UnclosedQuote", "a: \"abc\nb: c\n",
     "a.yaml:1:4: error: the text is not closed on its line; end it with \"\na: \"abc\n   ^\n"},
    {"UnclosedQuoteThatAnotherCloses", "a: \"abc\nb: \"c\n",
     "a.yaml:1:4: error: the text is not closed on its line; end it with \"\na: \"abc\n   ^\n"},
    {"EscapeThatIsNone", "a: \"C:\\data\"\n",
     "a.yaml:1:9: error: '\\' begins an escape in double quotes, and this is none; use single "
     "quotes\na: \"C:\\data\"\n        ^\n"},
    {"AtSign", "a: @b\n",
     "a.yaml:1:4: error: no text begins with this character; put the text into quotes\n"
     "a: @b\n   ^\n"},
    {"Alias", "a: *b\n",
     "a.yaml:1:4: error: '*' begins an alias, and aliases are not allowed; put a text that begins "
     "so into quotes\na: *b\n   ^\n"},
    {"Ampersand", "a: & b\n",
     "a.yaml:1:5: error: no text begins with '&'; put it into quotes\na: & b\n    ^\n"},
    {"Anchor", "a: &b c\n",
     "a.yaml:1:4: error: anchors are not allowed; write each value out\na: &b c\n   ^\n"},
    {"LoneTag", "a: ! 5\n", "a.yaml:1:4: error: remove the tag '!'\na: ! 5\n   ^\n"},
    {"Tag", "a: !!binary YQ==\n",
     "a.yaml:1:4: error: remove the tag 'tag:yaml.org,2002:binary'\na: !!binary YQ==\n   ^\n"},
    {"ByteOrderMark",
     "\xef\xbb\xbf"
     "a: b\n",
     "a.yaml:1:1: error: a byte order mark (U+FEFF) stands here, which nobody sees; remove it, or "
     "save the file as UTF-8 without one\n\\u{feff}"
     "a: b\n^\n"},
    {"NoBreakSpace",
     "a:\xc2\xa0"
     "b\n",
     "a.yaml:1:3: error: a no-break space (U+00A0) stands here, which nobody sees; write an "
     "ordinary space\na:\xc2\xa0"
     "b\n  ^\n"},
    {"TextThatRunsBackwards",
     "a: b\xe2\x80\xae"
     "c\n",
     "a.yaml:1:5: error: a right-to-left override (U+202E) stands here, which nobody sees; remove "
     "it\na: b\\u{202e}"
     "c\n    ^\n"},
    {"Directive", "%YAML 1.1\n---\na: b\n",
     "a.yaml:1:1: error: directives are not allowed; remove the line\n%YAML 1.1\n^\n"},
    {"SecondDocument", "a: b\n...\nc: d\n",
     "a.yaml:3:1: error: a second document begins; the file is one document, so remove '---' or "
     "'...'\nc: d\n^\n"},
    {"KeyThatIsAList", "[a, b]: c\n", "a.yaml:1:1: error: a key must be a word\n[a, b]: c\n^\n"},
    {"KeyThatIsMissing", "{a: 1,,}\n",
     "a.yaml:1:7: error: a key must be a word\n{a: 1,,}\n      ^\n"},
    {"DuplicateKeyInQuotes", "a: 1\n\"a\": 2\n",
     "a.yaml:2:1: error: the key 'a' stands on line 1 already; remove one of them\n\"a\": 2\n^\n"},
    {"MergeKey", "a: {<<: {b: c}}\n",
     "a.yaml:1:5: error: merge keys are not allowed; write each key out\na: {<<: {b: c}}\n    ^\n"},
    {"LinesOfAnOldMac", "a: b\rc: d\r",
     "a.yaml:1:1: error: the line is not plain UTF-8 text; remove what is shown as \\x..\n"
     "a: b\\x0dc: d\n^\n"},
    {"Latin1", "a: caf\xe9\n",
     "a.yaml:1:1: error: the line is not plain UTF-8 text; remove what is shown as \\x..\n"
     "a: caf\\xe9\n^\n"},
};

INSTANTIATE_TEST_SUITE_P(, YamlTrap, testing::ValuesIn(kTraps),
                         [](const auto& instance) { return instance.param.name; });

TEST(ParseYaml, TakesWhatLooksLikeATrapAndIsNone) {
  for (const char* text :
       {"---\na: b\n...\n", "a: It's\n", "a: say \"b\" c\n", "a: b#c\n", "a: [b, c,]\n", "a:\tb\n",
        "a: |\n  two: x\n  lines\n", "a: {b: {c: [d, {e: f}]}}\r\n", "a: b [c\n", "'a b': c\n"})
    EXPECT_EQ(errors_in(text), "") << text;
}

TEST(ParseYaml, KnowsWhatStoodInQuotes) {
  Diagnostics errors("a.yaml", "");
  const Yaml map = parse_yaml("{a: 1, b: '1', c: \"1\"}", errors);
  EXPECT_FALSE(map.find("a")->quoted);
  EXPECT_TRUE(map.find("b")->quoted);
  EXPECT_TRUE(map.find("c")->quoted);
}

TEST(ParseYaml, CountsWhatGoesBeyondAHundredMistakes) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a:\n";
  const std::string message = errors_in(text);
  EXPECT_NE(message.find("a.yaml:101:1: "), std::string::npos);
  EXPECT_EQ(message.find("a.yaml:102:1: "), std::string::npos);
  EXPECT_TRUE(message.ends_with("a.yaml: and more; these 100 come first\n"));
}

TEST(ParseYaml, RefusesAFileThatIsTooLarge) {
  EXPECT_EQ(errors_in(std::string(kMaxYamlBytes + 1, '#')).substr(0, 64),
            "a.yaml:1:1: error: the file is larger than 262144 bytes\n########");
}

std::string repeated(std::string_view text) {
  std::string all;
  while (all.size() + text.size() <= kMaxYamlBytes) all += text;
  return all;
}

TEST(ParseYaml, TakesNoSecondForTheWorstFileOfTheLargestSize) {
  std::vector<std::string> worst;
  for (const char* text :
       {"[",    "{",        "- ",      "? ",  "a: ", "a:\n",  "[\n",    "\"",
        "'",    "'a' ",     "&a ",     "*a ", "!a ", "a\n",   " a\n",   "#\n",
        "\xff", "\xc2\xa0", "{a: b},", "a, ", "a\t", "- a\n", "a: [\n", "\"\\u0041\"\n",
        "| \n", "> ",       "]",       "}",   ":",   "%\n"}) {
    worst.push_back(repeated(text));
    worst.push_back("a: [" + repeated(text).substr(8));
    worst.push_back("a: |\n" + repeated(text).substr(8));
  }
  std::string keys;
  for (int i = 0; keys.size() < kMaxYamlBytes - 20; ++i) keys += "k" + std::to_string(i) + ":\n";
  worst.push_back(keys);
  for (const std::string& text : worst) {
    // Processor time: a machine that does other things as well is no fault.
    const std::clock_t start = std::clock();
    errors_in(text);
    EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC) << text.substr(0, 40);
  }
}

}  // namespace
}  // namespace warpgrade
