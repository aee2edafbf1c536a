// SPDX-License-Identifier: MIT
#include "report/wrong_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/first_wrong.h"
#include "report/html.h"
#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr size_t kLevels = 4;

/// Steps of shade: 1 for few wrong elements in a cell, to kLevels for all; 0 for none.
size_t level_of(char cell) {
  if (cell == '#') return kLevels;
  return cell < '1' || cell > '9' ? 0 : static_cast<size_t>(cell - '1') / 3 + 1;
}

/// The cells of one shade, those beside each other as one.
std::string outline(const WrongMap& map, size_t level) {
  std::string path;
  for (size_t row = 0; row < map.cells.size(); ++row) {
    const std::string& cells = map.cells[row];
    for (size_t begin = 0; begin < cells.size();) {
      size_t end = begin;
      while (end < cells.size() && level_of(cells[end]) == level) ++end;
      if (end > begin)
        path += fmt::format("M{} {}h{}v1h-{}z", begin, row, end - begin, end - begin);
      begin = std::max(end, begin + 1);
    }
  }
  return path;
}

std::string shape_words(const WrongMap& map, const Words& words) {
  if (map.rows > 1) return words("page.shape_rows", {{"rows", map.rows}, {"columns", map.columns}});
  return words("page.shape", {{"columns", map.columns}});
}

std::string cell_words(const WrongMap& map, const Words& words) {
  const size_t elements = map.cell_rows * map.cell_columns;
  const std::string cell =
      elements == 1 ? words("page.cell_one")
      : map.rows == 1
          ? words("page.cell_some", {{"count", elements}})
          : words("page.cell_box", {{"rows", map.cell_rows}, {"columns", map.cell_columns}});
  if (!map.is_folded) return cell;
  return cell + ' ' + words("page.folded", {{"cells", WrongMap::kMostCells}});
}

std::string picture(const WrongMap& map, const std::string& label) {
  constexpr size_t kWidth = 384, kLeastSide = 6, kMostSide = 24;
  size_t columns = 1;
  for (const std::string& row : map.cells) columns = std::max(columns, row.size());
  const size_t rows = std::max<size_t>(map.cells.size(), 1);
  const size_t side = std::clamp(kWidth / columns, kLeastSide, kMostSide);
  std::string out = fmt::format(
      "<svg class=\"map\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\">",
      columns * side, rows * side, columns, rows, html_text(label));
  out += fmt::format("<path class=\"ground\" d=\"{}\"/>", outline(map, 0));
  for (size_t level = 1; level <= kLevels; ++level) {
    const std::string cells = outline(map, level);
    if (!cells.empty()) out += fmt::format("<path class=\"wrong-{}\" d=\"{}\"/>", level, cells);
  }
  return out + "</svg>";
}

std::string format_map(const WrongOutput& output, const Words& words) {
  const WrongMap& map = output.map;
  const std::string what = words("page.map", {{"array", map.array},
                                              {"case", output.case_id},
                                              {"shape", shape_words(map, words)},
                                              {"places", map.places}});
  return fmt::format("<figure><figcaption>{}</figcaption>{}<p class=\"where\">{} {}</p></figure>\n",
                     html_text(what), picture(map, what), html_text(cell_words(map, words)),
                     html_text(words("page.darker")));
}

std::string first_wrong_table(const SubmissionResult& result, const Words& words) {
  HtmlTable table{"first-wrong", words("page.first_wrong"), {}, {}};
  table.headings = {words("handout.item"),  words("page.output"), words("page.element"),
                    words("page.expected"), words("page.got"),    words("page.wrong")};
  for (const ItemResult& item : result.items) {
    const std::optional<FirstWrong> first = first_wrong_of(item, result.language);
    if (!first) continue;
    table.rows.push_back(
        html_cell(item.title) + html_cell(first->array) + html_cell(first->place) +
        html_cell(first->expected) + html_cell(first->got) +
        html_cell(words("page.wrong_of", {{"wrong", first->wrong}, {"count", first->count}})));
  }
  return format_table(table);
}

}  // namespace

std::string wrong_section(const SubmissionResult& result) {
  const Words words(result.language);
  std::string out = first_wrong_table(result, words);
  for (const WrongOutput& output : result.wrong_outputs) out += format_map(output, words);
  return out.empty() ? "" : html_section(words("page.wrong")) + out + "</section>\n";
}

}  // namespace warpgrade
