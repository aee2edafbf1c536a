// SPDX-License-Identifier: MIT
#include "check/wrong_map.h"

#include <algorithm>
#include <optional>

#include "sentences/say.h"

namespace warpgrade {
namespace {

/// A box that holds all wrong elements says where they are, if it is small or full enough.
constexpr double kSmallBox = 0.5, kFullBox = 0.5;

size_t divide_up(size_t value, size_t by) { return (value + by - 1) / by; }

char cell_of(size_t wrong, size_t all) {
  if (wrong == 0) return '.';
  if (wrong == all) return '#';
  return static_cast<char>('0' + std::clamp<size_t>(10 * wrong / all, 1, 9));
}

/// Ids of what a span of elements, rows or columns is called.
struct SpanWords {
  const char *all, *one, *last_one, *last_some, *some;
};

constexpr SpanWords kElements = {"where.elements_all", "where.element", "where.element_last",
                                 "where.elements_last", "where.elements"};
constexpr SpanWords kRows = {"where.rows_all", "where.row", "where.row_last", "where.rows_last",
                             "where.rows"};
constexpr SpanWords kColumns = {"where.columns_all", "where.column", "where.column_last",
                                "where.columns_last", "where.columns"};

/// "row 3", "rows 3 to 7", "the last row", with what `all` rows there are.
std::string span_words(const SpanWords& ids, size_t first, size_t last, size_t all) {
  if (first == 0 && last + 1 == all) return say(ids.all).text;
  if (first == last) return say(last + 1 == all ? ids.last_one : ids.one, {{"first", first}}).text;
  if (last + 1 == all)
    return say(ids.last_some, {{"count", last + 1 - first}, {"first", first}}).text;
  return say(ids.some, {{"first", first}, {"last", last}}).text;
}

std::string all_of(const std::string& span) { return say("where.all_of", {{"span", span}}).text; }

std::string some_in(size_t count, const std::string& span) {
  return say("where.some_in", {{"count", count}, {"span", span}}).text;
}

/// Rows and columns from the first to the last with a wrong element.
struct Box {
  size_t top, bottom, left, right;
  size_t area() const { return (bottom - top + 1) * (right - left + 1); }
};

Box box_of(const std::vector<size_t>& at, size_t columns) {
  Box box{at.front() / columns, at.back() / columns, columns, 0};
  for (const size_t i : at) {
    box.left = std::min(box.left, i % columns);
    box.right = std::max(box.right, i % columns);
  }
  return box;
}

/// How far from each other the wrong ones are, where that is equally far to the end.
std::optional<size_t> stride_of(const std::vector<size_t>& at, size_t count) {
  constexpr size_t kLeast = 3;
  if (at.size() < kLeast) return std::nullopt;
  const size_t stride = at[1] - at[0];
  for (size_t i = 1; i < at.size(); ++i) {
    if (at[i] - at[i - 1] != stride) return std::nullopt;
  }
  return stride > 1 && at.back() + stride >= count ? std::optional(stride) : std::nullopt;
}

std::string words_of_row(const std::vector<size_t>& at, size_t count) {
  const bool is_unbroken = at.back() - at.front() + 1 == at.size();
  if (is_unbroken) return span_words(kElements, at.front(), at.back(), count);
  const bool is_near =
      static_cast<double>(at.back() - at.front() + 1) <= kSmallBox * static_cast<double>(count);
  if (is_near) return some_in(at.size(), span_words(kElements, at.front(), at.back(), count));
  return say("where.spread").text;
}

std::string words_of_matrix(const std::vector<size_t>& at, size_t rows, size_t columns) {
  const Box box = box_of(at, columns);
  const bool is_full = box.area() == at.size();
  const std::string of_rows = span_words(kRows, box.top, box.bottom, rows);
  const std::string of_columns = span_words(kColumns, box.left, box.right, columns);
  const bool is_wide = box.left == 0 && box.right + 1 == columns;
  const bool is_high = box.top == 0 && box.bottom + 1 == rows;
  if (is_full && is_wide) return all_of(of_rows);
  if (is_full && is_high) return all_of(of_columns);
  const double part = static_cast<double>(box.area()) / static_cast<double>(rows * columns);
  const double filled = static_cast<double>(at.size()) / static_cast<double>(box.area());
  if (is_wide && is_high) return say("where.spread").text;
  if (is_wide) return some_in(at.size(), of_rows);
  if (is_high) return some_in(at.size(), of_columns);
  if (part > kSmallBox && filled < kFullBox) return say("where.spread").text;
  const std::string both = say("where.both", {{"rows", of_rows}, {"columns", of_columns}}).text;
  return is_full ? all_of(both) : both;
}

std::string words_of(const std::vector<bool>& wrong, size_t rows, size_t columns) {
  std::vector<size_t> at;
  for (size_t i = 0; i < wrong.size(); ++i) {
    if (wrong[i]) at.push_back(i);
  }
  if (at.empty()) return say("where.nowhere").text;
  if (at.size() == wrong.size()) return say("where.everywhere").text;
  if (const std::optional<size_t> stride = stride_of(at, wrong.size());
      stride && (rows == 1 || *stride != columns))
    return say("where.stride", {{"stride", *stride}, {"first", at.front()}}).text;
  return rows == 1 ? words_of_row(at, wrong.size()) : words_of_matrix(at, rows, columns);
}

void fill_cells(const std::vector<bool>& wrong, size_t map_rows, size_t map_columns,
                WrongMap& map) {
  std::vector<size_t> all(map_rows * map_columns), bad(all.size());
  for (size_t i = 0; i < wrong.size(); ++i) {
    const size_t cell = map.is_folded ? i / map.cell_columns
                                      : i / map.columns / map.cell_rows * map_columns +
                                            i % map.columns / map.cell_columns;
    ++all[cell];
    bad[cell] += wrong[i];
  }
  for (size_t row = 0; row < map_rows; ++row) {
    std::string& line = map.cells.emplace_back();
    for (size_t cell = row * map_columns; cell < (row + 1) * map_columns; ++cell) {
      if (all[cell] != 0) line += cell_of(bad[cell], all[cell]);
    }
  }
}

}  // namespace

WrongMap make_wrong_map(const std::string& array, size_t columns, const std::vector<bool>& wrong) {
  constexpr size_t kMost = WrongMap::kMostCells;
  WrongMap map;
  map.array = array;
  map.columns = std::max<size_t>(columns, 1);
  map.rows = divide_up(wrong.size(), map.columns);
  map.places = words_of(wrong, map.rows, map.columns);
  map.is_folded = map.rows == 1 && map.columns > kMost;
  if (map.is_folded) {
    map.cell_columns = divide_up(map.columns, kMost * kMost);
    fill_cells(wrong, divide_up(divide_up(map.columns, map.cell_columns), kMost), kMost, map);
    return map;
  }
  map.cell_rows = std::max<size_t>(divide_up(map.rows, kMost), 1);
  map.cell_columns = divide_up(map.columns, kMost);
  fill_cells(wrong, divide_up(map.rows, map.cell_rows), divide_up(map.columns, map.cell_columns),
             map);
  return map;
}

std::vector<std::string> shrink(const WrongMap& map, size_t most_rows, size_t most_columns) {
  const size_t columns = map.cells.empty() ? 0 : map.cells[0].size();
  const size_t tall = std::max<size_t>(divide_up(map.cells.size(), most_rows), 1),
               wide = std::max<size_t>(divide_up(columns, most_columns), 1);
  std::vector<std::string> small;
  for (size_t row = 0; row < map.cells.size(); row += tall) {
    std::string& line = small.emplace_back();
    for (size_t column = 0; column < columns; column += wide) {
      size_t all = 0, bad = 0;
      for (size_t r = row; r < std::min(row + tall, map.cells.size()); ++r) {
        for (const char cell : map.cells[r].substr(std::min(column, map.cells[r].size()), wide)) {
          all += 10;
          bad += cell == '#' ? 10 : cell == '.' ? 0 : static_cast<size_t>(cell - '0');
        }
      }
      if (all != 0) line += cell_of(bad, all);
    }
  }
  return small;
}

}  // namespace warpgrade
