// SPDX-License-Identifier: MIT
#include "commands/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace warpgrade {
namespace {

/// Text of a roff page: nothing in it is a request or an escape.
std::string roff(const std::string& text) {
  std::string page;
  for (const char c : text) {
    if ((page.empty() || page.back() == '\n') && (c == '.' || c == '\'')) page += "\\&";
    if (c == '\\')
      page += "\\e";
    else if (c == '-')
      page += "\\-";
    else
      page += c;
  }
  return page;
}

std::string heading(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" Warpgrade \"Manual of Warpgrade\"\n", roff(name));
}

std::string paragraph(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(term), roff(text));
}

std::string options_of(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    const std::string names = join(option.names, ", ");
    text += paragraph(option.value.empty() ? names : names + " " + option.value, option.about);
  }
  return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

}  // namespace

std::string manual_of_program(const CommandText& program) {
  std::string text = heading("warpgrade") + ".SH NAME\nwarpgrade \\- " + roff(program.about) +
                     "\n.SH SYNOPSIS\n.B warpgrade\n[OPTION...] COMMAND [ARGUMENT...]\n" +
                     options_of(program) + ".SH COMMANDS\n";
  for (const CommandText& command : program.commands)
    text += paragraph(command.name,
                      fmt::format("{}: see warpgrade-{}(1)", command.about, command.name));
  return text;
}

std::string manual_of_command(const CommandText& command) {
  const std::string name = "warpgrade-" + command.name;
  std::string text = heading(name) + ".SH NAME\n" + roff(name) + " \\- " + roff(command.about) +
                     "\n.SH SYNOPSIS\n" + roff(synopsis_of(command)) + "\n" + options_of(command);
  if (!command.footer.empty()) text += ".SH NOTES\n.nf\n" + roff(command.footer) + "\n.fi\n";
  return text + ".SH SEE ALSO\n.BR warpgrade (1)\n";
}

}  // namespace warpgrade
