// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warpgrade {

/// An option or an argument, in the words of `--help`.
struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument "SLUG"
  std::string value;                 ///< "TEXT"; empty where it takes none
  std::vector<std::string> choices;  ///< the values that it takes, where they are few
  std::string about;
  bool is_argument = false;
  bool is_required = false;
};

/// A command in the words of `--help`.
struct CommandText {
  std::string name;
  std::string about;
  std::string footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

/// Hidden commands and options are left out.
CommandText describe_command(const CLI::App& app);

/// "warpgrade grade [OPTION...] SLUG PATH".
std::string synopsis_of(const CommandText& command);

}  // namespace warpgrade
