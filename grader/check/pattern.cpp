// SPDX-License-Identifier: MIT
#include "check/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpgrade {
namespace {

constexpr double kRoundingSize = 0.02;

/// Whether `holds(row, column)` for every wrong element.
template <class Test>
bool every_wrong(const Difference& d, Test holds) {
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    if (d.wrong[i] && !holds(i / d.columns, i % d.columns)) return false;
  }
  return true;
}

/// Whether what was got at each place is what is expected at `source(place)`; places without one
/// (>= count) tell nothing.
template <class Source>
bool is_expected_from(const Difference& d, Source source) {
  size_t informative = 0;
  for (size_t i = 0; i < d.got.size(); ++i) {
    const size_t from = source(i);
    if (from >= d.expected.size()) continue;
    if (!(d.got[i] == d.expected[from])) return false;
    if (from != i) ++informative;
  }
  return informative > 0;
}

std::string nothing_written(const Difference& d) {
  const bool all =
      std::all_of(d.poisoned.begin(), d.poisoned.end(), [](bool poisoned) { return poisoned; });
  return all ? "Nothing was ever written to it." : "";
}

std::string all_zero(const Difference& d) {
  const bool all = std::all_of(d.got.begin(), d.got.end(), [](double value) { return value == 0; });
  return all ? "Every element is 0: was the result computed and copied back?" : "";
}

std::string transposed(const Difference& d) {
  const bool matches = d.rows > 1 && d.columns > 1 && is_expected_from(d, [&](size_t i) {
                         return (i % d.rows) * d.columns + i / d.rows;
                       });
  return matches ? "It is the transposed result: rows and columns (x and y) are swapped." : "";
}

std::string shifted_by_padding(const Difference& d) {
  const bool matches =
      d.rows > 1 && d.pitch_elements > d.columns && is_expected_from(d, [&](size_t i) {
        return (i / d.columns) * d.pitch_elements + i % d.columns;
      });
  return matches ? fmt::format(
                       "Row r holds what belongs r * {} elements further on: rows were written {} "
                       "elements apart, by the width, where "
                       "the pitch makes it {}.",
                       d.pitch_elements - d.columns, d.columns, d.pitch_elements)
                 : "";
}

std::string last_partial_block(const Difference& d) {
  if (d.block_rows == 0 || d.block_columns == 0) return "";
  const size_t full_rows = d.rows / d.block_rows * d.block_rows,
               full_columns = d.columns / d.block_columns * d.block_columns;
  const std::string written =
      every_wrong(d, [&](size_t r, size_t c) { return bool{d.poisoned[r * d.columns + c]}; })
          ? "was never written: does the grid cover it?"
          : "is wrong: look at the bounds checks.";
  if (full_columns < d.columns &&
      every_wrong(d, [&](size_t, size_t c) { return c >= full_columns; })) {
    return fmt::format("Only the last, partial column of blocks (from column {} on) {}",
                       full_columns, written);
  }
  if (full_rows < d.rows && every_wrong(d, [&](size_t r, size_t) { return r >= full_rows; })) {
    return fmt::format("Only the last, partial row of blocks (from row {} on) {}", full_rows,
                       written);
  }
  const auto in_partial = [&](size_t r, size_t c) { return r >= full_rows || c >= full_columns; };
  if (!every_wrong(d, in_partial)) return "";
  return fmt::format("Only the last, partial blocks (from row {} and from column {} on) {}",
                     full_rows, full_columns,
                     written.find("never") == std::string::npos
                         ? "are wrong: look at the bounds checks."
                         : "were never written: does the grid cover them?");
}

std::string never_written(const Difference& d) {
  const bool all =
      every_wrong(d, [&](size_t r, size_t c) { return bool{d.poisoned[r * d.columns + c]}; });
  return all ? "The wrong elements were never written." : "";
}

std::string first_elements_only(const Difference& d) {
  const size_t right = d.wrong.size() - d.wrong_count();
  const bool prefix =
      right > 0 && right < d.columns &&
      std::find(d.wrong.begin(), d.wrong.end(), true) - d.wrong.begin() == static_cast<long>(right);
  return prefix ? fmt::format("Only the first {} right.",
                              right == 1 ? "element is" : fmt::format("{} elements are", right))
                : "";
}

std::string first_row_only(const Difference& d) {
  const bool only = d.rows > 1 && every_wrong(d, [](size_t r, size_t) { return r > 0; }) &&
                    2 * d.wrong_count() > (d.rows - 1) * d.columns;
  return only ? "Row 0 is right and the rows after it are not: is the distance from row to row "
                "right? A pitch counts bytes."
              : "";
}

std::string rounding(const Difference& d) {
  double largest = 0;
  for (size_t i = 0; i < d.wrong.size(); ++i) {
    const double error =
        d.wrong[i] ? std::abs(d.got[i] - d.expected[i]) / std::max(std::abs(d.expected[i]), 1e-30)
                   : 0;
    if (!(error <= kRoundingSize)) return "";
    largest = std::max(largest, error);
  }
  return fmt::format(
      "The errors are of the size of rounding (relative error up to {:.1e}): was it computed in a "
      "lower precision?",
      largest);
}

}  // namespace

size_t Difference::wrong_count() const {
  return static_cast<size_t>(std::count(wrong.begin(), wrong.end(), true));
}

std::string describe_pattern(const Difference& difference) {
  // The most telling first.
  for (const auto recognise :
       {nothing_written, all_zero, transposed, shifted_by_padding, last_partial_block,
        never_written, first_elements_only, first_row_only, rounding}) {
    const std::string sentence = recognise(difference);
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace warpgrade
