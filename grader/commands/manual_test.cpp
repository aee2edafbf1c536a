// SPDX-License-Identifier: MIT
#include "commands/manual.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(CommandText, HasTheWordsOfHelpAndNothingHidden) {
  CLI::App app("Grades");
  std::string format, slug;
  bool force = false;
  CLI::App* check = app.add_subcommand("check", "Prove it");
  check->footer("Example:\n  check a");
  check->add_option("SLUG", slug, "The assignment")->required();
  check->add_option("-f,--format", format, "How to print")->check(CLI::IsMember({"text", "json"}));
  check->add_flag("--force", force, "Again");
  app.add_subcommand("secret", "Hidden")->group("");

  const CommandText text = describe_command(app);
  ASSERT_EQ(text.commands.size(), 1u);
  const CommandText& command = text.commands.front();
  EXPECT_EQ(command.name, "check");
  EXPECT_EQ(command.footer, "Example:\n  check a");
  ASSERT_EQ(command.options.size(), 4u) << "--help is the first";
  EXPECT_TRUE(command.options[1].is_argument);
  EXPECT_EQ(command.options[2].names, (std::vector<std::string>{"-f", "--format"}));
  EXPECT_EQ(command.options[2].choices, (std::vector<std::string>{"text", "json"}));
  EXPECT_EQ(command.options[3].value, "") << "a flag takes none";
}

TEST(Manual, TakesNoTextForARequest) {
  CommandText command;
  command.name = "run";
  command.about = "Run it";
  command.options = {{{"--order"}, "N", {}, ".so is a path\n'quoted' a\\b", false, false},
                     {{"PROGRAM"}, "", {}, "What runs", true, true}};
  command.footer = "Exit: 0";
  EXPECT_EQ(manual_of_command(command),
            ".TH WARPGRADE\\-RUN 1 \"\" Warpgrade \"Manual of Warpgrade\"\n"
            ".SH NAME\nwarpgrade\\-run \\- Run it\n"
            ".SH SYNOPSIS\nwarpgrade run [OPTION...] PROGRAM\n"
            ".SH OPTIONS\n"
            ".TP\n.B \\-\\-order N\n\\&.so is a path\n\\&'quoted' a\\eb\n"
            ".TP\n.B PROGRAM\nWhat runs\n"
            ".SH NOTES\n.nf\nExit: 0\n.fi\n"
            ".SH SEE ALSO\n.BR warpgrade (1)\n");
}

}  // namespace
}  // namespace warpgrade
