// SPDX-License-Identifier: MIT
#include "commands/completions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

/// `text` as one word of a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'')
      word += "'\\''";
    else
      word += c == '\n' ? ' ' : c;
  }
  return word + "'";
}

/// `text` with a backslash before each of `special`.
std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

bool takes_slug(const OptionText& option) {
  return option.is_argument && option.names.front() == "SLUG";
}

bool takes_slug(const CommandText& command) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [](const OptionText& option) { return takes_slug(option); });
}

std::vector<std::string> flags_of(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) {
    if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return names;
}

/// One arm of bash's `case` for each option that takes a value.
std::string bash_values(const CommandText& command, const std::string& name) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.is_argument || option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& each : option.names) patterns.push_back(name + "," + each);
    const std::string reply =
        option.choices.empty() ? "-f" : "-W " + quoted(join(option.choices, " "));
    text += fmt::format("    {}) mapfile -t COMPREPLY < <(compgen {} -- \"$word\"); return ;;\n",
                        join(patterns, "|"), reply);
  }
  return text;
}

std::string bash_words(const CommandText& command) {
  const std::string words = join(flags_of(command), " ");
  return fmt::format("    {}) words='{}'{} ;;\n", command.name, words,
                     takes_slug(command) ? "; slugs=yes" : "");
}

/// One `_arguments` specification for each of the command's options.
std::string zsh_arguments(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.is_argument) continue;
    const std::string about = "[" + escaped(option.about, "[]\\") + "]";
    std::string value;
    if (!option.value.empty())
      value = ":" + escaped(option.value, ":\\") +
              (option.choices.empty() ? ":_files" : ":(" + join(option.choices, " ") + ")");
    for (const std::string& name : option.names)
      text += fmt::format(" \\\n        {}", quoted(name + about + value));
  }
  return text + fmt::format(" \\\n        {}", takes_slug(command)
                                                   ? "'*:argument:_warpgrade_arguments'"
                                                   : "'*:file:_files'");
}

std::string fish_option(const CommandText& command, const OptionText& option) {
  std::string text = "complete -c warpgrade -n '__fish_seen_subcommand_from " + command.name + "'";
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) text += option.choices.empty() ? " -r -F" : " -x";
  if (!option.choices.empty()) text += " -a " + quoted(join(option.choices, " "));
  return text + " -d " + quoted(escaped(option.about, "\\")) + "\n";
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string values = bash_values(program, ""), words;
  for (const CommandText& command : program.commands) {
    values += bash_values(command, command.name);
    words += bash_words(command);
  }
  const std::vector<std::string> commands = names_of(program.commands);
  return fmt::format(
      "# bash completion for warpgrade\n"
      "_warpgrade() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' "
      "words='' slugs='' i file\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${{COMP_WORDS[i]}} in {}) command=${{COMP_WORDS[i]}}; break ;; esac\n"
      "  done\n"
      "  case $command,$before in\n{}  esac\n"
      "  case $command in\n    '') words='{} {}' ;;\n{}  esac\n"
      "  if [[ $slugs && $word != -* ]]; then\n"
      "    for file in rubrics/*.yaml; do\n"
      "      file=${{file##*/}}\n"
      "      [[ $file == course.yaml || $file == '*.yaml' ]] || words+=\" ${{file%.yaml}}\"\n"
      "    done\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"; [[ $command ]] && compgen -f "
      "-- \"$word\")\n"
      "}}\n"
      "complete -o filenames -F _warpgrade warpgrade\n",
      join(commands, "|"), values, join(commands, " "), join(flags_of(program), " "), words);
}

std::string zsh_completion(const CommandText& program) {
  std::string commands, arms;
  for (const CommandText& command : program.commands) {
    commands += fmt::format("    {}\n", quoted(command.name + ":" + escaped(command.about, ":\\")));
    arms += fmt::format("      {})\n        _arguments{}\n        ;;\n", command.name,
                        zsh_arguments(command));
  }
  return fmt::format(
      "#compdef warpgrade\n"
      "_warpgrade_arguments() {{\n"
      "  local -a slugs=(rubrics/*.yaml(N:t:r))\n"
      "  slugs=(${{slugs:#course}})\n"
      "  _alternative 'assignments:assignment:compadd -a slugs' 'files:file:_files'\n"
      "}}\n"
      "_warpgrade() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  local curcontext=$curcontext state line\n"
      "  _arguments -C '--course[the folder of the course]:folder:_files -/' '1:command:->command' "
      "'*::argument:->rest'\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    rest)\n"
      "      case $line[1] in\n{}      esac\n"
      "      ;;\n"
      "  esac\n"
      "}}\n"
      "_warpgrade \"$@\"\n",
      commands, arms);
}

std::string fish_completion(const CommandText& program) {
  std::string text =
      "# fish completion for warpgrade\n"
      "function __warpgrade_slugs\n"
      "    for file in rubrics/*.yaml\n"
      "        string match -q '*/course.yaml' $file; or basename $file .yaml\n"
      "    end\n"
      "end\n";
  for (const CommandText& command : program.commands) {
    text += fmt::format("complete -c warpgrade -f -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, quoted(escaped(command.about, "\\")));
    for (const OptionText& option : command.options) {
      if (!option.is_argument) text += fish_option(command, option);
      if (takes_slug(option))
        text += fmt::format(
            "complete -c warpgrade -n '__fish_seen_subcommand_from {}' -a '(__warpgrade_slugs)'\n",
            command.name);
    }
  }
  return text;
}

}  // namespace warpgrade
