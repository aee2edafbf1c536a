// SPDX-License-Identifier: MIT
#include "commands/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "commands/options.h"
#include "report/layout.h"

namespace warpgrade {
namespace {

constexpr size_t kLeastColumns = 40, kMostColumns = 160;

bool is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

}  // namespace

size_t terminal_columns() {
  size_t columns = 0;
  const std::string said = variable("COLUMNS");
  std::from_chars(said.data(), said.data() + said.size(), columns);
  winsize size{};
  if (columns == 0 && is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  return columns == 0 ? kReportColumns : std::clamp(columns, kLeastColumns, kMostColumns);
}

Colour terminal_colour() {
  const bool wanted = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return is_terminal() && wanted ? Colour::kAlways : Colour::kNever;
}

const char* clear_terminal() { return is_terminal() ? "\x1b[2J\x1b[H" : ""; }

}  // namespace warpgrade
