// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade {

/// A text as one cell, RFC 4180. A quote before what a spreadsheet would take for a formula makes it text.
std::string csv_cell(const std::string& text);

}  // namespace warpgrade
