// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpgrade {

/// Where an output is wrong, and nothing of its values: a picture of at most 64 by 64 cells.
struct WrongMap {
  static constexpr size_t kMostCells = 64;  ///< In a row, and rows.

  std::string array;
  size_t rows = 1, columns = 0;  ///< The output's extents; a one-dimensional array is one row.
  size_t cell_rows = 1, cell_columns = 1;  ///< Elements that a cell stands for.
  bool is_folded = false;  ///< One row of elements, which goes on in the next row of cells.
  /// A character for each cell: '.' where no element is wrong, '#' where all are, '1' to '9' for tenths between.
  std::vector<std::string> cells;
  std::string places;  ///< In the spoken language: "all of the last row".

  bool operator==(const WrongMap&) const = default;
};

/// `wrong` has a bit for each element, by rows.
WrongMap make_wrong_map(const std::string& array, size_t columns, const std::vector<bool>& wrong);

/// The same picture in at most so many rows and columns of cells, for a terminal.
std::vector<std::string> shrink(const WrongMap& map, size_t most_rows, size_t most_columns);

}  // namespace warpgrade
