// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "report/text_report.h"

namespace warpgrade {

/// Columns of the terminal on standard output, as COLUMNS or the terminal says; kReportColumns where there is none.
size_t terminal_columns();

/// Colours only for a terminal that has them, and not where NO_COLOR is set (no-color.org).
Colour terminal_colour();

/// What clears a terminal on standard output; nothing elsewhere.
const char* clear_terminal();

}  // namespace warpgrade
