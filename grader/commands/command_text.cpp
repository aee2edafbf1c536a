// SPDX-License-Identifier: MIT
#include "commands/command_text.h"

#include "base/text.h"

namespace warpgrade {
namespace {

/// Those of "TEXT:{text,json}" or "auto|emulated|gpu".
std::vector<std::string> choices_in(const std::string& type) {
  const size_t open = type.find('{'), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close)
    return split(type.substr(open + 1, close - open - 1), ',');
  if (type.find('|') != std::string::npos) return split(type, '|');
  return {};
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  text.about = option.get_description();
  text.is_argument = option.get_positional();
  text.is_required = option.get_required();
  if (text.is_argument) {
    text.names = {option.get_name(true)};
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_type_size_max() == 0) return text;
  const std::string type = option.get_type_name();
  text.choices = choices_in(type);
  text.value = text.choices.empty() ? split(type, ':').front() : join(text.choices, "|");
  if (!option.get_default_str().empty()) text.about += " [" + option.get_default_str() + "]";
  return text;
}

bool is_hidden(const std::string& group) { return group.empty(); }

}  // namespace

CommandText describe_command(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!is_hidden(option->get_group())) text.options.push_back(describe_option(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!is_hidden(command->get_group())) text.commands.push_back(describe_command(*command));
  }
  return text;
}

std::string synopsis_of(const CommandText& command) {
  std::string text = "warpgrade " + command.name + " [OPTION...]";
  for (const OptionText& option : command.options) {
    if (!option.is_argument) continue;
    text += option.is_required ? " " + option.names.front() : " [" + option.names.front() + "...]";
  }
  return text;
}

}  // namespace warpgrade
