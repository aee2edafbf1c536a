// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/formats/lms_sheet.h"
#include "report/formats/match_students.h"
#include "report/formats/sheet.h"

namespace warpgrade {

/// Which columns of an LMS's sheet say what.
struct SheetLayout {
  std::vector<SheetPerson> people;
  std::vector<size_t> grades;  ///< Columns that take points of an assignment.
  std::vector<size_t>
      others;  ///< Columns that say nothing of a person either; only --column takes one.
  std::optional<size_t> points_row;     ///< "    Points Possible" of Canvas.
  std::optional<size_t> points_column;  ///< "Maximum grade" of Moodle.
};

/// An Error with a remedy where it is no sheet of that LMS.
Result<SheetLayout> lay_out(const Sheet& sheet, const SheetRequest& request);

/// The column that the request means. An Error that names the columns where none or several fit.
Result<size_t> choose_column(const Sheet& sheet, const SheetLayout& layout,
                             const SheetRequest& request);

}  // namespace warpgrade
