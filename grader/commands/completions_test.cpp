// SPDX-License-Identifier: MIT
#include "commands/completions.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

CommandText sample() {
  CommandText check;
  check.name = "check";
  check.about = "Prove: it's right";
  check.options = {{{"SLUG"}, "", {}, "Which", true, false},
                   {{"-f", "--format"}, "text|json", {"text", "json"}, "As [one]", false, false},
                   {{"-o"}, "TEXT", {}, "Where to", false, false}};
  CommandText program;
  program.commands = {check};
  return program;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BashCompletion, KnowsCommandsOptionsAndValues) {
  const std::string text = bash_completion(sample());
  EXPECT_TRUE(has(text, "in check) command=")) << text;
  EXPECT_TRUE(has(text, "check,-f|check,--format) mapfile -t COMPREPLY < <(compgen -W 'text json'"))
      << text;
  EXPECT_TRUE(has(text, "check,-o) mapfile -t COMPREPLY < <(compgen -f")) << text;
  EXPECT_TRUE(has(text, "check) words='-f --format -o'; slugs=yes ;;")) << text;
}

TEST(ZshCompletion, QuotesWhatTheShellWouldRead) {
  const std::string text = zsh_completion(sample());
  EXPECT_TRUE(has(text, R"('check:Prove\: it'\''s right')")) << text;
  EXPECT_TRUE(has(text, R"('--format[As \[one\]]:text|json:(text json)')")) << text;
  EXPECT_TRUE(has(text, "'*:argument:_warpgrade_arguments'")) << text;
}

TEST(FishCompletion, KnowsCommandsOptionsAndValues) {
  const std::string text = fish_completion(sample());
  EXPECT_TRUE(has(text, "-a check -d 'Prove: it'\\''s right'")) << text;
  EXPECT_TRUE(has(text, "-s f -l format -x -a 'text json' -d 'As [one]'")) << text;
  EXPECT_TRUE(has(text, "-s o -r -F -d 'Where to'")) << text;
}

}  // namespace
}  // namespace warpgrade
